/** Error codes of accounts, sign-in, groups and the directory, with their kinds. */
export const identityErrors = {
  // sign-in
  invalid_credentials: 'unauthenticated',
  csrf_failed: 'forbidden',
  cross_site_request: 'forbidden',
  insecure_origin: 'invalid',
  refresh_refused: 'unauthenticated',
  sign_in_method_off: 'invalid',
  account_pending_approval: 'forbidden',
  account_rejected: 'forbidden',
  account_disabled: 'forbidden',
  // A restored database: directory-sync has not read the directory yet.
  directory_check_pending: 'forbidden',
  password_change_required: 'forbidden',
  account_expired: 'forbidden',
  password_rejected: 'invalid',
  password_not_local: 'conflict',
  too_many_sessions: 'rate_limited',
  // accounts
  registration_closed: 'forbidden',
  email_taken: 'conflict',
  account_out_of_reach: 'forbidden',
  own_account: 'conflict',
  source_switched_on: 'conflict',
  last_super_admin: 'conflict',
  local_fallback_refused: 'invalid',
  approval_not_pending: 'conflict',
  // sign-in settings
  settings_invalid: 'invalid',
  secret_required: 'invalid',
  certificate_linked: 'conflict',
  certificate_name_invalid: 'invalid',
  // groups and mappings
  group_name_taken: 'conflict',
  already_member: 'conflict',
  membership_from_directory: 'conflict',
  mapping_exists: 'invalid',
  mapping_gives_nothing: 'invalid',
  mapping_role_refused: 'invalid',
  username_not_searchable: 'invalid',
  ldap_disabled: 'invalid',
  // the directory sync
  directory_unavailable: 'unavailable',
  schedule_invalid: 'invalid',
  sweep_running: 'conflict',
  sweep_not_held: 'conflict',
} as const;

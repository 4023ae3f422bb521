import type { AuthSettings } from '@overtone/contracts';

/** Labels of `user_signups_total` and of the event, by kind of account; the specification's names. */
export const signupMethods = {
  local: 'local',
  ldap: 'ldap',
  oidc: 'keycloak',
  pki: 'pki',
  proxy: 'external',
} as const;

/** Whether a new account waits for approval. */
export function firstStatus(settings: Pick<AuthSettings, 'require_account_approval'>): 'pending' | 'approved' {
  return settings.require_account_approval ? 'pending' : 'approved';
}

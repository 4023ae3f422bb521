import type { AuthCategory } from '@overtone/contracts';

/** How a setting is edited, where its type alone does not tell. */
export type Kind = 'plain' | 'dns' | 'words' | 'addresses' | 'pem';
type Field = { readonly key: string; readonly label: string; readonly kind?: Kind };
export type FieldGroup = { readonly title: string; readonly fields: readonly Field[] };
export type CategoryLayout = {
  readonly tab: string;
  readonly intro: string;
  readonly groups: readonly FieldGroup[];
  readonly test?: string;
};

const f = (key: string, label: string, kind?: Kind): Field => ({ key, label, ...(kind ? { kind } : {}) });

/** Order, names and field kinds of the settings; a test holds it against the catalogue. */
export const layouts: Record<AuthCategory, CategoryLayout> = {
  local: {
    tab: 'Local',
    intro: 'Accounts with a password that Overtone keeps itself.',
    groups: [
      {
        title: 'Local accounts',
        fields: [
          f('local_enabled', 'Sign-in with a local password'),
          f('allow_registration', 'Registration'),
          f('require_account_approval', 'Approval of new accounts'),
        ],
      },
    ],
  },
  ldap: {
    tab: 'LDAP',
    intro: 'People sign in with the password of your directory.',
    test: 'Tries server, encryption, service account and search with what stands above, saved or not.',
    groups: [
      { title: 'Directory', fields: [f('ldap_enabled', 'Sign-in with the directory')] },
      {
        title: 'Connection',
        fields: [
          f('ldap_server', 'Server'),
          f('ldap_port', 'Port'),
          f('ldap_use_ssl', 'LDAPS'),
          f('ldap_use_tls', 'StartTLS'),
          f('ldap_tls_ca', 'Certificate authorities', 'pem'),
          f('ldap_timeout', 'Timeout in seconds'),
        ],
      },
      {
        title: 'Service account',
        fields: [
          f('ldap_bind_dn', 'Bind DN'),
          f('ldap_bind_password', 'Bind password'),
          f('ldap_search_base', 'Search base'),
        ],
      },
      {
        title: 'People',
        fields: [
          f('ldap_user_search_filter', 'Search filter'),
          f('ldap_username_attr', 'Login attribute'),
          f('ldap_email_attr', 'E-mail attribute'),
          f('ldap_name_attr', 'Name attribute'),
          f('ldap_email_verified', 'E-mail addresses are verified'),
        ],
      },
      {
        title: 'Groups',
        fields: [
          f('ldap_group_attr', 'Group attribute'),
          f('ldap_recursive_groups', 'Nested groups'),
          f('ldap_user_groups', 'Admitted groups', 'dns'),
          f('ldap_admin_groups', 'Groups of administrators', 'dns'),
          f('ldap_admin_users', 'Administrators by login name', 'words'),
        ],
      },
    ],
  },
  oidc: {
    tab: 'OIDC',
    intro: 'People sign in at your identity provider (OpenID Connect).',
    test: 'Fetches the discovery document and the keys of the provider with what stands above, saved or not.',
    groups: [
      {
        title: 'Identity provider',
        fields: [f('oidc_enabled', 'Sign-in with the identity provider'), f('oidc_display_name', 'Name on the button')],
      },
      {
        title: 'Connection',
        fields: [
          f('oidc_discovery_url', 'Issuer or discovery address'),
          f('oidc_server_url', 'Server'),
          f('oidc_realm', 'Realm'),
          f('oidc_client_id', 'Client id'),
          f('oidc_client_secret', 'Client secret'),
          f('oidc_callback_url', 'Callback address'),
          f('oidc_scopes', 'Scopes'),
          f('oidc_audience', 'Audience'),
          f('oidc_timeout', 'Timeout in seconds'),
        ],
      },
      {
        title: 'Claims',
        fields: [
          f('oidc_username_claim', 'Login name'),
          f('oidc_email_claim', 'E-mail address'),
          f('oidc_name_claim', 'Name'),
          f('oidc_groups_claim', 'Groups'),
          f('oidc_roles_claim', 'Roles'),
        ],
      },
      {
        title: 'Who may come in',
        fields: [
          f('oidc_allowed_groups', 'Admitted groups', 'words'),
          f('oidc_blocked_groups', 'Refused groups', 'words'),
          f('oidc_admin_role', 'Roles of administrators', 'words'),
        ],
      },
    ],
  },
  pki: {
    tab: 'PKI',
    intro: 'People sign in with a client certificate or smart card, which a proxy checks and forwards.',
    test: 'Tries the issuing authorities and the revocation lists with what stands above, saved or not.',
    groups: [
      {
        title: 'Certificates',
        fields: [
          f('pki_enabled', 'Sign-in with a certificate'),
          f('pki_trusted_proxies', 'Trusted proxies', 'addresses'),
          f('pki_cert_header', 'Header with the certificate'),
          f('pki_ca_cert', 'Issuing authorities', 'pem'),
          f('pki_admin_dns', 'Subjects of administrators', 'dns'),
          f('pki_issuer_map', 'Replaced authorities', 'dns'),
        ],
      },
      {
        title: 'Revocation',
        fields: [
          f('pki_verify_revocation', 'Check revocation'),
          f('pki_crl_url', 'Address of the list'),
          f('pki_crl', 'Revocation lists', 'pem'),
          f('pki_crl_cache_seconds', 'Seconds a fetched list is used'),
          f('pki_revocation_soft_fail', 'Let people in without a list'),
        ],
      },
    ],
  },
  proxy: {
    tab: 'Trusted header',
    intro: 'A proxy in front of Overtone signs people in and names them in a header.',
    groups: [
      {
        title: 'Proxy',
        fields: [
          f('proxy_enabled', 'Sign-in by a header'),
          f('proxy_trusted_proxies', 'Trusted proxies', 'addresses'),
          f('proxy_shared_secret', 'Shared secret'),
          f('proxy_secret_header', 'Header with the secret'),
        ],
      },
      {
        title: 'Headers',
        fields: [
          f('proxy_user_header', 'Login name'),
          f('proxy_email_header', 'E-mail address'),
          f('proxy_name_header', 'Name'),
          f('proxy_groups_header', 'Groups'),
          f('proxy_no_groups_value', 'Value for no groups'),
          f('proxy_email_verified', 'E-mail addresses are verified'),
        ],
      },
    ],
  },
  session: {
    tab: 'Session',
    intro: 'How long somebody stays signed in, and in how many places.',
    groups: [
      {
        title: 'Lifetimes',
        fields: [
          f('jwt_access_token_expire_minutes', 'Access token, in minutes'),
          f('jwt_refresh_token_expire_days', 'Refresh token, in days'),
          f('session_idle_timeout_minutes', 'Idle limit, in minutes'),
          f('session_absolute_timeout_minutes', 'Absolute limit, in minutes'),
        ],
      },
      {
        title: 'Number',
        fields: [
          f('max_concurrent_sessions', 'Sessions of one account'),
          f('concurrent_session_policy', 'One session too many'),
        ],
      },
    ],
  },
  password_policy: {
    tab: 'Password policy',
    intro: 'What new local passwords must be like. Passwords of a directory follow its own rules.',
    groups: [
      {
        title: 'Rules',
        fields: [
          f('password_policy_enabled', 'Hold passwords to the rules'),
          f('password_min_length', 'Least number of characters'),
          f('password_require_uppercase', 'Upper case letter'),
          f('password_require_lowercase', 'Lower case letter'),
          f('password_require_digit', 'Digit'),
          f('password_require_special', 'Special character'),
        ],
      },
      {
        title: 'Over time',
        fields: [
          f('password_history_count', 'Earlier passwords refused'),
          f('password_max_age_days', 'Days until a change is due'),
        ],
      },
    ],
  },
  lockout: {
    tab: 'Lockout',
    intro: 'What happens after failed sign-ins.',
    groups: [
      {
        title: 'Accounts',
        fields: [
          f('account_lockout_enabled', 'Lock accounts'),
          f('account_lockout_threshold', 'Failures before a lock'),
          f('account_lockout_duration_minutes', 'First lock, in minutes'),
          f('account_lockout_progressive', 'Longer with every lock'),
          f('account_lockout_max_duration_minutes', 'Longest lock, in minutes'),
        ],
      },
      {
        title: 'Addresses',
        fields: [
          f('rate_limit_enabled', 'Limit attempts per address'),
          f('rate_limit_auth_per_minute', 'Attempts per minute'),
        ],
      },
    ],
  },
};

export const categoryOrder = [
  'local',
  'ldap',
  'oidc',
  'pki',
  'proxy',
  'session',
  'password_policy',
  'lockout',
] as const satisfies readonly AuthCategory[];
export const isCategory = (name: string): name is AuthCategory => Object.hasOwn(layouts, name);

/** What the choices of a setting mean. */
export const choiceWords: Readonly<Record<string, string>> = {
  terminate_oldest: 'The oldest one ends',
  reject: 'The new one is refused',
};

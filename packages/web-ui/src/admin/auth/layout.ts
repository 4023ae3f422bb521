import type { AuthCategory } from '@overtone/contracts';

/** How a setting is edited, where its type does not determine it. */
export type FieldKind = 'plain' | 'dns' | 'words' | 'addresses' | 'pem';
type Field = { readonly key: string; readonly label: string; readonly kind?: FieldKind };
export type FieldGroup = { readonly title: string; readonly fields: readonly Field[] };
export type CategoryLayout = {
  readonly tab: string;
  readonly intro: string;
  readonly groups: readonly FieldGroup[];
  readonly test?: string;
};

/** Order, labels and field kinds of the settings; a test compares them with the contracts. */
export const layouts: Record<AuthCategory, CategoryLayout> = {
  local: {
    tab: 'Local',
    intro: 'Accounts with a password stored by Overtone.',
    groups: [
      {
        title: 'Local accounts',
        fields: [
          field('local_enabled', 'Sign-in with a local password'),
          field('allow_registration', 'Registration'),
          field('require_account_approval', 'Approval of new accounts'),
        ],
      },
    ],
  },
  ldap: {
    tab: 'LDAP',
    intro: 'People sign in with the password of your directory.',
    test: 'Tests server, encryption, service account and search with the values above, saved or not.',
    groups: [
      { title: 'Directory', fields: [field('ldap_enabled', 'Sign-in with the directory')] },
      {
        title: 'Connection',
        fields: [
          field('ldap_server', 'Server'),
          field('ldap_port', 'Port'),
          field('ldap_use_ssl', 'LDAPS'),
          field('ldap_use_tls', 'StartTLS'),
          field('ldap_tls_ca', 'Certificate authorities', 'pem'),
          field('ldap_timeout', 'Timeout in seconds'),
        ],
      },
      {
        title: 'Service account',
        fields: [
          field('ldap_bind_dn', 'Bind DN'),
          field('ldap_bind_password', 'Bind password'),
          field('ldap_search_base', 'Search base'),
        ],
      },
      {
        title: 'People',
        fields: [
          field('ldap_user_search_filter', 'Search filter'),
          field('ldap_username_attr', 'Login attribute'),
          field('ldap_email_attr', 'E-mail attribute'),
          field('ldap_name_attr', 'Name attribute'),
          field('ldap_email_verified', 'E-mail addresses are verified'),
        ],
      },
      {
        title: 'Groups',
        fields: [
          field('ldap_group_attr', 'Group attribute'),
          field('ldap_recursive_groups', 'Nested groups'),
          field('ldap_user_groups', 'Allowed groups', 'dns'),
          field('ldap_admin_groups', 'Administrator groups', 'dns'),
          field('ldap_admin_users', 'Administrators by login name', 'words'),
        ],
      },
    ],
  },
  oidc: {
    tab: 'OIDC',
    intro: 'People sign in at your identity provider (OpenID Connect).',
    test: 'Fetches the discovery document and the keys of the provider with the values above, saved or not.',
    groups: [
      {
        title: 'Identity provider',
        fields: [
          field('oidc_enabled', 'Sign-in with the identity provider'),
          field('oidc_display_name', 'Name on the button'),
        ],
      },
      {
        title: 'Connection',
        fields: [
          field('oidc_discovery_url', 'Issuer or discovery address'),
          field('oidc_server_url', 'Server'),
          field('oidc_realm', 'Realm'),
          field('oidc_client_id', 'Client ID'),
          field('oidc_client_secret', 'Client secret'),
          field('oidc_callback_url', 'Callback address'),
          field('oidc_scopes', 'Scopes'),
          field('oidc_audience', 'Audience'),
          field('oidc_timeout', 'Timeout in seconds'),
        ],
      },
      {
        title: 'Claims',
        fields: [
          field('oidc_username_claim', 'Login name'),
          field('oidc_email_claim', 'E-mail address'),
          field('oidc_name_claim', 'Name'),
          field('oidc_groups_claim', 'Groups'),
          field('oidc_roles_claim', 'Roles'),
        ],
      },
      {
        title: 'Access',
        fields: [
          field('oidc_allowed_groups', 'Allowed groups', 'words'),
          field('oidc_blocked_groups', 'Blocked groups', 'words'),
          field('oidc_admin_role', 'Administrator roles', 'words'),
        ],
      },
    ],
  },
  pki: {
    tab: 'PKI',
    intro: 'People sign in with a client certificate or smart card, which a proxy checks and forwards.',
    test: 'Tests the issuing authorities and the revocation lists with the values above, saved or not.',
    groups: [
      {
        title: 'Certificates',
        fields: [
          field('pki_enabled', 'Sign-in with a certificate'),
          field('pki_trusted_proxies', 'Trusted proxies', 'addresses'),
          field('pki_cert_header', 'Header with the certificate'),
          field('pki_ca_cert', 'Issuing authorities', 'pem'),
          field('pki_admin_dns', 'Administrator subjects', 'dns'),
          field('pki_issuer_map', 'Replaced authorities', 'dns'),
        ],
      },
      {
        title: 'Revocation',
        fields: [
          field('pki_verify_revocation', 'Check revocation'),
          field('pki_crl_url', 'Address of the list'),
          field('pki_crl', 'Revocation lists', 'pem'),
          field('pki_crl_cache_seconds', 'Seconds a fetched list is used'),
          field('pki_revocation_soft_fail', 'Allow sign-in without a list'),
        ],
      },
    ],
  },
  proxy: {
    tab: 'Trusted header',
    intro: 'A proxy in front of Overtone signs people in and sends their names in a header.',
    groups: [
      {
        title: 'Proxy',
        fields: [
          field('proxy_enabled', 'Sign-in by a header'),
          field('proxy_trusted_proxies', 'Trusted proxies', 'addresses'),
          field('proxy_shared_secret', 'Shared secret'),
          field('proxy_secret_header', 'Header with the secret'),
        ],
      },
      {
        title: 'Headers',
        fields: [
          field('proxy_user_header', 'Login name'),
          field('proxy_email_header', 'E-mail address'),
          field('proxy_name_header', 'Name'),
          field('proxy_groups_header', 'Groups'),
          field('proxy_no_groups_value', 'Value for no groups'),
          field('proxy_email_verified', 'E-mail addresses are verified'),
        ],
      },
    ],
  },
  session: {
    tab: 'Session',
    intro: 'How long people stay signed in, and on how many devices.',
    groups: [
      {
        title: 'Lifetimes',
        fields: [
          field('jwt_access_token_expire_minutes', 'Access token, in minutes'),
          field('jwt_refresh_token_expire_days', 'Refresh token, in days'),
          field('session_idle_timeout_minutes', 'Idle limit, in minutes'),
          field('session_absolute_timeout_minutes', 'Absolute limit, in minutes'),
        ],
      },
      {
        title: 'Number of sessions',
        fields: [
          field('max_concurrent_sessions', 'Sessions per account'),
          field('concurrent_session_policy', 'When the limit is exceeded'),
        ],
      },
    ],
  },
  password_policy: {
    tab: 'Password policy',
    intro: 'Rules for new local passwords. Passwords of a directory follow its own rules.',
    groups: [
      {
        title: 'Rules',
        fields: [
          field('password_policy_enabled', 'Enforce rules'),
          field('password_min_length', 'Minimum length'),
          field('password_require_uppercase', 'Upper case letter'),
          field('password_require_lowercase', 'Lower case letter'),
          field('password_require_digit', 'Digit'),
          field('password_require_special', 'Special character'),
        ],
      },
      {
        title: 'Over time',
        fields: [
          field('password_history_count', 'Remembered passwords'),
          field('password_max_age_days', 'Maximum age, in days'),
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
          field('account_lockout_enabled', 'Lock accounts'),
          field('account_lockout_threshold', 'Failed attempts before a lock'),
          field('account_lockout_duration_minutes', 'First lock, in minutes'),
          field('account_lockout_progressive', 'Increase duration each time'),
          field('account_lockout_max_duration_minutes', 'Longest lock, in minutes'),
        ],
      },
      {
        title: 'Addresses',
        fields: [
          field('rate_limit_enabled', 'Limit attempts per address'),
          field('rate_limit_auth_per_minute', 'Attempts per minute'),
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

export function isCategory(name: string): name is AuthCategory {
  return Object.hasOwn(layouts, name);
}

/** The labels of setting values. */
export const choiceLabels: Readonly<Record<string, string>> = {
  terminate_oldest: 'End the oldest session',
  reject: 'Refuse the new session',
};

const settingLabels = new Map(
  Object.values(layouts).flatMap(({ groups }) =>
    groups.flatMap(({ fields }) => fields.map(({ key, label }) => [key, label] as const)),
  ),
);
/** The label of a setting on this page. */
export function settingLabel(key: string): string {
  return settingLabels.get(key) ?? key;
}

function field(key: string, label: string, kind?: FieldKind): Field {
  return { key, label, ...(kind ? { kind } : {}) };
}

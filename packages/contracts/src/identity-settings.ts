import { recipientsOfSecrets } from './secret-recipients.ts';

/** Groups of sign-in settings, each stored and changed as a whole (specification, "Directory (LDAP) configuration"). */
export const authCategories = [
  'local',
  'ldap',
  'oidc',
  'pki',
  'proxy',
  'session',
  'password_policy',
  'lockout',
] as const;
export type AuthCategory = (typeof authCategories)[number];

type Base = { readonly category: AuthCategory; readonly description: string };
type BooleanSetting = Base & { readonly type: 'boolean'; readonly default: boolean };
type IntegerSetting = Base & {
  readonly type: 'integer';
  readonly default: number;
  readonly min: number;
  readonly max: number;
};
type StringSetting = Base & {
  readonly type: 'string';
  /** Empty: none. */
  readonly default: string;
  readonly max: number;
  /** Stored encrypted and never returned. */
  readonly sensitive: boolean;
  readonly choices?: readonly string[];
};
export type AuthSettingDef = BooleanSetting | IntegerSetting | StringSetting;

function settingsOf<const C extends AuthCategory>(category: C) {
  return {
    flag: (byDefault: boolean, description: string): BooleanSetting => ({
      category,
      type: 'boolean',
      default: byDefault,
      description,
    }),
    count: (byDefault: number, [min, max]: readonly [number, number], description: string): IntegerSetting => ({
      category,
      type: 'integer',
      default: byDefault,
      min,
      max,
      description,
    }),
    line: (byDefault: string, description: string, max = 1024): StringSetting => ({
      category,
      type: 'string',
      default: byDefault,
      max,
      sensitive: false,
      description,
    }),
    secret: (description: string): StringSetting => ({
      category,
      type: 'string',
      default: '',
      max: 4096,
      sensitive: true,
      description,
    }),
    choice: (byDefault: string, choices: readonly string[], description: string): StringSetting => ({
      category,
      type: 'string',
      default: byDefault,
      max: 64,
      sensitive: false,
      choices,
      description,
    }),
  };
}

const local = settingsOf('local');
const ldap = settingsOf('ldap');
const oidc = settingsOf('oidc');
const pki = settingsOf('pki');
const proxy = settingsOf('proxy');
const session = settingsOf('session');
const policy = settingsOf('password_policy');
const lockout = settingsOf('lockout');

/** Long texts: lists of distinguished names, certificates. */
const long = 65_536;

/**
 * All sign-in settings. The environment variable of a setting is its key in upper case; it is used while nothing is stored.
 * For OIDC the older spelling `KEYCLOAK_*` is accepted, too, and takes precedence.
 */
export const authSettings = {
  local_enabled: local.flag(true, 'Sign-in with a password stored here; super administrators can always use theirs'),
  allow_registration: local.flag(false, 'Anyone may register an account'),
  require_account_approval: local.flag(false, 'New accounts need the approval of an administrator'),

  ldap_enabled: ldap.flag(false, 'Sign-in with the directory'),
  ldap_server: ldap.line(
    '',
    'host, ldap://host or ldaps://host:port; separate several with spaces, they are tried in order',
  ),
  ldap_port: ldap.count(636, [1, 65_535], 'Port, when the address contains none'),
  ldap_use_ssl: ldap.flag(true, 'LDAPS'),
  ldap_use_tls: ldap.flag(false, 'StartTLS'),
  ldap_bind_dn: ldap.line('', 'Distinguished name of the service account'),
  ldap_bind_password: ldap.secret('Password of the service account'),
  ldap_search_base: ldap.line('', 'Search base for people'),
  ldap_username_attr: ldap.line('sAMAccountName', 'Attribute with the login name', 128),
  ldap_email_attr: ldap.line('mail', 'Attribute with the e-mail address', 128),
  ldap_name_attr: ldap.line('cn', 'Attribute with the display name', 128),
  ldap_user_search_filter: ldap.line('({username_attr}={username})', 'Search filter for a login'),
  ldap_timeout: ldap.count(10, [1, 300], 'Timeout of the directory in seconds'),
  ldap_admin_users: ldap.line('', 'Login names of administrators, separated by commas', long),
  ldap_admin_groups: ldap.line('', 'Groups whose members are administrators', long),
  ldap_user_groups: ldap.line('', 'Only members of these groups may sign in; empty allows everyone', long),
  ldap_recursive_groups: ldap.flag(false, 'Include nested groups'),
  ldap_group_attr: ldap.line('memberOf', 'Attribute that lists the groups of a person', 128),
  ldap_tls_ca: ldap.line('', 'Certificate authorities (PEM) trusted in addition to those of the system', long),
  ldap_email_verified: ldap.flag(
    false,
    'E-mail addresses in this directory are managed by administrators; users cannot set their own',
  ),

  oidc_enabled: oidc.flag(false, 'Sign-in with the identity provider'),
  oidc_display_name: oidc.line('Single sign-on', 'Name on the sign-in button', 100),
  oidc_discovery_url: oidc.line('', 'Issuer, or address of its discovery document; replaces server and realm'),
  oidc_server_url: oidc.line('', 'Server of a realm'),
  oidc_realm: oidc.line('', 'Realm on that server', 200),
  oidc_client_id: oidc.line('', 'Client id at the provider'),
  oidc_client_secret: oidc.secret('Client secret at the provider; empty for a public client'),
  oidc_callback_url: oidc.line('', 'Redirect address registered at the provider: the page /login of this site'),
  oidc_scopes: oidc.line('openid email profile', 'Requested scopes'),
  oidc_timeout: oidc.count(30, [1, 300], 'Timeout of the provider in seconds'),
  oidc_audience: oidc.line('', 'Audience of the ID token, if it differs from the client id'),
  oidc_username_claim: oidc.line('preferred_username', 'Path of the claim with the login name', 200),
  oidc_email_claim: oidc.line('email', 'Path of the claim with the e-mail address', 200),
  oidc_name_claim: oidc.line('name', 'Path of the claim with the display name', 200),
  oidc_groups_claim: oidc.line('groups', 'Path of the claim with the groups', 200),
  oidc_roles_claim: oidc.line('realm_access.roles', 'Path of the claim with the roles', 200),
  oidc_admin_role: oidc.line(
    'admin',
    'Roles that make an administrator, separated by commas. Once set, a sign-in without the roles claim keeps the role',
  ),
  oidc_allowed_groups: oidc.line('', 'Only members of these groups may sign in; empty allows everyone', long),
  oidc_blocked_groups: oidc.line('', 'Members of these groups may not sign in', long),

  pki_enabled: pki.flag(false, 'Sign-in with a client certificate that a trusted proxy forwards'),
  pki_trusted_proxies: pki.line('', 'Addresses or CIDR blocks of these proxies; required', long),
  pki_cert_header: pki.line('X-Client-Cert', 'Header in which the proxy forwards the certificate', 100),
  pki_ca_cert: pki.line('', 'Authorities (PEM) that issue the certificates', long),
  pki_verify_revocation: pki.flag(false, 'Check the revocation list'),
  // Limited by the size of a request; longer lists are fetched.
  pki_crl: pki.line('', 'Revocation lists (PEM)', 900_000),
  pki_crl_url: pki.line('', 'Address of the revocation list'),
  pki_crl_cache_seconds: pki.count(3600, [10, 604_800], 'Seconds that a fetched list is used'),
  pki_revocation_soft_fail: pki.flag(false, 'Allow sign-in when no list is available'),
  pki_admin_dns: pki.line(
    '',
    'Subject names of administrators, separated by ;, optionally with the issuer: subject < issuer',
    long,
  ),
  pki_issuer_map: pki.line(
    '',
    'Replaced authorities, separated by ;, each as new < old: certificates of the new one sign in to the accounts of the old one',
    long,
  ),

  proxy_enabled: proxy.flag(false, 'Sign-in by a header that a trusted proxy sets'),
  proxy_trusted_proxies: proxy.line('', 'Addresses or CIDR blocks of these proxies; required', long),
  proxy_user_header: proxy.line('X-Forwarded-User', 'Header with the login name', 100),
  proxy_email_header: proxy.line('X-Forwarded-Email', 'Header with the e-mail address', 100),
  proxy_name_header: proxy.line('X-Forwarded-Name', 'Header with the display name', 100),
  proxy_groups_header: proxy.line('', 'Header with the groups, separated by commas; empty: groups are not read', 100),
  proxy_no_groups_value: proxy.line(
    '-',
    'Value of this header for a person without groups, for proxies that drop empty headers',
    100,
  ),
  proxy_email_verified: proxy.flag(false, 'The proxy vouches for e-mail addresses'),
  proxy_shared_secret: proxy.secret('Value that the proxy sends in the header below; empty: not required'),
  proxy_secret_header: proxy.line('X-Proxy-Secret', 'Header with the shared secret', 100),

  jwt_access_token_expire_minutes: session.count(15, [1, 1440], 'Lifetime of an access token'),
  jwt_refresh_token_expire_days: session.count(7, [1, 365], 'Lifetime of a refresh token'),
  session_idle_timeout_minutes: session.count(
    0,
    [0, 525_600],
    'Minutes without use after which a session ends; 0: never before its refresh token',
  ),
  session_absolute_timeout_minutes: session.count(
    43_200,
    [5, 5_256_000],
    'Minutes after which a session ends, even when it is refreshed',
  ),
  max_concurrent_sessions: session.count(0, [0, 1000], 'Concurrent sessions of one account; 0: unlimited'),
  concurrent_session_policy: session.choice(
    'terminate_oldest',
    ['terminate_oldest', 'reject'],
    'When the limit of sessions is exceeded',
  ),

  password_policy_enabled: policy.flag(true, 'Enforce the rules below for new passwords'),
  password_min_length: policy.count(12, [8, 128], 'Minimum length'),
  password_require_uppercase: policy.flag(true, 'Require an upper case letter'),
  password_require_lowercase: policy.flag(true, 'Require a lower case letter'),
  password_require_digit: policy.flag(true, 'Require a digit'),
  password_require_special: policy.flag(true, 'Require a special character'),
  password_history_count: policy.count(24, [0, 100], 'Number of earlier passwords that cannot be reused'),
  password_max_age_days: policy.count(0, [0, 3650], 'Days after which a password must be changed; 0: never'),

  account_lockout_enabled: lockout.flag(true, 'Lock an account after failed sign-ins'),
  account_lockout_threshold: lockout.count(5, [1, 100], 'Failed attempts until an account is locked'),
  account_lockout_duration_minutes: lockout.count(15, [1, 10_080], 'Minutes of the first lock'),
  account_lockout_progressive: lockout.flag(true, 'Increase the duration each time'),
  account_lockout_max_duration_minutes: lockout.count(1440, [1, 43_200], 'Minutes of the longest lock'),
  rate_limit_enabled: lockout.flag(true, 'Limit sign-in attempts per client address'),
  rate_limit_auth_per_minute: lockout.count(10, [1, 10_000], 'Sign-in attempts per minute and client address'),
} satisfies Record<string, AuthSettingDef>;

export type AuthSettingKey = keyof typeof authSettings;

export const secretRecipients = recipientsOfSecrets satisfies Partial<
  Record<AuthSettingKey, readonly AuthSettingKey[]>
>;

/** The effective settings with plaintext secrets; never leaves identity. */
export type AuthSettings = {
  [K in AuthSettingKey]: (typeof authSettings)[K] extends BooleanSetting
    ? boolean
    : (typeof authSettings)[K] extends IntegerSetting
      ? number
      : string;
};

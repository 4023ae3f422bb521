import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { AuthCategory } from '@overtone/contracts';
import { translateOnRead } from '../../lib/language.ts';

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
export const layouts: Record<AuthCategory, CategoryLayout> = translateOnRead({
  local: {
    tab: msg`Local`,
    intro: msg`Accounts with a password stored by Overtone.`,
    groups: [
      {
        title: msg`Local accounts`,
        fields: [
          field('local_enabled', msg`Sign-in with a local password`),
          field('allow_registration', msg`Registration`),
          field('require_account_approval', msg`Approval of new accounts`),
        ],
      },
    ],
  },
  ldap: {
    tab: msg`LDAP`,
    intro: msg`People sign in with the password of your directory.`,
    test: msg`Tests server, encryption, service account and search with the values above, saved or not.`,
    groups: [
      { title: msg`Directory`, fields: [field('ldap_enabled', msg`Sign-in with the directory`)] },
      {
        title: msg`Connection`,
        fields: [
          field('ldap_server', msg`Server`),
          field('ldap_port', msg`Port`),
          field('ldap_use_ssl', msg`LDAPS`),
          field('ldap_use_tls', msg`StartTLS`),
          field('ldap_tls_ca', msg`Certificate authorities`, 'pem'),
          field('ldap_timeout', msg`Timeout in seconds`),
        ],
      },
      {
        title: msg`Service account`,
        fields: [
          field('ldap_bind_dn', msg`Bind DN`),
          field('ldap_bind_password', msg`Bind password`),
          field('ldap_search_base', msg`Search base`),
        ],
      },
      {
        title: msg`People`,
        fields: [
          field('ldap_user_search_filter', msg`Search filter`),
          field('ldap_username_attr', msg`Login attribute`),
          field('ldap_email_attr', msg`E-mail attribute`),
          field('ldap_name_attr', msg`Name attribute`),
          field('ldap_email_verified', msg`E-mail addresses are verified`),
        ],
      },
      {
        title: msg`Groups`,
        fields: [
          field('ldap_group_attr', msg`Group attribute`),
          field('ldap_recursive_groups', msg`Nested groups`),
          field('ldap_user_groups', msg`Allowed groups`, 'dns'),
          field('ldap_admin_groups', msg`Administrator groups`, 'dns'),
          field('ldap_admin_users', msg`Administrators by login name`, 'words'),
        ],
      },
    ],
  },
  oidc: {
    tab: msg`OIDC`,
    intro: msg`People sign in at your identity provider (OpenID Connect).`,
    test: msg`Fetches the discovery document and the keys of the provider with the values above, saved or not.`,
    groups: [
      {
        title: msg`Identity provider`,
        fields: [
          field('oidc_enabled', msg`Sign-in with the identity provider`),
          field('oidc_display_name', msg`Name on the button`),
        ],
      },
      {
        title: msg`Connection`,
        fields: [
          field('oidc_discovery_url', msg`Issuer or discovery address`),
          field('oidc_server_url', msg`Server`),
          field('oidc_realm', msg`Realm`),
          field('oidc_client_id', msg`Client ID`),
          field('oidc_client_secret', msg`Client secret`),
          field('oidc_callback_url', msg`Callback address`),
          field('oidc_scopes', msg`Scopes`),
          field('oidc_audience', msg`Audience`),
          field('oidc_timeout', msg`Timeout in seconds`),
        ],
      },
      {
        title: msg`Claims`,
        fields: [
          field('oidc_username_claim', msg`Login name`),
          field('oidc_email_claim', msg`E-mail address`),
          field('oidc_name_claim', msg`Name`),
          field('oidc_groups_claim', msg`Groups`),
          field('oidc_roles_claim', msg`Roles`),
        ],
      },
      {
        title: msg`Access`,
        fields: [
          field('oidc_allowed_groups', msg`Allowed groups`, 'words'),
          field('oidc_blocked_groups', msg`Blocked groups`, 'words'),
          field('oidc_admin_role', msg`Administrator roles`, 'words'),
        ],
      },
    ],
  },
  pki: {
    tab: msg`PKI`,
    intro: msg`People sign in with a client certificate or smart card, which a proxy checks and forwards.`,
    test: msg`Tests the issuing authorities and the revocation lists with the values above, saved or not.`,
    groups: [
      {
        title: msg`Certificates`,
        fields: [
          field('pki_enabled', msg`Sign-in with a certificate`),
          field('pki_trusted_proxies', msg`Trusted proxies`, 'addresses'),
          field('pki_cert_header', msg`Header with the certificate`),
          field('pki_ca_cert', msg`Issuing authorities`, 'pem'),
          field('pki_admin_dns', msg`Administrator subjects`, 'dns'),
          field('pki_issuer_map', msg`Replaced authorities`, 'dns'),
        ],
      },
      {
        title: msg`Revocation`,
        fields: [
          field('pki_verify_revocation', msg`Check revocation`),
          field('pki_crl_url', msg`Address of the list`),
          field('pki_crl', msg`Revocation lists`, 'pem'),
          field('pki_crl_cache_seconds', msg`Seconds a fetched list is used`),
          field('pki_revocation_soft_fail', msg`Allow sign-in without a list`),
        ],
      },
    ],
  },
  proxy: {
    tab: msg`Trusted header`,
    intro: msg`A proxy in front of Overtone signs people in and sends their names in a header.`,
    groups: [
      {
        title: msg`Proxy`,
        fields: [
          field('proxy_enabled', msg`Sign-in by a header`),
          field('proxy_trusted_proxies', msg`Trusted proxies`, 'addresses'),
          field('proxy_shared_secret', msg`Shared secret`),
          field('proxy_secret_header', msg`Header with the secret`),
        ],
      },
      {
        title: msg`Headers`,
        fields: [
          field('proxy_user_header', msg`Login name`),
          field('proxy_email_header', msg`E-mail address`),
          field('proxy_name_header', msg`Name`),
          field('proxy_groups_header', msg`Groups`),
          field('proxy_no_groups_value', msg`Value for no groups`),
          field('proxy_email_verified', msg`E-mail addresses are verified`),
        ],
      },
    ],
  },
  session: {
    tab: msg`Session`,
    intro: msg`How long people stay signed in, and on how many devices.`,
    groups: [
      {
        title: msg`Lifetimes`,
        fields: [
          field('jwt_access_token_expire_minutes', msg`Access token, in minutes`),
          field('jwt_refresh_token_expire_days', msg`Refresh token, in days`),
          field('session_idle_timeout_minutes', msg`Idle limit, in minutes`),
          field('session_absolute_timeout_minutes', msg`Absolute limit, in minutes`),
        ],
      },
      {
        title: msg`Number of sessions`,
        fields: [
          field('max_concurrent_sessions', msg`Sessions per account`),
          field('concurrent_session_policy', msg`When the limit is exceeded`),
        ],
      },
    ],
  },
  password_policy: {
    tab: msg`Password policy`,
    intro: msg`Rules for new local passwords. Passwords of a directory follow its own rules.`,
    groups: [
      {
        title: msg`Rules`,
        fields: [
          field('password_policy_enabled', msg`Enforce rules`),
          field('password_min_length', msg`Minimum length`),
          field('password_require_uppercase', msg`Upper case letter`),
          field('password_require_lowercase', msg`Lower case letter`),
          field('password_require_digit', msg`Digit`),
          field('password_require_special', msg`Special character`),
        ],
      },
      {
        title: msg`Over time`,
        fields: [
          field('password_history_count', msg`Remembered passwords`),
          field('password_max_age_days', msg`Maximum age, in days`),
        ],
      },
    ],
  },
  lockout: {
    tab: msg`Lockout`,
    intro: msg`What happens after failed sign-ins.`,
    groups: [
      {
        title: msg`Accounts`,
        fields: [
          field('account_lockout_enabled', msg`Lock accounts`),
          field('account_lockout_threshold', msg`Failed attempts before a lock`),
          field('account_lockout_duration_minutes', msg`First lock, in minutes`),
          field('account_lockout_progressive', msg`Increase duration each time`),
          field('account_lockout_max_duration_minutes', msg`Longest lock, in minutes`),
        ],
      },
      {
        title: msg`Addresses`,
        fields: [
          field('rate_limit_enabled', msg`Limit attempts per address`),
          field('rate_limit_auth_per_minute', msg`Attempts per minute`),
        ],
      },
    ],
  },
});

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
export const choiceLabels: Readonly<Record<string, string>> = translateOnRead({
  terminate_oldest: msg`End the oldest session`,
  reject: msg`Refuse the new session`,
});

const settingLabels = new Map(
  Object.values(layouts).flatMap(({ groups }) =>
    groups.flatMap(({ fields }) => fields.map(({ key, label }) => [key, label] as const)),
  ),
);
/** The label of a setting on this page. */
export function settingLabel(key: string): string {
  return settingLabels.get(key) ?? key;
}

/** Words that say nothing of their own beside the label. */
const emptyWords: ReadonlySet<string> = new Set(
  'a an the any each its one of in on at for with by to from is are be that when which must include require check'.split(
    ' ',
  ),
);

function meaningOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !emptyWords.has(word)).map((word) => word.replace(/s$/, ''));
}

/** What the description of a setting adds to its label; undefined where it only repeats it. */
export function helpOf(label: string, description: string): string | undefined {
  const known = new Set(meaningOf(label));
  const added = meaningOf(description).filter((word) => !known.has(word));
  return added.length > 1 ? description : undefined;
}

function field(key: string, label: MessageDescriptor, kind?: FieldKind) {
  return { key, label, ...(kind ? { kind } : {}) };
}

import { X509Certificate } from 'node:crypto';
import type { AuthCategory, AuthSettingKey, AuthSettings } from '@overtone/contracts';
import { configFaults } from '@overtone/directory';
import { directoryConfigOf } from '../directory/directory.ts';
import { malformedBlocks } from '../forwarded/forwarded.ts';
import { issuerOf, safeAddress } from '../oidc/oidc.ts';
import { authoritiesOf, configuredListsOf, parseNamePairs } from '../pki/pki.ts';
import type { Fault } from './change-plan.ts';

/** Checks the settings that a change would result in. @returns faults with the keys to correct. */
type Rule = (settings: AuthSettings) => Fault[];
type TextKey = { [K in AuthSettingKey]: AuthSettings[K] extends string ? K : never }[AuthSettingKey];

const sourceNames = {
  ldap_enabled: 'LDAP',
  oidc_enabled: 'OIDC',
  pki_enabled: 'certificates',
  proxy_enabled: 'the trusted header',
} as const;

/** RFC 9110 section 5.6.2. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Headers with another meaning, which cannot carry an identity. */
const reservedHeaders =
  /^(authorization|connection|content-.*|cookie|expect|forwarded|host|keep-alive|origin|proxy-authorization|te|trailer|transfer-encoding|upgrade|via|x-csrf-token|x-forwarded-(for|host|proto)|x-overtone-.*|x-request-id)$/i;

const pem = /-----BEGIN ([A-Z0-9 ]+)-----[^-]+-----END \1-----/g;

const revocationLists: Rule = ({ pki_crl: text }) => {
  if (text.trim() === '') return [];
  const found = [...text.matchAll(pem)];
  const good = found.length > 0 && found.every(([, label]) => label === 'X509 CRL');
  if (!good) return at(['pki_crl'], 'It must be revocation lists in PEM form (BEGIN X509 CRL).');
  return configuredListsOf(text) ? [] : at(['pki_crl'], 'A revocation list in it cannot be read.');
};

const authorities: Rule = ({ pki_ca_cert: text }) =>
  authoritiesOf(text) ? [] : at(['pki_ca_cert'], 'A certificate in it cannot be read.');

const administrators: Rule = ({ pki_admin_dns: text }) =>
  parseNamePairs(text).faults.flatMap((fault) => at(['pki_admin_dns'], fault));

const replacedIssuers: Rule = ({ pki_issuer_map: text }) => {
  const { pairs, faults } = parseNamePairs(text);
  const single = pairs
    .filter(({ issuer }) => issuer === undefined)
    .map(({ name }) => `"${name}" replaces none: write new < old.`);
  return [...faults, ...single].flatMap((fault) => at(['pki_issuer_map'], fault));
};

/** The checks of the directory package; while sign-in with the directory is off, settings may be incomplete. */
const directory: Rule = (settings) =>
  configFaults(directoryConfigOf(settings, null))
    .filter(({ key }) => settings.ldap_enabled || settings[key as AuthSettingKey] !== '')
    .map(({ key, message }) => ({ path: key, message }));

const rules: Record<AuthCategory, readonly Rule[]> = {
  local: [
    (settings) =>
      settings.allow_registration && !settings.local_enabled
        ? at(['allow_registration', 'local_enabled'], 'Registration makes local accounts: it needs local_enabled.')
        : [],
  ],
  ldap: [
    (settings) =>
      settings.ldap_use_ssl && settings.ldap_use_tls
        ? at(['ldap_use_ssl', 'ldap_use_tls'], 'LDAPS and StartTLS exclude each other: choose one.')
        : [],
    needs('ldap_enabled', 'ldap_server', 'ldap_search_base', 'ldap_username_attr', 'ldap_email_attr'),
    certificates('ldap_tls_ca'),
    directory,
  ],
  oidc: [
    safeUrls('oidc_discovery_url', 'oidc_server_url', 'oidc_callback_url'),
    needs('oidc_enabled', 'oidc_client_id', 'oidc_callback_url'),
    (settings) =>
      settings.oidc_enabled && issuerOf(settings) === ''
        ? at(['oidc_discovery_url'], 'Required to enable OIDC, or a server with its realm.')
        : [],
    (settings) =>
      /^[\x21\x23-\x5b\x5d-\x7e, ]*$/.test(settings.oidc_scopes)
        ? []
        : at(['oidc_scopes'], 'It must be scopes separated by spaces.'),
  ],
  pki: [
    needs('pki_enabled', 'pki_trusted_proxies', 'pki_cert_header', 'pki_ca_cert'),
    blocks('pki_trusted_proxies'),
    headerNames('pki_cert_header'),
    certificates('pki_ca_cert'),
    authorities,
    administrators,
    replacedIssuers,
    revocationLists,
    webUrl('pki_crl_url'),
    (settings) =>
      settings.pki_enabled && settings.pki_verify_revocation && settings.pki_crl === '' && settings.pki_crl_url === ''
        ? at(['pki_verify_revocation'], 'It needs pki_crl or pki_crl_url.')
        : [],
  ],
  proxy: [
    needs('proxy_enabled', 'proxy_trusted_proxies', 'proxy_user_header'),
    blocks('proxy_trusted_proxies'),
    headerNames(
      'proxy_user_header',
      'proxy_email_header',
      'proxy_name_header',
      'proxy_groups_header',
      'proxy_secret_header',
    ),
    (settings) => (settings.proxy_shared_secret !== '' ? needs('proxy_enabled', 'proxy_secret_header')(settings) : []),
    (settings) => {
      const others = [
        settings.proxy_user_header,
        settings.proxy_email_header,
        settings.proxy_name_header,
        settings.proxy_groups_header,
      ];
      return others.some((name) => name !== '' && name.toLowerCase() === settings.proxy_secret_header.toLowerCase())
        ? at(['proxy_secret_header'], 'The secret needs a header of its own.')
        : [];
    },
  ],
  session: [
    (settings) =>
      settings.session_absolute_timeout_minutes < settings.session_idle_timeout_minutes
        ? at(
            ['session_absolute_timeout_minutes', 'session_idle_timeout_minutes'],
            'A session cannot be idle for longer than it may last.',
          )
        : [],
  ],
  password_policy: [],
  lockout: [
    (settings) =>
      settings.account_lockout_max_duration_minutes < settings.account_lockout_duration_minutes
        ? at(
            ['account_lockout_max_duration_minutes', 'account_lockout_duration_minutes'],
            'The longest lock cannot be shorter than the first.',
          )
        : [],
  ],
};

/**
 * All faults of a category; empty: the settings are valid. Each setting has the faults of one rule only, because a later
 * rule would mostly repeat them.
 */
export function faultsOf(category: AuthCategory, settings: AuthSettings): Fault[] {
  const faults: Fault[] = [];
  for (const rule of rules[category]) {
    const reported = new Set(faults.map((fault) => fault.path));
    const news = rule(settings).filter((fault) => !reported.has(fault.path));
    faults.push(
      ...news.filter(
        (fault, i) => news.findIndex((group) => group.path === fault.path && group.message === fault.message) === i,
      ),
    );
  }
  return faults;
}

type Warning = readonly [when: boolean, text: string];
const everybody = /(^|[\s,;])(0\.0\.0\.0|::)\/0($|[\s,;])/;

const warnings: Partial<Record<AuthCategory, (settings: AuthSettings) => Warning[]>> = {
  local: (settings) => [[!settings.local_enabled, 'Only a super_admin can sign in with a password kept here.']],
  ldap: (settings) => [
    [
      settings.ldap_enabled &&
        !settings.ldap_use_ssl &&
        !settings.ldap_use_tls &&
        !/ldaps:/i.test(settings.ldap_server),
      'Passwords travel to the directory in clear text: switch on LDAPS or StartTLS.',
    ],
    [settings.ldap_enabled && settings.ldap_bind_dn === '', 'The directory is searched without a service account.'],
  ],
  oidc: (settings) => [
    [
      settings.oidc_discovery_url !== '' && settings.oidc_server_url !== '',
      'oidc_discovery_url counts; oidc_server_url and oidc_realm are not used.',
    ],
    [
      settings.oidc_callback_url !== '' && url(settings.oidc_callback_url)?.pathname !== '/login',
      'oidc_callback_url should be the page /login of this site.',
    ],
  ],
  pki: (settings) => [
    [everybody.test(settings.pki_trusted_proxies), 'Every address is trusted to forward certificates.'],
    [
      settings.pki_enabled && !settings.pki_verify_revocation,
      'Revoked certificates are let in: switch on pki_verify_revocation.',
    ],
  ],
  proxy: (settings) => [
    [everybody.test(settings.proxy_trusted_proxies), 'Every address is trusted to name context is calling.'],
  ],
  password_policy: (settings) => [[!settings.password_policy_enabled, 'New passwords only need eight characters.']],
  lockout: (settings) => [
    [!settings.account_lockout_enabled, 'Passwords can be guessed without end.'],
    [!settings.rate_limit_enabled, 'Sign-in attempts are not limited per client address.'],
  ],
};

/** Valid settings that are probably a mistake. */
export function warningsOf(category: AuthCategory, settings: AuthSettings): string[] {
  return (warnings[category]?.(settings) ?? []).flatMap(([when, text]) => (when ? [text] : []));
}

function at(keys: readonly AuthSettingKey[], message: string): Fault[] {
  return keys.map((path) => ({ path, message }));
}

function needs(flag: keyof typeof sourceNames, ...keys: TextKey[]): Rule {
  const message = `Required to enable ${sourceNames[flag]}.`;
  return (settings) =>
    settings[flag] ? keys.filter((key) => settings[key] === '').flatMap((key) => at([key], message)) : [];
}

function certificates(key: TextKey): Rule {
  return (settings) => {
    const text = settings[key];
    if (text.trim() === '') return [];
    const found = [...text.matchAll(pem)];
    if (found.length === 0) return at([key], 'It must be certificates in PEM form.');
    if (found.some(([, label]) => label?.includes('PRIVATE KEY')))
      return at([key], 'It holds a private key; only certificates belong here.');
    const bad = found.findIndex(([block, label]) => label !== 'CERTIFICATE' || !isCertificate(block));
    return bad < 0 ? [] : at([key], `PEM block ${bad + 1} is not a certificate.`);
  };
}

/** Addresses that receive secrets or tokens. */
function safeUrls(...keys: TextKey[]): Rule {
  return (settings) =>
    keys.flatMap((key) => {
      if (settings[key] === '') return [];
      const parsed = url(settings[key]);
      if (!parsed || !/^https?:$/.test(parsed.protocol) || !isPlain(parsed))
        return at([key], 'It must be an address that begins with https://, without user, password or #.');
      return safeAddress(parsed) ? [] : at([key], 'Plain HTTP is for this very machine; elsewhere it must be HTTPS.');
    });
}

function blocks(key: TextKey): Rule {
  return (settings) =>
    malformedBlocks(settings[key]).flatMap((entry) =>
      at([key], `Neither an address nor a CIDR block: ${entry.slice(0, 60)}`),
    );
}

function headerNames(...keys: TextKey[]): Rule {
  return (settings) =>
    keys.flatMap((key) => {
      if (settings[key] === '') return [];
      if (!token.test(settings[key])) return at([key], 'It must be the name of a header.');
      return reservedHeaders.test(settings[key]) ? at([key], 'This header has a meaning of its own.') : [];
    });
}

/** Revocation lists are signed, so plain HTTP is allowed. */
function webUrl(key: TextKey): Rule {
  return (settings) => {
    const parsed = url(settings[key]);
    if (settings[key] === '' || (parsed && /^https?:$/.test(parsed.protocol) && isPlain(parsed))) return [];
    return at([key], 'It must be an address that begins with http:// or https://.');
  };
}

function url(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).raw.length > 0;
  } catch {
    return false;
  }
}

function isPlain(url: URL): boolean {
  return url.username === '' && url.password === '' && url.hash === '';
}

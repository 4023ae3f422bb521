import { describe, expect, it } from '@jest/globals';
import { authCategories, type AuthCategory, type AuthSettings } from '@overtone/contracts';
import { faultsOf, warningsOf } from './rules.ts';
import { effective, type Values } from './settings.ts';

function settings(changed: Values): AuthSettings {
  return effective(new Map(), changed).values;
}

const authority = `-----BEGIN CERTIFICATE-----
MIIBfDCCASGgAwIBAgIUYo334vy/MYMQ5UBuKuxS3jGXqyYwCgYIKoZIzj0EAwIw
EjEQMA4GA1UEAwwHVGVzdCBDQTAgFw0yNjExMjExMzIxNTRaGA8yMTI2MTAyODEz
MjE1NFowEjEQMA4GA1UEAwwHVGVzdCBDQTBZMBMGByqGSM49AgEGCCqGSM49AwEH
A0IABHbYaKv42GBfbVy39ejjkhlIJ4PqKFgnC/t/OKS3incZUT8LJz/fAIMfT31j
G+/AvGOxNcHUaqoHbJb2ELDmQRyjUzBRMB0GA1UdDgQWBBR47lnrxl1EgtDOi4q9
wMLTykqAtTAfBgNVHSMEGDAWgBR47lnrxl1EgtDOi4q9wMLTykqAtTAPBgNVHRMB
Af8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQDaDKf7Zb3BS5PtvA7YDrngQAet
900UljeKC/AcLfqW5AIhAIUm2RTGv8Pg4NRUd9SBZrZsSuHGkeKMibRjEzKwuG+7
-----END CERTIFICATE-----
`;
const ldap = { ldap_enabled: true, ldap_server: 'ds.example.org', ldap_search_base: 'dc=example,dc=org' };
const oidc = {
  oidc_enabled: true,
  oidc_discovery_url: 'https://id.example.org/realms/x',
  oidc_client_id: 'overtone',
  oidc_callback_url: 'https://overtone.example.org/login',
};
const pki = { pki_enabled: true, pki_trusted_proxies: '10.0.0.1', pki_ca_cert: authority };
const proxy = { proxy_enabled: true, proxy_trusted_proxies: '10.0.0.0/8 fd00::/8' };

describe('the defaults', () => {
  it.each(authCategories)('of %s are valid', (category) => {
    expect(faultsOf(category, settings({}))).toEqual([]);
  });
});

describe('settings that work', () => {
  it.each([
    ['ldap', ldap],
    ['ldap', { ...ldap, ldap_tls_ca: `a bundle\n${authority}${authority}` }],
    ['ldap', { ldap_server: 'half a panel, not switched on yet'.split(' ')[0] as string }],
    ['oidc', oidc],
    ['oidc', { ...oidc, oidc_discovery_url: '', oidc_server_url: 'https://id.example.org', oidc_realm: 'x' }],
    ['oidc', { ...oidc, oidc_discovery_url: 'http://127.0.0.1:8081' }],
    ['pki', pki],
    ['pki', { ...pki, pki_verify_revocation: true, pki_crl_url: 'http://crl.example.org/ca.crl' }],
    ['proxy', proxy],
    ['proxy', { ...proxy, proxy_trusted_proxies: '::1;127.0.0.1,::ffff:10.0.0.1' }],
    ['session', { session_idle_timeout_minutes: 60, session_absolute_timeout_minutes: 60 }],
  ] as const)('%s %#', (category, changed) => {
    expect(faultsOf(category, settings(changed))).toEqual([]);
  });
});

describe('a setting that is refused', () => {
  it.each<[AuthCategory, Values]>([
    ['ldap', { ldap_enabled: true }],
    ['ldap', { ldap_enabled: true, ldap_username_attr: '', ldap_email_attr: '' }],
    ['ldap', { ...ldap, ldap_tls_ca: 'none' }],
    ['oidc', { oidc_enabled: true }],
    ['pki', { pki_enabled: true, pki_ca_cert: 'none', pki_cert_header: '' }],
    ['proxy', { proxy_enabled: true, proxy_user_header: '', proxy_secret_header: '', proxy_shared_secret: 's' }],
    ['proxy', { ...proxy, proxy_user_header: 'cookie', proxy_secret_header: 'cookie', proxy_shared_secret: 's' }],
  ])('has one message: %s %j', (category, changed) => {
    const paths = faultsOf(category, settings(changed)).map((fault) => fault.path);
    expect(paths.length).toBeGreaterThan(0);
    expect(paths).toEqual([...new Set(paths)]);
  });
  it('has one message for each malformed entry of a list', () => {
    const faults = faultsOf('proxy', settings({ ...proxy, proxy_trusted_proxies: 'one 10.0.0.1 two' }));
    expect(faults.map((fault) => fault.path)).toEqual(['proxy_trusted_proxies', 'proxy_trusted_proxies']);
  });
});

describe('settings that are refused', () => {
  it.each<[AuthCategory, Values, string[]]>([
    ['local', { allow_registration: true, local_enabled: false }, ['allow_registration', 'local_enabled']],
    ['ldap', { ldap_use_ssl: true, ldap_use_tls: true }, ['ldap_use_ssl', 'ldap_use_tls']],
    ['ldap', { ...ldap, ldap_server: '' }, ['ldap_server']],
    ['ldap', { ...ldap, ldap_search_base: '' }, ['ldap_search_base']],
    ['ldap', { ...ldap, ldap_search_base: 'example.org' }, ['ldap_search_base']],
    ['ldap', { ...ldap, ldap_user_search_filter: '(uid={username}' }, ['ldap_user_search_filter']],
    ['ldap', { ...ldap, ldap_bind_dn: 'cn=reader,dc=example,dc=org' }, ['ldap_bind_password']],
    ['ldap', { ...ldap, ldap_user_groups: 'no dn at all' }, ['ldap_user_groups']],
    ['ldap', { ldap_tls_ca: 'no certificate' }, ['ldap_tls_ca']],
    ['ldap', { ldap_tls_ca: authority.replaceAll('CERTIFICATE', 'PRIVATE KEY') }, ['ldap_tls_ca']],
    ['oidc', { ...oidc, oidc_discovery_url: '' }, ['oidc_discovery_url']],
    ['oidc', { ...oidc, oidc_client_id: '' }, ['oidc_client_id']],
    ['oidc', { ...oidc, oidc_callback_url: '' }, ['oidc_callback_url']],
    ['oidc', { oidc_discovery_url: 'id.example.org' }, ['oidc_discovery_url']],
    ['oidc', { oidc_server_url: 'http://id.example.org' }, ['oidc_server_url']],
    ['oidc', { oidc_server_url: 'https://user:pass@id.example.org' }, ['oidc_server_url']],
    ['oidc', { oidc_callback_url: 'javascript:alert(1)' }, ['oidc_callback_url']],
    ['oidc', { oidc_callback_url: 'https://overtone.example.org/login#x' }, ['oidc_callback_url']],
    ['oidc', { oidc_scopes: 'openid "email"' }, ['oidc_scopes']],
    ['pki', { ...pki, pki_trusted_proxies: '' }, ['pki_trusted_proxies']],
    ['pki', { ...pki, pki_trusted_proxies: '10.0.0.0/33' }, ['pki_trusted_proxies']],
    ['pki', { ...pki, pki_ca_cert: '' }, ['pki_ca_cert']],
    ['pki', { pki_ca_cert: authority.replace('MIIB', 'AAAA') }, ['pki_ca_cert']],
    ['pki', { pki_cert_header: 'X Client Cert' }, ['pki_cert_header']],
    ['pki', { pki_cert_header: 'Cookie' }, ['pki_cert_header']],
    ['pki', { ...pki, pki_verify_revocation: true }, ['pki_verify_revocation']],
    ['pki', { pki_crl: authority }, ['pki_crl']],
    ['pki', { pki_crl_url: 'ldap://crl.example.org' }, ['pki_crl_url']],
    ['proxy', { ...proxy, proxy_trusted_proxies: '' }, ['proxy_trusted_proxies']],
    ['proxy', { proxy_trusted_proxies: 'proxy.example.org' }, ['proxy_trusted_proxies']],
    ['proxy', { proxy_trusted_proxies: '10.0.0.1 10.0.0.256' }, ['proxy_trusted_proxies']],
    ['proxy', { ...proxy, proxy_user_header: '' }, ['proxy_user_header']],
    ['proxy', { proxy_user_header: 'X-Überuser' }, ['proxy_user_header']],
    ['proxy', { proxy_groups_header: 'X-Forwarded-For' }, ['proxy_groups_header']],
    ['proxy', { ...proxy, proxy_shared_secret: 's', proxy_secret_header: '' }, ['proxy_secret_header']],
    ['proxy', { proxy_secret_header: 'x-forwarded-user' }, ['proxy_secret_header']],
    [
      'session',
      { session_idle_timeout_minutes: 61, session_absolute_timeout_minutes: 60 },
      ['session_absolute_timeout_minutes', 'session_idle_timeout_minutes'],
    ],
    [
      'lockout',
      { account_lockout_duration_minutes: 60, account_lockout_max_duration_minutes: 59 },
      ['account_lockout_max_duration_minutes', 'account_lockout_duration_minutes'],
    ],
  ])('%s %j at %j', (category, changed, keys) => {
    const faults = faultsOf(category, settings(changed));
    expect([...new Set(faults.map((fault) => fault.path))]).toEqual(keys);
    expect(faults.every((fault) => fault.message.endsWith('.') || fault.message.includes(':'))).toBe(true);
  });
});

describe('valid settings that are probably a mistake', () => {
  it.each<[AuthCategory, Values, RegExp]>([
    ['local', { local_enabled: false }, /super_admin/],
    ['ldap', { ...ldap, ldap_use_ssl: false }, /clear text/],
    ['ldap', ldap, /service account/],
    ['oidc', { ...oidc, oidc_server_url: 'https://other.example.org' }, /oidc_discovery_url counts/],
    ['oidc', { ...oidc, oidc_callback_url: 'https://overtone.example.org/' }, /\/login/],
    ['pki', pki, /Revoked/],
    ['pki', { ...pki, pki_trusted_proxies: '0.0.0.0/0' }, /Every address/],
    ['proxy', { proxy_trusted_proxies: '10.0.0.1, ::/0' }, /Every address/],
    ['password_policy', { password_policy_enabled: false }, /eight characters/],
    ['lockout', { account_lockout_enabled: false }, /guessed/],
    ['lockout', { rate_limit_enabled: false }, /not limited/],
  ])('%s %j', (category, changed, warning) => {
    expect(warningsOf(category, settings(changed)).join('\n')).toMatch(warning);
  });

  it('have no warning when nothing is unusual', () => {
    for (const category of authCategories) expect(warningsOf(category, settings({}))).toEqual([]);
  });
});

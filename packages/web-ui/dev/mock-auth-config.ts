import { randomUUID } from 'node:crypto';
import {
  authSettings,
  type AnswerOf,
  type AuthCategory,
  type authConfigRoutes,
  type AuthSettingDef,
  type UserObject,
} from '@overtone/contracts';
import { json, Refusal, type MockRoute } from './mock-kit.ts';

type Item = AnswerOf<typeof authConfigRoutes.authConfig>[AuthCategory][number];
type Change = AnswerOf<typeof authConfigRoutes.authConfigAudit>[number];
type Value = Item['config_value'];

const stored = new Map<string, Value>([
  ['ldap_server', 'ldaps://ldap.example.org'],
  ['ldap_bind_dn', 'cn=overtone,ou=services,dc=example,dc=org'],
  ['ldap_bind_password', 'secret'],
  ['ldap_user_groups', 'cn=staff,ou=groups,dc=example,dc=org,cn=guests,ou=groups,dc=example,dc=org'],
]);
const changes: (Change & { category: AuthCategory })[] = [];
let remaining = { accounts: 12, sessions: 17 };
const catalogue = Object.entries<AuthSettingDef>(authSettings);

const sensitive = (def: AuthSettingDef): boolean => def.type === 'string' && def.sensitive;
const itemOf = ([key, def]: [string, AuthSettingDef]): Item => ({
  config_key: key,
  config_value: sensitive(def) ? null : (stored.get(key) ?? def.default),
  is_sensitive: sensitive(def),
  is_set: stored.has(key),
  origin: stored.has(key) ? 'stored' : key === 'ldap_search_base' ? 'environment' : 'default',
  category: def.category,
  data_type: def.type,
  default_value: def.default,
  ...(def.type === 'integer' ? { minimum: def.min, maximum: def.max } : {}),
  ...(def.type === 'string' && def.choices ? { choices: [...def.choices] } : {}),
  description: def.description,
  updated_at: null,
  updated_by: null,
});
export const settingsNow = (): Record<string, Value> =>
  Object.fromEntries(catalogue.map(([key, def]) => [key, stored.get(key) ?? def.default]));

const save = (category: AuthCategory, given: Record<string, Value>, me: UserObject) => {
  const after = { ...settingsNow(), ...given };
  if (category === 'ldap' && after['ldap_use_ssl'] && after['ldap_use_tls'])
    throw new Refusal(400, 'settings_invalid', 'ldap_use_tls: LDAPS and StartTLS exclude each other: choose one.', {
      errors: [{ path: 'ldap_use_tls', message: 'LDAPS and StartTLS exclude each other: choose one.' }],
    });
  for (const [key, value] of Object.entries(given)) {
    changes.unshift({
      uuid: randomUUID(),
      config_key: key,
      old_value: key.includes('password') ? '***' : (stored.get(key) ?? null),
      new_value: key.includes('password') ? '***' : value,
      change_type: 'update',
      changed_by: me.email,
      ip_address: '127.0.0.1',
      user_agent: null,
      created_at: new Date().toISOString(),
      category,
    });
    if (value === null || key.endsWith('_clear')) stored.delete(key.replace(/_clear$/, ''));
    else stored.set(key, value);
  }
  const updated_keys = Object.keys(given);
  return {
    success: true,
    message: 'Saved',
    updated_count: updated_keys.length,
    updated_keys,
    warnings: [],
    remaining_sessions: updated_keys.some((key) => key.endsWith('_enabled')) ? { accounts: 12, sessions: 17 } : null,
  };
};

const test = (): AnswerOf<typeof authConfigRoutes.testAuthConfig> => ({
  success: false,
  message: 'The service account was refused.',
  steps: [
    ['resolve', 'Find the server', true, 'ldap.example.org is 192.0.2.10', ''],
    ['connect', 'Connect', true, '192.0.2.10:636', ''],
    ['tls', 'Encrypt', true, 'TLS 1.3, certificate valid until 2027-03-01', ''],
    ['bind', 'Sign in as the service account', false, 'invalidCredentials (49)', 'Check bind DN and password.'],
  ].map(([code, title, ok, evidence, advice], i) => ({
    code: String(code),
    title: String(title),
    ok: ok === true,
    duration_ms: 3 + i * 4.2,
    evidence: String(evidence),
    advice: String(advice),
  })),
  details: { vendor_name: 'OpenLDAP', naming_contexts: ['dc=example,dc=org'] },
});

export const authConfigMock = (me: UserObject): MockRoute[] => [
  [
    'GET',
    /^\/api\/admin\/auth-config$/,
    () =>
      Object.groupBy(catalogue.map(itemOf), (item) => item.category) as AnswerOf<typeof authConfigRoutes.authConfig>,
  ],
  [
    'GET',
    /^\/api\/admin\/auth-config\/audit\/[^/]+$/,
    (context) => {
      const offset = Number(context.url.searchParams.get('offset') ?? 0);
      return changes.filter((change) => change.category === context.parts[4]).slice(offset, offset + 20);
    },
  ],
  ['PUT', /^\/api\/admin\/auth-config\/[^/]+$/, (context) => save(context.parts[3] as AuthCategory, json(context), me)],
  [
    'GET',
    /^\/api\/admin\/auth-config\/[^/]+\/sessions$/,
    (context) => ({ enabled: settingsNow()[`${context.parts[3]}_enabled`] === true, ...remaining }),
  ],
  [
    'DELETE',
    /^\/api\/admin\/auth-config\/[^/]+\/sessions$/,
    () => {
      const { accounts, sessions: sessions_terminated } = remaining;
      remaining = { accounts: 0, sessions: 0 };
      return { success: true, accounts, sessions_terminated };
    },
  ],
  ['POST', /^\/api\/admin\/auth-config\/[^/]+\/test$/, test],
];

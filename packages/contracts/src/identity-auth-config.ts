import { z } from 'zod';
import { routesOf, text, time } from './http.ts';
import { authCategories } from './identity-settings.ts';

const route = routesOf('identity');

const value = z.union([z.boolean(), z.number(), z.string(), z.null()]);
export const authConfigItem = z.object({
  config_key: z.string(),
  /** Always null for a sensitive key; null for a text that is not set. */
  config_value: value,
  is_sensitive: z.boolean(),
  is_set: z.boolean(),
  /**
   * Source of the effective value. Unreadable: the stored value is invalid, or encrypted with a missing key or under another
   * name; a secret then counts as not set, any other setting as not stored.
   */
  origin: z.enum(['stored', 'environment', 'default', 'unreadable']),
  category: z.enum(authCategories),
  data_type: z.enum(['boolean', 'integer', 'string']),
  default_value: value,
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  choices: z.array(z.string()).optional(),
  description: z.string(),
  updated_at: time.nullable(),
  updated_by: z.string().nullable(),
});

/**
 * A flat object of the keys of one category. Each sensitive key also has `<key>_is_set`, which is ignored in requests;
 * `<key>_clear: true` removes the stored secret, which neither null nor an empty text does.
 */
const flat = z.record(text(64), value);
/** Each setting has its own limit; the longest are revocation lists. */
const changes = z.record(text(64), z.union([z.boolean(), z.number(), z.string().max(900_000), z.null()]));
/** The external sources; an account's `auth_type` may name one of them. */
export const signInSources = ['ldap', 'oidc', 'pki', 'proxy'] as const;
export type SignInSource = (typeof signInSources)[number];
const sourceParams = z.object({ category: z.enum(signInSources) });
const sessionCount = z.object({ accounts: z.int(), sessions: z.int() });

const categoryParams = z.object({ category: z.enum(authCategories) });

const connectionStep = z.object({
  code: z.string(),
  title: z.string(),
  ok: z.boolean(),
  duration_ms: z.number(),
  evidence: z.string(),
  /** Advice in one sentence; empty when there is nothing to do. */
  advice: z.string(),
});
export type ConnectionStep = z.infer<typeof connectionStep>;

export const authConfigRoutes = {
  authConfig: route('GET', '/api/admin/auth-config', 'super_admin', {
    summary: 'All sign-in settings by category; secrets are null with is_set',
    answer: z.record(z.enum(authCategories), z.array(authConfigItem)),
  }),
  authConfigStatus: route('GET', '/api/admin/auth-config/status', 'super_admin', {
    summary: 'Which ways to sign in are switched on',
    answer: z.object({
      local_enabled: z.boolean(),
      ldap_enabled: z.boolean(),
      oidc_enabled: z.boolean(),
      pki_enabled: z.boolean(),
      proxy_enabled: z.boolean(),
      password_policy_enabled: z.boolean(),
      account_lockout_enabled: z.boolean(),
      /** Settings with an unreadable stored value. */
      unreadable: z.array(z.string()),
    }),
  }),
  authConfigAudit: route('GET', '/api/admin/auth-config/audit/{category}', 'super_admin', {
    summary: 'Changes of the settings of a category, newest first; secrets are masked',
    params: categoryParams,
    query: z.object({
      limit: z.coerce.number().int().min(1).max(500).default(50),
      offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
    }),
    answer: z.array(
      z.object({
        uuid: z.uuid(),
        config_key: z.string(),
        old_value: value,
        new_value: value,
        change_type: z.enum(['create', 'update', 'delete']),
        changed_by: z.string().nullable(),
        ip_address: z.string().nullable(),
        user_agent: z.string().nullable(),
        created_at: time,
      }),
    ),
  }),
  migrateAuthConfig: route('POST', '/api/admin/auth-config/migrate', 'super_admin', {
    summary: 'Store settings from the environment that have no stored value yet',
    answer: z.object({ success: z.literal(true), migrated_count: z.int(), message: z.string() }),
    errors: ['settings_invalid'],
  }),
  authConfigOf: route('GET', '/api/admin/auth-config/{category}', 'super_admin', {
    summary: 'The settings of a category as a flat object',
    params: categoryParams,
    answer: flat,
  }),
  updateAuthConfig: route('PUT', '/api/admin/auth-config/{category}', 'super_admin', {
    summary:
      'Change settings of a category; null resets a setting to its default, an empty secret keeps the stored one',
    params: categoryParams,
    body: changes,
    answer: z.object({
      success: z.literal(true),
      message: z.string(),
      updated_count: z.int(),
      updated_keys: z.array(z.string()),
      /** Valid settings that are probably unintended. */
      warnings: z.array(z.string()),
      /** Live sessions of a source that this change has switched off, which stay valid until they are ended; else null. */
      remaining_sessions: sessionCount.nullable(),
    }),
    errors: ['settings_invalid', 'secret_required'],
  }),
  sourceSessions: route('GET', '/api/admin/auth-config/{category}/sessions', 'super_admin', {
    summary: 'How many accounts of a source have live sessions, and how many sessions',
    params: sourceParams,
    answer: sessionCount.extend({ enabled: z.boolean() }),
  }),
  endSourceSessions: route('DELETE', '/api/admin/auth-config/{category}/sessions', 'super_admin', {
    summary: 'End the sessions of all accounts of a source that is switched off, except the one of the request',
    params: sourceParams,
    answer: z.object({ success: z.literal(true), accounts: z.int(), sessions_terminated: z.int() }),
    errors: ['source_switched_on'],
  }),
  testAuthConfig: route('POST', '/api/admin/auth-config/{category}/test', 'super_admin', {
    summary:
      'Try the directory, the provider or authorities and revocation lists with unsaved values over the saved ones; nothing is stored',
    params: z.object({ category: z.enum(['ldap', 'oidc', 'pki']) }),
    body: changes,
    answer: z.object({
      success: z.boolean(),
      message: z.string(),
      steps: z.array(connectionStep),
      details: z.record(z.string(), z.unknown()),
    }),
    errors: ['settings_invalid', 'secret_required'],
  }),
};

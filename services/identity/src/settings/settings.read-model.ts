import { authCategories, authSettings, type AuthCategory, type AuthSettingKey } from '@overtone/contracts';
import type { Db } from '../database.ts';
import type { AuthConfig, AuthConfigAudit } from '../generated/client.ts';
import { fallbackOf, isSensitive, keysOf, type Effective, type SettingValue, type Values } from './settings.ts';
import { settingsStore } from './settings.store.ts';
import type { SettingsService } from './settings.service.ts';

type Deps = { db: Db; settings: Pick<SettingsService, 'read' | 'effective'>; environment: Values };
type SettingsSnapshot = { rows: AuthConfig[] } & Effective;

/** The settings for administrators, without the secrets. */
export function createSettingsView({ db, settings, environment }: Deps) {
  return {
    all: async () => {
      const read = await settings.read(db);
      const names = await settingsStore.names(
        db,
        read.rows.map((row) => row.updatedBy),
      );
      return Object.fromEntries(
        authCategories.map((category) => [
          category,
          keysOf(category).map((key) => itemOf({ ...read, environment }, key, names)),
        ]),
      ) as Record<AuthCategory, ReturnType<typeof itemOf>[]>;
    },

    flat: async (category: AuthCategory) => {
      const { values } = await settings.read(db);
      return Object.fromEntries(
        keysOf(category).flatMap((key): [string, SettingValue | null][] =>
          isSensitive(key)
            ? [
                [key, null],
                [`${key}_is_set`, values[key] !== ''],
              ]
            : [[key, toShownValue(values[key])]],
        ),
      );
    },

    status: () => {
      const { values, origins } = settings.effective();
      return {
        local_enabled: values.local_enabled,
        ldap_enabled: values.ldap_enabled,
        oidc_enabled: values.oidc_enabled,
        pki_enabled: values.pki_enabled,
        proxy_enabled: values.proxy_enabled,
        password_policy_enabled: values.password_policy_enabled,
        account_lockout_enabled: values.account_lockout_enabled,
        unreadable: Object.entries(origins).flatMap(([key, origin]) => (origin === 'unreadable' ? [key] : [])),
      };
    },

    history: async (of: { category: AuthCategory; limit: number; offset: number }) => {
      const rows = await settingsStore.history(db, of);
      const names = await settingsStore.names(
        db,
        rows.map((row) => row.changedBy),
      );
      return rows.map((row) => changeOf(row, names));
    },
  };
}

function changeOf(row: AuthConfigAudit, names: ReadonlyMap<string, string>) {
  return {
    uuid: row.id,
    config_key: row.key,
    old_value: (row.oldValue ?? null) as SettingValue | null,
    new_value: (row.newValue ?? null) as SettingValue | null,
    change_type: row.changeType as 'create' | 'update' | 'delete',
    changed_by: nameOf(row.changedBy, names),
    ip_address: row.ipAddress,
    user_agent: row.userAgent,
    created_at: row.createdAt.toISOString(),
  };
}

/** The name of an account; its id when the account was deleted. */
function nameOf(id: string | null | undefined, names: ReadonlyMap<string, string>): string | null {
  return id ? (names.get(id) ?? id) : null;
}

/** Empty texts are shown as null. */
function toShownValue(value: SettingValue): SettingValue | null {
  return value === '' ? null : value;
}

function itemOf(
  read: SettingsSnapshot & { environment: Values },
  key: AuthSettingKey,
  names: ReadonlyMap<string, string>,
) {
  const def = authSettings[key];
  const row = read.rows.find((row) => row.key === key);
  const secret = isSensitive(key);
  return {
    config_key: key,
    config_value: secret ? null : toShownValue(read.values[key]),
    is_sensitive: secret,
    is_set: read.values[key] !== '',
    origin: read.origins[key],
    category: def.category,
    data_type: def.type,
    default_value: secret ? null : toShownValue(fallbackOf(key, read.environment)),
    ...(def.type === 'integer' ? { minimum: def.min, maximum: def.max } : {}),
    ...(def.type === 'string' && def.choices ? { choices: [...def.choices] } : {}),
    description: def.description,
    updated_at: row?.updatedAt.toISOString() ?? null,
    updated_by: nameOf(row?.updatedBy, names),
  };
}

export type SettingsView = ReturnType<typeof createSettingsView>;

import { authSettings, type AuthCategory, type AuthSettingKey, type AuthSettings } from '@overtone/contracts';

export type SettingValue = boolean | number | string;
/** Values by key, for some keys. */
export type Values = { [K in AuthSettingKey]?: SettingValue };

export const settingKeys = Object.keys(authSettings) as AuthSettingKey[];

export function isSettingKey(key: string): key is AuthSettingKey {
  return Object.hasOwn(authSettings, key);
}

export function isSensitive(key: AuthSettingKey): boolean {
  const def = authSettings[key];
  return def.type === 'string' && def.sensitive;
}

export function keysOf(category: AuthCategory): AuthSettingKey[] {
  return settingKeys.filter((key) => authSettings[key].category === category);
}

/** Control characters other than tabs and line breaks, which certificates contain. */
const control = /[^\P{Cc}\t\n\r]/u;

/** Why a value is invalid for this setting, in one sentence; null: it is valid. */
export function valueFault(key: AuthSettingKey, value: unknown): string | null {
  const def = authSettings[key];
  if (def.type === 'boolean') return typeof value === 'boolean' ? null : 'It must be true or false.';
  if (def.type === 'integer') {
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) return 'It must be a whole number.';
    return value < def.min || value > def.max ? `It must be from ${def.min} to ${def.max}.` : null;
  }
  if (typeof value !== 'string') return 'It must be text.';
  if (value.length > def.max) return `It may have at most ${def.max} characters.`;
  if (control.test(value) || !value.isWellFormed()) return 'It must not contain control characters or broken text.';
  if (def.choices && !def.choices.includes(value)) return `It must be one of: ${def.choices.join(', ')}.`;
  return null;
}

/** The origin of an effective value. Unreadable: the stored value is invalid or cannot be unsealed. */
export type Origin = 'stored' | 'environment' | 'default' | 'unreadable';
export type Effective = { values: AuthSettings; origins: Readonly<Record<AuthSettingKey, Origin>> };

/** The stored values; undefined: the stored value is unreadable. */
export type Stored = ReadonlyMap<AuthSettingKey, SettingValue | undefined>;

/** The value while nothing is stored. */
export function fallbackOf(key: AuthSettingKey, environment: Values): SettingValue {
  return environment[key] ?? authSettings[key].default;
}

function oneOf(key: AuthSettingKey, stored: Stored, environment: Values): { value: SettingValue; origin: Origin } {
  const fallback = fallbackOf(key, environment);
  if (!stored.has(key)) return { value: fallback, origin: environment[key] === undefined ? 'default' : 'environment' };
  const value = stored.get(key);
  if (value !== undefined && valueFault(key, value) === null) return { value, origin: 'stored' };
  // An unreadable secret is empty: the secret of the environment might be for another server.
  return { value: isSensitive(key) ? '' : fallback, origin: 'unreadable' };
}

/** The precedence for each setting: stored, environment, default. */
export function effective(stored: Stored, environment: Values): Effective {
  const values: Record<string, SettingValue> = {};
  const origins: Record<string, Origin> = {};
  for (const key of settingKeys) {
    const { value, origin } = oneOf(key, stored, environment);
    values[key] = value;
    origins[key] = origin;
  }
  return { values: Object.freeze(values) as AuthSettings, origins: Object.freeze(origins) as Effective['origins'] };
}

/** The stored values after the changes; undefined removes a value. */
export function storedAfter(
  before: Stored,
  changes: readonly { key: AuthSettingKey; to: SettingValue | undefined }[],
): Stored {
  const stored = new Map(before);
  for (const { key, to } of changes) {
    if (to === undefined) stored.delete(key);
    else stored.set(key, to);
  }
  return stored;
}

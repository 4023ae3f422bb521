import { authSettings, type AuthCategory, type AuthSettingKey, type AuthSettings } from '@overtone/contracts';

/** The effective sign-in settings, read at every use: a change applies from the next request on. */
export type Settings = { current: () => AuthSettings };
/** The same with the origin of each value. */
export type SettingsWithOrigins = Settings & { effective: () => Effective };

export type SettingValue = boolean | number | string;
/** Values by key, for some keys. */
export type Values = { [K in AuthSettingKey]?: SettingValue };

export const settingKeys = Object.keys(authSettings) as AuthSettingKey[];
export const isSettingKey = (key: string): key is AuthSettingKey => Object.hasOwn(authSettings, key);
export const isSensitive = (key: AuthSettingKey): boolean => {
  const def = authSettings[key];
  return def.type === 'string' && def.sensitive;
};
export const keysOf = (category: AuthCategory): AuthSettingKey[] =>
  settingKeys.filter((key) => authSettings[key].category === category);

/** Texts may have tabs and line ends, because certificates do; what else controls a terminal has no meaning in any. */
const control = /[^\P{Cc}\t\n\r]/u;

/** Why a value cannot be this setting, in one sentence; null when it can. */
export const valueFault = (key: AuthSettingKey, value: unknown): string | null => {
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
};

/** The origin of an effective value. Unreadable: the stored value is invalid or cannot be unsealed. */
export type Origin = 'stored' | 'environment' | 'default' | 'unreadable';
export type Effective = { values: AuthSettings; origins: Readonly<Record<AuthSettingKey, Origin>> };

/** What is stored, as it could be read; undefined: something is stored, but it could not. */
export type Stored = ReadonlyMap<AuthSettingKey, SettingValue | undefined>;

/** What counts where nothing is stored. */
export const fallbackOf = (key: AuthSettingKey, environment: Values): SettingValue =>
  environment[key] ?? authSettings[key].default;

const oneOf = (key: AuthSettingKey, stored: Stored, environment: Values): { value: SettingValue; origin: Origin } => {
  const fallback = fallbackOf(key, environment);
  if (!stored.has(key)) return { value: fallback, origin: environment[key] === undefined ? 'default' : 'environment' };
  const value = stored.get(key);
  if (value !== undefined && valueFault(key, value) === null) return { value, origin: 'stored' };
  // A secret that cannot be read is no secret: another one in its place would be sent to a server it is not for.
  return { value: isSensitive(key) ? '' : fallback, origin: 'unreadable' };
};

/** Stored before environment before default, setting by setting. */
export const effective = (stored: Stored, environment: Values): Effective => {
  const values: Record<string, SettingValue> = {};
  const origins: Record<string, Origin> = {};
  for (const key of settingKeys) {
    const { value, origin } = oneOf(key, stored, environment);
    values[key] = value;
    origins[key] = origin;
  }
  return { values: Object.freeze(values) as AuthSettings, origins: Object.freeze(origins) as Effective['origins'] };
};

/** What is stored once the given settings are stored, or forgotten where they are undefined. */
export const storedAfter = (
  before: Stored,
  changes: readonly { key: AuthSettingKey; to: SettingValue | undefined }[],
): Stored => {
  const stored = new Map(before);
  for (const { key, to } of changes) {
    if (to === undefined) stored.delete(key);
    else stored.set(key, to);
  }
  return stored;
};

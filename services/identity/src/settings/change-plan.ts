import type { AuthCategory, AuthSettingKey } from '@overtone/contracts';
import { invalid, type AppError } from '@overtone/service-kit';
import {
  fallbackOf,
  isSensitive,
  isSettingKey,
  keysOf,
  valueFault,
  type Effective,
  type SettingValue,
  type Stored,
  type Values,
} from './settings.ts';

export type Fault = { path: string; message: string };
/** The change of one setting. */
export type Change = {
  key: AuthSettingKey;
  /** The effective value before; undefined when it is unreadable. */
  from: SettingValue | undefined;
  /** The new stored value; undefined: none, the value of the environment or the default applies. */
  to: SettingValue | undefined;
  /** Whether a value was stored before. */
  stored: boolean;
};
type Before = { stored: Stored } & Effective;

const isSetSuffix = /_is_set$/;
const clearSuffix = /_clear$/;

type RequestedChange = { key: AuthSettingKey; value: SettingValue | null };

/** Settings that are stored even with the default value, because a stored one counts as configured. */
const alwaysStored: ReadonlySet<AuthSettingKey> = new Set(['oidc_admin_role']);

/** The changes of a body. Values equal to the environment's or the default are usually not stored. */
export function planChanges(
  category: AuthCategory,
  body: Record<string, unknown>,
  before: Before,
  environment: Values,
): { changes: Change[]; faults: Fault[] } {
  const { requested, faults } = requestedChangesOf(category, body);
  const changes = requested.flatMap(({ key, value }): Change[] => {
    const stored = before.stored.has(key);
    if (stored && value !== null && before.stored.get(key) === value) return [];
    const isFallback = value === fallbackOf(key, environment) && !alwaysStored.has(key);
    const to = value === null || isFallback ? undefined : value;
    if (to === undefined && !stored) return [];
    const from = before.origins[key] === 'unreadable' ? undefined : before.values[key];
    return [{ key, from: from === '' ? undefined : from, to, stored }];
  });
  return { changes, faults };
}

/** The requested values of a body; null: back to the value of the environment or the default. */
function requestedChangesOf(
  category: AuthCategory,
  body: Record<string, unknown>,
): { requested: RequestedChange[]; faults: Fault[] } {
  const requested: RequestedChange[] = [];
  const faults: Fault[] = [];
  for (const [name, given] of Object.entries(body)) {
    if (secretOf(name, isSetSuffix, category)) continue;
    const cleared = secretOf(name, clearSuffix, category);
    if (cleared) {
      if (typeof given !== 'boolean') faults.push({ path: name, message: 'It must be true or false.' });
      if (given === true && body[cleared]) faults.push({ path: name, message: `Either that or a new ${cleared}.` });
      else if (given === true) requested.push({ key: cleared, value: null });
      continue;
    }
    if (!isSettingKey(name) || !keysOf(category).includes(name)) {
      faults.push({ path: name, message: `There is no such setting in the category ${category}.` });
      continue;
    }
    // The UI sends a secret that it does not know as empty: it stays unchanged.
    if (isSensitive(name) && (given === null || given === '')) continue;
    const value = typeof given === 'string' && !isSensitive(name) ? given.trim() : given;
    const fault = value === null ? null : valueFault(name, value);
    if (fault) faults.push({ path: name, message: fault });
    else requested.push({ key: name, value: value as SettingValue | null });
  }
  return { requested, faults };
}

/** The secret that `<key>_is_set` or `<key>_clear` refers to. */
function secretOf(name: string, suffix: RegExp, category: AuthCategory): AuthSettingKey | undefined {
  const key = name.replace(suffix, '');
  return suffix.test(name) && keysOf(category).includes(key as AuthSettingKey) && isSensitive(key as AuthSettingKey)
    ? (key as AuthSettingKey)
    : undefined;
}

/** Creates the error with all faults of settings and their keys. */
export function settingsInvalid(faults: readonly Fault[]): AppError {
  return invalid('settings_invalid', faults.map((fault) => `${fault.path}: ${fault.message}`).join(' '), {
    errors: [...faults],
  });
}

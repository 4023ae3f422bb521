import type { AuthCategory, AuthSettingKey } from '@overtone/contracts';
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
/** One setting's way from one value to another. */
export type Change = {
  key: AuthSettingKey;
  /** The effective value before; undefined when it could not be read. */
  from: SettingValue | undefined;
  /** What is stored from now on; undefined: nothing, the environment or the default counts. */
  to: SettingValue | undefined;
  /** Whether something was stored before. */
  stored: boolean;
};
type Before = { stored: Stored } & Effective;

const isSetSuffix = /_is_set$/;
const clearSuffix = /_clear$/;

/** The secret that `<key>_is_set` or `<key>_clear` speaks of. */
const secretOf = (name: string, suffix: RegExp, category: AuthCategory): AuthSettingKey | undefined => {
  const key = name.replace(suffix, '');
  return suffix.test(name) && keysOf(category).includes(key as AuthSettingKey) && isSensitive(key as AuthSettingKey)
    ? (key as AuthSettingKey)
    : undefined;
};

type Wish = { key: AuthSettingKey; value: SettingValue | null };

/** What a body asks for: settings with their values; null: back to the environment's or the default. */
const wishesOf = (category: AuthCategory, body: Record<string, unknown>): { wishes: Wish[]; faults: Fault[] } => {
  const wishes: Wish[] = [];
  const faults: Fault[] = [];
  for (const [name, given] of Object.entries(body)) {
    if (secretOf(name, isSetSuffix, category)) continue;
    const cleared = secretOf(name, clearSuffix, category);
    if (cleared) {
      if (typeof given !== 'boolean') faults.push({ path: name, message: 'It must be true or false.' });
      if (given === true && body[cleared]) faults.push({ path: name, message: `Either that or a new ${cleared}.` });
      else if (given === true) wishes.push({ key: cleared, value: null });
      continue;
    }
    if (!isSettingKey(name) || !keysOf(category).includes(name)) {
      faults.push({ path: name, message: `There is no such setting in the category ${category}.` });
      continue;
    }
    // Panels send a secret they never saw as empty: that keeps it.
    if (isSensitive(name) && (given === null || given === '')) continue;
    const value = typeof given === 'string' && !isSensitive(name) ? given.trim() : given;
    const fault = value === null ? null : valueFault(name, value);
    if (fault) faults.push({ path: name, message: fault });
    else wishes.push({ key: name, value: value as SettingValue | null });
  }
  return { wishes, faults };
};

/** Settings that count as configured only once they are stored or in the environment, also with the default's value. */
const storedExplicitly: ReadonlySet<AuthSettingKey> = new Set(['oidc_admin_role']);

/** The differences that a body makes. What equals the environment's or the default's value is usually not stored. */
export const plan = (
  category: AuthCategory,
  body: Record<string, unknown>,
  before: Before,
  environment: Values,
): { changes: Change[]; faults: Fault[] } => {
  const { wishes, faults } = wishesOf(category, body);
  const changes = wishes.flatMap(({ key, value }): Change[] => {
    const stored = before.stored.has(key);
    if (stored && value !== null && before.stored.get(key) === value) return [];
    const isFallback = value === fallbackOf(key, environment) && !storedExplicitly.has(key);
    const to = value === null || isFallback ? undefined : value;
    if (to === undefined && !stored) return [];
    const from = before.origins[key] === 'unreadable' ? undefined : before.values[key];
    return [{ key, from: from === '' ? undefined : from, to, stored }];
  });
  return { changes, faults };
};

import { unseal, type KeyRing } from '@overtone/service-kit';
import type { Db, Tx } from '../database.ts';
import type { AuthConfig } from '../generated/client.ts';
import { effective, isSettingKey, type Effective, type SettingValue, type Stored, type Values } from './settings.ts';
import { settingsStore } from './settings.store.ts';

/** What is stored and what comes of it, as one transaction sees it. */
export type ReadSettings = (tx: Db | Tx) => Promise<{ rows: AuthConfig[]; stored: Stored } & Effective>;

const opened = (row: AuthConfig, rings: readonly KeyRing[]): SettingValue | undefined => {
  const { key, keyId, value, isSensitive } = row;
  if (!isSensitive) return value as SettingValue;
  if (keyId === null || typeof value !== 'string') return undefined;
  for (const ring of rings) {
    const secret = unseal(ring, key, { keyId, text: value });
    if (secret !== null) return secret;
  }
  return undefined;
};

/** Reads the settings with their secrets opened. */
export const createReader = (environment: Values, keyRing: () => KeyRing): ReadSettings => {
  return async (tx) => {
    // Keys may be exchanged at any moment: whatever sealed the rows is among those of before or those of after.
    const before = keyRing();
    const rows = await settingsStore.all(tx);
    const rings = [keyRing(), before];
    const stored = new Map(
      rows.flatMap((row) => (isSettingKey(row.key) ? [[row.key, opened(row, rings)] as const] : [])),
    );
    return { rows, stored, ...effective(stored, environment) };
  };
};

import { unseal, type KeyRing } from '@overtone/service-kit';
import type { Db, Tx } from '../database.ts';
import type { AuthConfig } from '../generated/client.ts';
import { effective, isSettingKey, type Effective, type SettingValue, type Stored, type Values } from './settings.ts';
import { settingsStore } from './settings.store.ts';

/** The stored rows, their values and the effective settings, read in one transaction. */
export type ReadSettings = (tx: Db | Tx) => Promise<{ rows: AuthConfig[]; stored: Stored } & Effective>;

/** Reads the settings and unseals their secrets. */
export function createReader(environment: Values, keyRing: () => KeyRing): ReadSettings {
  return async (tx) => {
    // The keys may be replaced at any moment: the rows are sealed with a key of before or after the read.
    const before = keyRing();
    const rows = await settingsStore.all(tx);
    const rings = [keyRing(), before];
    const stored = new Map(
      rows.flatMap((row) => (isSettingKey(row.key) ? [[row.key, unsealRow(row, rings)] as const] : [])),
    );
    return { rows, stored, ...effective(stored, environment) };
  };
}

function unsealRow(row: AuthConfig, rings: readonly KeyRing[]): SettingValue | undefined {
  const { key, keyId, value, isSensitive } = row;
  if (!isSensitive) return value as SettingValue;
  if (keyId === null || typeof value !== 'string') return undefined;
  for (const ring of rings) {
    const secret = unseal(ring, key, { keyId, text: value });
    if (secret !== null) return secret;
  }
  return undefined;
}

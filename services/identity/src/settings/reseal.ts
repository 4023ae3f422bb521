import { seal, unseal, type KeyRing } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { resealLedgerKeys } from '../erasure/erasure.store.ts';
import { settingsStore } from './settings.store.ts';

export type ResealResult = { resealed: number; unreadable: string[] };

/**
 * Seals all stored secrets with the first key, in one transaction. Secrets that no key can unseal stay unchanged.
 * Settings cannot change in between, and later changes use the new key.
 */
export function reseal(db: Db, keyRing: () => KeyRing): Promise<ResealResult> {
  return db.$transaction(async (tx) => {
    await settingsStore.lock(tx);
    const ring = keyRing();
    const result: ResealResult = { resealed: 0, unreadable: [] };
    for (const row of await settingsStore.all(tx)) {
      const { key, keyId, value, isSensitive } = row;
      if (!isSensitive || keyId === ring[0].id) continue;
      const secret = typeof value === 'string' && keyId !== null ? unseal(ring, key, { keyId, text: value }) : null;
      if (secret === null) result.unreadable.push(key);
      else {
        await settingsStore.reseal(tx, row, seal(ring, key, secret));
        result.resealed += 1;
      }
    }
    // Entries of the ledger made while this runs have the first key.
    result.resealed += await resealLedgerKeys(tx, ring);
    return result;
  });
}

import { seal, unseal, type KeyRing } from '@overtone/service-kit';
import { txOptions, type Db } from '../database.ts';
import { settingsStore } from './settings.store.ts';

export type Resealed = { resealed: number; unreadable: string[] };

/**
 * Seals every stored secret with the first key, all of them or none. Secrets that none of the keys opens stay as they
 * are. No setting changes in between, and later changes use the new key.
 */
export const reseal = (db: Db, keyRing: () => KeyRing): Promise<Resealed> =>
  db.$transaction(async (tx) => {
    await settingsStore.lock(tx);
    const ring = keyRing();
    const result: Resealed = { resealed: 0, unreadable: [] };
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
    return result;
  }, txOptions);

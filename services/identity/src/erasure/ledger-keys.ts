import {
  sealHashKey,
  sealKey,
  unsealHashKey,
  type HashKey,
  type KeyRing,
  type SealedHashKey,
} from '@overtone/service-kit';
import type { Db, Tx } from '../database.ts';

/** What the hashes of the ledger are made of. */
export const ledgerPurposes = ['erasure subject', 'erasure address'] as const;
type Row = SealedHashKey & { id: string };

/** The hash keys of the entries from before the key in use. */
export async function readLedgerKeys(db: Db | Tx, ring: KeyRing): Promise<HashKey[]> {
  return (await listSealed(db)).flatMap((row) => unsealHashKey(ring, row) ?? []);
}

/**
 * Seals the hash keys of all entries with the first key of the ring, so that an address can still be compared with them when
 * the other keys are deleted. @returns the number of keys that were sealed.
 */
export async function resealLedgerKeys(tx: Tx, ring: KeyRing): Promise<number> {
  const known = await listSealed(tx);
  let sealed = 0;
  for (const row of known) {
    const key = row.sealedBy === ring[0].id ? null : unsealHashKey(ring, row);
    if (key === null) continue;
    const { sealedBy, text } = sealKey(ring, key);
    await tx.$executeRaw`update erasure_key set sealed_by = ${sealedBy}, text = ${text} where uuid = ${row.id}::uuid`;
    sealed += 1;
  }
  const used = await tx.$queryRaw<{ keyId: string }[]>`select distinct key_id as "keyId" from erasure`;
  for (const { keyId } of used) {
    if (keyId === ring[0].id) continue;
    for (const purpose of ledgerPurposes) {
      if (known.some((row) => row.keyId === keyId && row.purpose === purpose)) continue;
      const row = sealHashKey(ring, { keyId, purpose });
      if (row === null) continue;
      await tx.$executeRaw`
        insert into erasure_key (key_id, purpose, sealed_by, text)
        values (${row.keyId}, ${row.purpose}, ${row.sealedBy}, ${row.text})`;
      sealed += 1;
    }
  }
  return sealed;
}

function listSealed(db: Db | Tx): Promise<Row[]> {
  return db.$queryRaw<Row[]>`
    select uuid::text as id, key_id as "keyId", purpose, sealed_by as "sealedBy", text from erasure_key`;
}

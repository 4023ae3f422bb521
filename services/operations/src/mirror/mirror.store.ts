import type { ListedObject } from '@overtone/object-store';
import type { Db } from '../database.ts';

/** What the table knows of an object that this run has listed in the source. */
export type Known = {
  key: string;
  bytes: bigint;
  etag: string;
  sha256: string;
  /** Size in the mirror; null: it is not there. */
  seenBytes: bigint | null;
};
export type Mirrored = { key: string; bytes: number; etag: string; sha256: string };

export type MirrorPass = { db: Db; runId: string; destination: string };

export const mirrorStore = {
  /** Of another mirror nothing is known to be in this one. */
  forgetOthers: async ({ db, destination }: MirrorPass): Promise<void> =>
    void (await db.$executeRaw`delete from mirror_object where destination <> ${destination}`),

  /** Notes what the mirror contains. A row without a hash is an object that no run has copied or compared. */
  seen: async ({ db, runId, destination }: MirrorPass, listed: readonly ListedObject[]): Promise<void> =>
    void (await db.$executeRaw`
      insert into mirror_object (key, bytes, etag, sha256, seen_by, seen_bytes, destination)
      select key, bytes, '', '', ${runId}::uuid, bytes, ${destination}
      from unnest(${listed.map(({ key }) => key)}::text[], ${listed.map(({ bytes }) => BigInt(bytes))}::bigint[]) as l (key, bytes)
      on conflict (key) do update set seen_by = excluded.seen_by, seen_bytes = excluded.seen_bytes`),

  /** Notes that the source contains these objects, and returns what is known of them. */
  listed: async ({ db, runId }: MirrorPass, keys: readonly string[]): Promise<Map<string, Known>> => {
    const rows = await db.$queryRaw<Known[]>`
      update mirror_object set listed_by = ${runId}::uuid where key = any(${keys}::text[])
      returning key, bytes, etag, sha256, case when seen_by = ${runId}::uuid then seen_bytes end as "seenBytes"`;
    return new Map(rows.map((row) => [row.key, row]));
  },

  record: async ({ db, runId, destination }: MirrorPass, { key, bytes, etag, sha256 }: Mirrored): Promise<void> =>
    void (await db.$executeRaw`
      insert into mirror_object (key, bytes, etag, sha256, seen_by, seen_bytes, listed_by, destination)
      values (${key}, ${bytes}, ${etag}, ${sha256}, ${runId}::uuid, ${bytes}, ${runId}::uuid, ${destination})
      on conflict (key) do update set bytes = excluded.bytes, etag = excluded.etag, sha256 = excluded.sha256,
        seen_by = excluded.seen_by, seen_bytes = excluded.seen_bytes, listed_by = excluded.listed_by,
        destination = excluded.destination, mirrored_at = now()`),

  /** Objects that the database names and this run has not listed, in pages after `after`. */
  unlisted: ({ db, runId }: MirrorPass, after: string, limit: number): Promise<{ key: string }[]> =>
    db.$queryRaw<{ key: string }[]>`
      select f.object_key as key from media_file f
      where f.object_key > ${after} and f.recording_removed_at is null
        and not exists (select 1 from mirror_object m where m.key = f.object_key and m.listed_by = ${runId}::uuid)
      order by f.object_key limit ${limit}`,

  count: (db: Db): Promise<number> => db.mirrorObject.count(),
};

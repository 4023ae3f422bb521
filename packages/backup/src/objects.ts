import type { ObjectStore } from '@overtone/object-store';
import { withClient } from './client.ts';

/** Recordings whose object is missing, and folders of objects that no recording names. */
export type ObjectReport = { missing: { title: string; key: string }[]; unknown: string[] };

/** Compares the recordings in a database with the objects of a store. */
export async function compareObjects(databaseUrl: string, store: Pick<ObjectStore, 'list'>): Promise<ObjectReport> {
  const { rows: files } = await withClient(
    databaseUrl,
    async (client) =>
      await client.query<{ uuid: string; title: string; object_key: string }>(
        // Of a recording that is not downloaded yet, or was removed by a retention rule, no object is missing. A backup of
        // an older version has no such column.
        `select uuid, title, object_key from media_file f
         where object_key <> '' and to_jsonb(f) ->> 'recording_removed_at' is null order by object_key`,
      ),
  );
  const missing = new Map(files.map((file) => [file.object_key, { key: file.object_key, title: file.title }]));
  const known = new Set(files.map(({ uuid }) => uuid));
  const unknown = new Set<string>();
  for (const root of ['files/', 'derived/']) {
    for await (const { key } of store.list(root)) {
      missing.delete(key);
      const id = key.split('/')[1] ?? '';
      if (!known.has(id)) unknown.add(`${root}${id}/`);
    }
  }
  return { missing: [...missing.values()], unknown: [...unknown] };
}

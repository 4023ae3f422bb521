import { join } from 'node:path';
import type { VoiceVersion } from '@overtone/contracts';
import type * as lancedb from '@lancedb/lancedb';
import type { Table } from '@lancedb/lancedb';
import { Field, FixedSizeList, Float32, Float64, Schema, Utf8 } from 'apache-arrow';
import AsyncLock from 'async-lock';
import { createFolderCheck } from './lancedb-folder.ts';
import { literal } from './lancedb-filter.ts';
import { removableBefore } from './lancedb-maintenance.ts';
import { connectLance } from './lancedb-tables.ts';
import { checkedId } from './search-index.ts';
import { assertDimension, tableOf, versionOf, type SpeakerIndex, type VoiceRow } from './speaker-index.ts';

type Stored = { speaker_id: string; file_id: string; seconds: number; vector: Iterable<number> };

/** Deletions and small writes leave fragments; this many are joined. */
const writesBeforeCompaction = 200;

/** The embedded speaker index: LanceDB tables in a folder of their own, for one process. */
export function createLanceSpeakers(folder: { directory: string; requiresMarker?: boolean | undefined }): SpeakerIndex {
  const lock = new AsyncLock({ maxPending: Infinity });
  const engine = connectLance(join(folder.directory, 'speakers'));
  const writes = new Map<VoiceVersion, number>();

  const requireFolder = createFolderCheck(folder);

  const open = async (version: VoiceVersion): Promise<Table | null> => {
    await requireFolder();
    const { db } = await engine.load();
    return (await db.tableNames()).includes(tableOf(version)) ? db.openTable(tableOf(version)) : null;
  };
  const createTable = async (version: VoiceVersion): Promise<Table> =>
    (await engine.load()).db.createEmptyTable(tableOf(version), schemaOf(version), { mode: 'overwrite' });
  /** Concurrent writes of LanceDB conflict. */
  const serialize = <T>(work: () => Promise<T>): Promise<T> =>
    lock.acquire('write', async () => {
      await requireFolder();
      return await work();
    });

  const compact = async (version: VoiceVersion, table: Table): Promise<void> => {
    const count = (writes.get(version) ?? 0) + 1;
    writes.set(version, count % writesBeforeCompaction);
    if (count === writesBeforeCompaction) await table.optimize({ cleanupOlderThan: removableBefore() });
  };

  return {
    create: (version) => serialize(async () => void (await createTable(version))),
    replaceFile: (version, fileId, rows) =>
      serialize(async () => {
        assertDimension(version, rows);
        const existing = await open(version);
        if (!existing && rows.length === 0) return;
        const table = existing ?? (await createTable(version));
        // Tables that were made earlier contain it.
        if ((await table.schema()).fields.some(({ name }) => name === 'owner_id'))
          await table.dropColumns(['owner_id']);
        await replaceRows((await engine.load()).lance, table, { version, fileId, rows });
        await compact(version, table);
      }),
    read: async (version, speakerIds) => {
      const table = speakerIds.length === 0 ? null : await open(version);
      if (!table) return [];
      const ids = speakerIds.map((id) => literal(checkedId(id))).join(', ');
      const found = (await table.query().where(`speaker_id in (${ids})`).toArray()) as Stored[];
      return found.map((row) => ({
        speakerId: row.speaker_id,
        fileId: row.file_id,
        seconds: row.seconds,
        vector: Float32Array.from(row.vector),
      }));
    },
    countByFile: async (version) => {
      const counts = new Map<string, number>();
      const table = await open(version);
      const rows = ((await table?.query().select(['file_id']).toArray()) ?? []) as Pick<Stored, 'file_id'>[];
      for (const { file_id: fileId } of rows) counts.set(fileId, (counts.get(fileId) ?? 0) + 1);
      return counts;
    },
    drop: (version) =>
      serialize(async () => {
        const { db } = await engine.load();
        if ((await db.tableNames()).includes(tableOf(version))) await db.dropTable(tableOf(version));
      }),
    purge: async (versions) => {
      for (const version of versions)
        await serialize(async () => {
          const table = await open(version);
          if (!table) return;
          // Rows are deleted by writing all others again: see `optimizerModes`.
          if ((await table.countRows()) > 0) await table.update({ where: 'true', valuesSql: { file_id: 'file_id' } });
          await table.optimize({ cleanupOlderThan: new Date() });
        });
    },
    close: () => lock.acquire('write', engine.close),
  };
}

function schemaOf(version: VoiceVersion): Schema {
  const { dimension } = versionOf(version);
  return new Schema([
    ...['speaker_id', 'file_id'].map((name) => new Field(name, new Utf8(), false)),
    new Field('seconds', new Float64(), false),
    new Field('vector', new FixedSizeList(dimension, new Field('item', new Float32(), true)), false),
  ]);
}

type Replacement = { version: VoiceVersion; fileId: string; rows: readonly VoiceRow[] };

async function replaceRows(lance: typeof lancedb, table: Table, { version, fileId, rows }: Replacement): Promise<void> {
  const where = `file_id = ${literal(checkedId(fileId))}`;
  if (rows.length === 0) return void (await table.delete(where));
  const stored = rows.map(({ speakerId, seconds, vector }) => ({
    speaker_id: speakerId,
    file_id: fileId,
    seconds,
    vector: Array.from(vector),
  }));
  await table
    .mergeInsert('speaker_id')
    .whenMatchedUpdateAll()
    .whenNotMatchedInsertAll()
    .whenNotMatchedBySourceDelete({ where })
    .execute(lance.makeArrowTable(stored, { schema: schemaOf(version) }));
}

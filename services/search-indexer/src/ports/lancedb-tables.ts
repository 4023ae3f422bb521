import type * as lancedb from '@lancedb/lancedb';
import type { Connection, Table } from '@lancedb/lancedb';
import { cachedFor, type Log } from '@overtone/service-kit';
import { buildTable, type BuildsFile } from './lancedb-builds.ts';
import { createRowIndices } from './lancedb-maintenance.ts';
import { createRowIdCache, type RowIdCache } from './lancedb-row-ids.ts';
import { schemaOf } from './lancedb-rows.ts';
import { readProbes } from './lancedb-vector-index.ts';
import type { Build } from './search-index.ts';

/** Bytes of index data kept in memory; LanceDB itself would take up to 6 GB. */
const cacheBytes = { index: 96n << 20n, metadata: 16n << 20n };

/** Maintenance may build the vector index again with more partitions. */
const probesCacheMs = 10_000;

type Engine = { lance: typeof lancedb; db: Connection };
/** An open table with its row id cache. `probes`: the partitions that a query by vector must scan, see `readProbes`. */
export type OpenTable = { lance: typeof lancedb; table: Table; rowIds: RowIdCache; probes: () => Promise<number> };
export type LanceTables = ReturnType<typeof createLanceTables>;

/** The tables of the builds. */
export function createLanceTables({ directory, file, log }: { directory: string; file: BuildsFile; log: Log }) {
  const opened = new Map<string, Promise<OpenTable>>();
  const engine = connectLance(directory);

  const remember = (build: string, opening: Promise<OpenTable>): Promise<OpenTable> => {
    opened.set(build, opening);
    opening.catch(() => opened.delete(build));
    return opening;
  };
  const openTable = async (build: string): Promise<OpenTable> => {
    const { lance, db } = await engine.load();
    return open({ lance, table: await db.openTable(buildTable(build)), log });
  };

  return {
    open: (build: string): Promise<OpenTable> => opened.get(build) ?? remember(build, openTable(build)),
    create: async ({ id, model }: Build): Promise<void> => {
      const { lance, db } = await engine.load();
      const { current, building } = await file.read();
      await dropUnknownTables(db, [current, building]);
      const table = await db.createEmptyTable(buildTable(id), schemaOf(model?.dim ?? null));
      await createRowIndices(lance, table);
      await remember(id, Promise.resolve(open({ lance, table, log })));
    },
    drop: async (build: string): Promise<void> => {
      const { db } = await engine.load();
      opened.delete(build);
      await db.dropTable(buildTable(build)).catch((err: unknown) => log.warn({ err }, 'old index removal failed'));
    },
    isEngineLoaded: engine.isLoaded,
    /** Tables are released when nothing uses them: closing one fails while a call is in progress. */
    close: engine.close,
  };
}

/** The engine (100 MB of native code) is loaded and connected at the first use; after a failure again at the next one. */
export function connectLance(directory: string) {
  let engine: Promise<Engine> | undefined;
  return {
    load: (): Promise<Engine> => {
      engine ??= connect(directory).catch((err: unknown) => {
        engine = undefined;
        throw err;
      });
      return engine;
    },
    isLoaded: (): boolean => engine !== undefined,
    close: async (): Promise<void> => (await engine)?.db.close(),
  };
}

async function connect(directory: string): Promise<Engine> {
  const lance = await import('@lancedb/lancedb');
  const session = new lance.Session(cacheBytes.index, cacheBytes.metadata);
  return { lance, db: await lance.connect(directory, {}, session) };
}

function open({ lance, table, log }: { lance: typeof lancedb; table: Table; log: Log }): OpenTable {
  const probes = cachedFor(probesCacheMs, () => readProbes(table));
  return { lance, table, rowIds: createRowIdCache(table, log), probes: probes.get };
}

/** Drops tables without a build, left by an interrupted swap or an earlier version. */
async function dropUnknownTables(db: Connection, builds: readonly (Build | null)[]): Promise<void> {
  const known = builds.map((build) => build && buildTable(build.id));
  for (const name of await db.tableNames()) if (!known.includes(name)) await db.dropTable(name);
}

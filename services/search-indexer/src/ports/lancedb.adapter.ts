import { randomBytes } from 'node:crypto';
import type * as lancedb from '@lancedb/lancedb';
import type { Connection, Table } from '@lancedb/lancedb';
import { unavailable, type Log } from '@overtone/service-kit';
import { createBuildsFile, tableOf } from './lancedb-builds.ts';
import { literal } from './lancedb-filter.ts';
import { readPassages, searchLegs, type OpenTable } from './lancedb-legs.ts';
import { createMaintenance, createRowIndices, vectorIndexFrom } from './lancedb-maintenance.ts';
import { createRowIdCache, type RowIdCache } from './lancedb-row-ids.ts';
import { emptyVector, schemaOf, toArrow } from './lancedb-rows.ts';
import { checkedId, type Build, type SearchIndex } from './search-index.ts';

type Lance = typeof lancedb;
type LanceOptions = { directory: string; log: Log; indexFrom?: number };
/** Bytes of index data kept in memory; LanceDB itself would take up to 6 GB. */
const cacheBytes = { index: 96n << 20n, metadata: 16n << 20n };

/**
 * The embedded index: LanceDB tables in a local folder, for one process. The engine (100 MB of native code) is loaded at
 * the first write or search.
 */
export function createLanceIndex({ directory, log, indexFrom = vectorIndexFrom }: LanceOptions): SearchIndex {
  const file = createBuildsFile(directory);
  const tables = new Map<string, Promise<Table>>();
  const rowIdCaches = new WeakMap<Table, RowIdCache>();
  let loaded: Promise<{ lance: Lance; db: Connection }> | undefined;
  let lastWrite: Promise<unknown> = Promise.resolve();
  const maintenance = createMaintenance(log, indexFrom);

  const load = () => {
    loaded ??= connect(directory).catch((e: unknown) => {
      loaded = undefined;
      throw e;
    });
    return loaded;
  };
  const table = (build: string): Promise<Table> => {
    const known = tables.get(build);
    if (known) return known;
    const opening = load().then(({ db }) => db.openTable(tableOf(build)));
    tables.set(build, opening);
    opening.catch(() => tables.delete(build));
    return opening;
  };
  const openTable = async (build: string): Promise<OpenTable> => {
    const [{ lance }, open] = await Promise.all([load(), table(build)]);
    const rowIds = rowIdCaches.get(open) ?? createRowIdCache(open);
    rowIdCaches.set(open, rowIds);
    return { lance, table: open, rowIds };
  };
  /** Serializes writes, because concurrent LanceDB writes conflict over the next version. */
  const serialize = <T>(work: () => Promise<T>): Promise<T> => {
    const own = lastWrite.then(work, work);
    lastWrite = own.catch(() => {});
    return own;
  };
  const current = async (): Promise<Table | null> => {
    const { current: build } = await file.read();
    return build ? table(build.id) : null;
  };
  const create = async (build: Build): Promise<void> => {
    const { lance, db } = await load();
    await dropUnknownTables(db);
    const created = await db.createEmptyTable(tableOf(build.id), schemaOf(build.model?.dim ?? null));
    await createRowIndices(lance, created);
    tables.set(build.id, Promise.resolve(created));
  };
  /** Drops tables without a build, left by an interrupted swap or an earlier version. */
  const dropUnknownTables = async (db: Connection): Promise<void> => {
    const { current: now, building } = await file.read();
    const own = [now, building].map((b) => b && tableOf(b.id));
    for (const name of await db.tableNames()) if (!own.includes(name)) await db.dropTable(name);
  };
  const drop = async (build: string): Promise<void> => {
    const { db } = await load();
    tables.delete(build);
    await db.dropTable(tableOf(build)).catch((e: unknown) => log.warn({ err: e as Error }, 'old index removal failed'));
  };

  return {
    backend: 'lancedb',
    builds: () => file.read(),
    beginBuild: (model, asCurrent) =>
      serialize(async () => {
        const builds = await file.read();
        const existing = asCurrent ? builds.current : builds.building;
        if (existing) return existing;
        const build = { id: Date.now().toString(36) + randomBytes(3).toString('hex'), model };
        await create(build);
        await file.write({ ...builds, [asCurrent ? 'current' : 'building']: build });
        return build;
      }),
    promote: () =>
      serialize(async () => {
        const { current: old, building } = await file.read();
        if (!building) return;
        await maintenance.run((await load()).lance, await table(building.id), { force: true });
        await file.write({ current: building, building: null, completedAt: new Date().toISOString() });
        if (old) await drop(old.id);
      }),
    replaceFile: (buildId, fileId, rows, model) =>
      serialize(async () => {
        const { lance } = await load();
        const target = await table(buildId);
        const builds = await file.read();
        const role = builds.current?.id === buildId ? 'current' : 'building';
        const build = builds[role];
        if (build?.id !== buildId) throw unavailable('search_unavailable', 'This build of the index no longer exists');
        let { model: own } = build;
        if (!own && model) {
          await target.addColumns([{ name: 'vector', valueSql: emptyVector(model.dim) }]);
          await file.write({ ...builds, [role]: { id: buildId, model } });
          own = model;
        }
        const data = toArrow(lance, rows, own?.dim ?? null);
        const ofFile = `file_id = ${literal(checkedId(fileId))}`;
        if (rows.length === 0) await target.delete(ofFile);
        else
          await target
            .mergeInsert('id')
            .whenMatchedUpdateAll()
            .whenNotMatchedInsertAll()
            .whenNotMatchedBySourceDelete({ where: ofFile })
            .execute(data);
        maintenance.wrote();
      }),
    removeFile: (fileId) =>
      serialize(async () => {
        const { current: now, building } = await file.read();
        for (const build of [now, building]) {
          if (build) await (await table(build.id)).delete(`file_id = ${literal(checkedId(fileId))}`);
        }
        maintenance.wrote();
      }),
    search: async (request) => {
      const { current: build } = await file.read();
      if (!build) return { keyword: { status: 'ok', hits: [] }, semantic: { status: 'ok', hits: [] } };
      return searchLegs(await openTable(build.id), build, request);
    },
    passages: async (ids) => {
      const { current: build } = await file.read();
      return build && ids.length > 0 ? readPassages(await openTable(build.id), ids) : [];
    },
    size: async () => (await (await current())?.countRows(`kind = 'passage'`)) ?? 0,
    maintain: async () => {
      if (!maintenance.due()) return;
      await serialize(async () => {
        const t = await current();
        if (t) await maintenance.run((await load()).lance, t, { force: false });
      });
    },
    ping: async () => {
      await file.probe();
      const { current: build } = await file.read();
      // A probe does not load the engine.
      if (build && loaded) await (await table(build.id)).version();
    },
    close: async () => {
      await lastWrite;
      for (const t of tables.values()) (await t).close();
      if (loaded) (await loaded).db.close();
    },
  };
}

async function connect(directory: string): Promise<{ lance: Lance; db: Connection }> {
  const lance = await import('@lancedb/lancedb');
  const session = new lance.Session(cacheBytes.index, cacheBytes.metadata);
  return { lance, db: await lance.connect(directory, {}, session) };
}

import { randomBytes } from 'node:crypto';
import type * as lancedb from '@lancedb/lancedb';
import type { Connection, Table } from '@lancedb/lancedb';
import { unavailable, type Log } from '@overtone/service-kit';
import { createBuildsFile, tableOf } from './lancedb-builds.ts';
import { literal, whereOf } from './lancedb-filter.ts';
import { createMaintenance, createRowIndices, vectorIndexFrom } from './lancedb-maintenance.ts';
import { emptyVector, schemaOf, toArrow } from './lancedb-rows.ts';
import {
  checkedId,
  checkedRowId,
  hitOf,
  type Build,
  type KeywordQuery,
  type LegResult,
  type SearchIndex,
  type SearchRequest,
  type Shown,
} from './search-index.ts';

type Lance = typeof lancedb;
type LanceOptions = { directory: string; log: Log; indexFrom?: number };
/** Bytes of index data kept in memory; LanceDB itself would take up to 6 GB. */
const cacheBytes = { index: 96n << 20n, metadata: 16n << 20n };

/**
 * The embedded index: LanceDB tables in a folder of this machine, for one process. The engine (100 MB of native code)
 * is loaded when the first row is written or searched.
 */
export const createLanceIndex = ({ directory, log, indexFrom = vectorIndexFrom }: LanceOptions): SearchIndex => {
  const file = createBuildsFile(directory);
  const tables = new Map<string, Promise<Table>>();
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
  /** Writes go one after the other: LanceDB would make two of them race for the next version. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = lastWrite.then(work, work);
    lastWrite = mine.catch(() => {});
    return mine;
  };
  const current = async (): Promise<Table | null> => {
    const { current: build } = await file.read();
    return build ? table(build.id) : null;
  };
  const create = async (build: Build): Promise<void> => {
    const { lance, db } = await load();
    await dropStrangers(db);
    const made = await db.createEmptyTable(tableOf(build.id), schemaOf(build.model?.dim ?? null));
    await createRowIndices(lance, made);
    tables.set(build.id, Promise.resolve(made));
  };
  /** Tables that no build names: left by an interrupted swap or an earlier version. */
  const dropStrangers = async (db: Connection): Promise<void> => {
    const { current: now, building } = await file.read();
    const mine = [now, building].map((b) => b && tableOf(b.id));
    for (const name of await db.tableNames()) if (!mine.includes(name)) await db.dropTable(name);
  };
  const drop = async (build: string): Promise<void> => {
    const { db } = await load();
    tables.delete(build);
    await db.dropTable(tableOf(build)).catch((e: unknown) => log.warn({ err: e as Error }, 'old index not removed'));
  };

  return {
    backend: 'lancedb',
    builds: () => file.read(),
    beginBuild: (model, asCurrent) =>
      inTurn(async () => {
        const builds = await file.read();
        const under = asCurrent ? builds.current : builds.building;
        if (under) return under;
        const build = { id: Date.now().toString(36) + randomBytes(3).toString('hex'), model };
        await create(build);
        await file.write({ ...builds, [asCurrent ? 'current' : 'building']: build });
        return build;
      }),
    promote: () =>
      inTurn(async () => {
        const { current: old, building } = await file.read();
        if (!building) return;
        await maintenance.run((await load()).lance, await table(building.id), { force: true });
        await file.write({ current: building, building: null, completedAt: new Date().toISOString() });
        if (old) await drop(old.id);
      }),
    replaceFile: (buildId, fileId, rows, model) =>
      inTurn(async () => {
        const { lance } = await load();
        const target = await table(buildId);
        const builds = await file.read();
        const role = builds.current?.id === buildId ? 'current' : 'building';
        const build = builds[role];
        if (build?.id !== buildId) throw unavailable('search_unavailable', 'This build of the index is gone');
        let { model: own } = build;
        if (!own && model) {
          await target.addColumns([{ name: 'vector', valueSql: emptyVector(model.dim) }]);
          await file.write({ ...builds, [role]: { id: buildId, model } });
          own = model;
        }
        const data = toArrow(lance, rows, own?.dim ?? null);
        const mine = `file_id = ${literal(checkedId(fileId))}`;
        if (rows.length === 0) await target.delete(mine);
        else
          await target
            .mergeInsert('id')
            .whenMatchedUpdateAll()
            .whenNotMatchedInsertAll()
            .whenNotMatchedBySourceDelete({ where: mine })
            .execute(data);
        maintenance.wrote();
      }),
    removeFile: (fileId) =>
      inTurn(async () => {
        const { current: now, building } = await file.read();
        for (const build of [now, building]) {
          if (build) await (await table(build.id)).delete(`file_id = ${literal(checkedId(fileId))}`);
        }
        maintenance.wrote();
      }),
    search: async (request) => {
      const { current: build } = await file.read();
      if (!build) return { keyword: { status: 'ok', hits: [] }, semantic: { status: 'ok', hits: [] } };
      const legs = { lance: (await load()).lance, table: await table(build.id) };
      const [keyword, semantic] = await Promise.all([
        request.keyword ? leg(() => keywordLeg(legs, request)) : notAsked,
        request.vector.then((vector) =>
          vector && build.model ? leg(() => semanticLeg(legs, request, vector)) : notAsked,
        ),
      ]);
      return { keyword, semantic };
    },
    passages: async (ids) => {
      const t = ids.length > 0 ? await current() : null;
      if (!t) return [];
      const where = `id in (${ids.map((id) => literal(checkedRowId(id))).join(', ')})`;
      const found: Columns = await t.query().where(where).select(['shown']).toArrow();
      const shown = found.getChild('shown');
      return Array.from({ length: found.numRows }, (_, i) => JSON.parse(String(shown?.get(i))) as Shown);
    },
    size: async () => (await (await current())?.countRows(`kind = 'passage'`)) ?? 0,
    maintain: async () => {
      if (!maintenance.due()) return;
      await inTurn(async () => {
        const t = await current();
        if (t) await maintenance.run((await load()).lance, t, { force: false });
      });
    },
    ping: async () => {
      const { current: build } = await file.read();
      // A probe is no reason to load the engine.
      if (build && loaded) await (await table(build.id)).version();
    },
    close: async () => {
      await lastWrite;
      for (const t of tables.values()) (await t).close();
      if (loaded) (await loaded).db.close();
    },
  };
};

const connect = async (directory: string): Promise<{ lance: Lance; db: Connection }> => {
  const lance = await import('@lancedb/lancedb');
  const session = new lance.Session(cacheBytes.index, cacheBytes.metadata);
  return { lance, db: await lance.connect(directory, {}, session) };
};

const notAsked: LegResult = { status: 'not_asked' };
const leg = (run: () => Promise<LegResult>): Promise<LegResult> =>
  run().catch((error: unknown): LegResult => ({ status: 'failed', error }));

type Legs = { lance: Lance; table: Table };
// The score columns are named in every select: left to itself LanceDB adds them and writes a warning per query.

const keywordLeg = async ({ lance, table }: Legs, request: SearchRequest): Promise<LegResult> => {
  const asked = request.keyword as KeywordQuery;
  const scored = asked.words.length + asked.phrases.length > 0;
  const where = whereOf(request.filter, scored ? null : 'passage');
  let query = table.query();
  if (scored) query = query.fullTextSearch(toLance(lance, asked));
  if (where) query = query.where(where);
  const found = await query
    .select(scored ? ['id', '_score'] : ['id'])
    .limit(request.keywordLimit)
    .toArrow();
  return { status: 'ok', hits: hitsOf(found, '_score', (s) => s) };
};

const toLance = (lance: Lance, { words, phrases }: KeywordQuery) => {
  const { BooleanQuery, MatchQuery, Occur, Operator, PhraseQuery } = lance;
  const clauses: [lancedb.Occur, lancedb.FullTextQuery][] = phrases.map((alternatives) => [
    Occur.Must,
    new BooleanQuery(alternatives.map((p) => [Occur.Should, phraseOrWord(p)])),
  ]);
  if (words.length > 0)
    clauses.push([Occur.Should, new MatchQuery(words.join(' '), 'terms', { operator: Operator.Or })]);
  return new BooleanQuery(clauses);

  function phraseOrWord(p: string): lancedb.FullTextQuery {
    return p.includes(' ') ? new PhraseQuery(p, 'terms') : new MatchQuery(p, 'terms');
  }
};

const semanticLeg = async ({ table }: Legs, request: SearchRequest, vector: Float32Array): Promise<LegResult> => {
  const where = whereOf(request.filter, null);
  let query = table.query().nearestTo(vector).distanceType('cosine');
  if (where) query = query.where(where);
  const found = await query.select(['id', '_distance']).limit(request.semanticLimit).toArrow();
  return { status: 'ok', hits: hitsOf(found, '_distance', (d) => 1 - d) };
};

type Columns = { numRows: number; getChild: (name: string) => { get: (i: number) => unknown } | null };
const hitsOf = (found: Columns, scoreColumn: string, toScore: (raw: number) => number) => {
  const [ids, scores] = [found.getChild('id'), found.getChild(scoreColumn)];
  return Array.from({ length: found.numRows }, (_, i) =>
    hitOf(String(ids?.get(i)), toScore(Number(scores?.get(i) ?? 1))),
  );
};

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as lancedb from '@lancedb/lancedb';
import { searchRoutes, workerRpc } from '@overtone/contracts';
import { createDatabase as connectDatabase } from '@overtone/database';
import { createBus, createLog, createMetrics, type Log } from '@overtone/service-kit';
import type { Pool } from 'pg';
import { createDatabase, startNats } from '@overtone/testkit';
import { createAccessStore } from '../src/access/access.store.ts';
import { PrismaClient } from '../src/generated/client.ts';
import { createLanceIndex } from '../src/ports/lancedb.adapter.ts';
import { readProbes } from '../src/ports/lancedb-vector-index.ts';
import { createWorkerVectoriser } from '../src/ports/worker-vectoriser.adapter.ts';
import type { IndexRow, SearchIndex } from '../src/ports/search-index.ts';
import { createExclusions } from '../src/search/exclusions.service.ts';
import { createLegs } from '../src/search/legs.service.ts';
import { createCompounds } from '../src/search/compounds.service.ts';
import { createCorrections } from '../src/search/corrections.service.ts';
import { createSearch } from '../src/search/search.service.ts';
import { createSearchStore } from '../src/search/search.store.ts';
import { createTelemetry } from '../src/telemetry.ts';
import { createVocabulary } from '../src/vocabulary/vocabulary.store.ts';
import { variantsOf } from '../src/tokenize/tokenize.ts';
import { createLanguage, createVectors, makeFile, randomOf, type BenchFile } from './library.ts';

type Row = { name: string; ours: string; peer: string; ratio: number | null; goal: string; met: boolean };

const dim = 100;
/** At 100,000 passages. */
const goals = { p50Ms: 8, p99Ms: 25, perSecond: 300, recall: 0.95 };
const passagesPerFile = 100;
const recallQueries = 100;
const owners = Array.from({ length: 50 }, () => randomUUID());
const model = { name: 'bench', dim };

type Started = Awaited<ReturnType<typeof startSearch>>;

/** Hybrid search over 100,000 passages, from the parsed request to the answer, beside the bare engine. */
export async function* measureSearch({ size, folder }: { size: number; folder: string }): AsyncGenerator<Row> {
  const world = await startSearch(folder, Math.max(5_000, Math.round(100_000 * size)));
  try {
    const turns = Math.min(1_000, Math.max(100, Math.round(1_000 * size)));
    yield await quiet(world, turns);
    yield await crowded(world, turns);
    yield await recall(world);
    yield await busy(world, turns);
  } finally {
    await world.stop();
  }
}

/** The service's search with real database, bus and index; only the words are artificial. */
async function startSearch(folder: string, passages: number) {
  const random = randomOf(7);
  const { text, tellingWord } = createLanguage(random);
  const vector = createVectors(random, dim);
  const backends = await startBackends(folder, vector);
  const { db, pool, directory, bus, metrics, log } = backends;
  const newFile = () => {
    const ownerId = owners[Math.floor(random() * owners.length)] ?? '';
    return makeFile({ text, vector, ownerId }, passagesPerFile);
  };
  const build = await fillIndex({ directory, log, pool, newFile, passages });
  const index = createLanceIndex({ directory, log });
  const store = createSearchStore({ db, pool });
  const telemetry = createTelemetry(metrics);
  const legs = createLegs({
    index,
    store,
    vectoriser: createWorkerVectoriser({ bus }),
    telemetry,
    log,
    minSimilarity: 0.2,
  });
  const openPeer = async () => (await lancedb.connect(directory)).openTable(`passages_${build}`);
  const probes = await readProbes(await openPeer());
  const { search } = createSearch({
    index,
    store,
    access: createAccessStore({ db, pool }),
    collections: { filesOf: async () => null, filesNamed: async () => null, countFiles: async () => [] },
    ...legs,
    correct: createCorrections({ index, vocabulary: createVocabulary({ db }) }),
    filesWith: createExclusions({ index }),
    findCompounds: createCompounds({ vocabulary: createVocabulary({ db }) }),
    telemetry,
    log,
  });
  return {
    passages,
    random,
    query: () => Array.from({ length: 1 + Math.floor(random() * 4) }, tellingWord).join(' '),
    vector,
    search,
    addFile: () => putFiles({ index, pool }, build, [newFile()]),
    maintain: () => index.maintain(),
    /** The bare engine on the same rows, and how many partitions it scans for the same recall. */
    peer: openPeer,
    probes,
    stop: async () => {
      await index.close();
      await backends.stop();
    },
  };
}

/** Fills an index, and adds files to it later, as to every index that is in use. @returns the id of the build */
async function fillIndex(parts: {
  directory: string;
  log: Log;
  pool: Pool;
  newFile: () => BenchFile;
  passages: number;
}): Promise<string> {
  const { directory, log, pool, newFile, passages } = parts;
  const index = createLanceIndex({ directory, log, pause: { ms: 0, ofLastRun: 0, readersMs: 0 } });
  await index.beginBuild('current', model);
  const { id } = await index.beginBuild('building', model);
  for (let made = 0; made < passages; made += 50 * passagesPerFile)
    await putFiles({ index, pool }, id, Array.from({ length: 50 }, newFile));
  await index.promote();
  for (let i = 0; i < 20; i++) await putFiles({ index, pool }, id, [newFile()]);
  await index.maintain();
  await index.close();
  return id;
}

/** Database, index and broker, and a worker whose embeddings are random vectors. */
async function startBackends(folder: string, vector: ReturnType<typeof createVectors>) {
  const [nats, database, directory] = await Promise.all([
    startNats(),
    createDatabase(),
    mkdtemp(join(folder, 'search-')),
  ]);
  const log = createLog('search-indexer', { LOG_LEVEL: 'error', LOG_FORMAT: 'text' });
  const metrics = createMetrics();
  const bus = createBus({ service: 'search-indexer', url: nats.url, log });
  const worker = createBus({ service: 'transcription-worker', url: nats.url, log });
  await Promise.all([bus.connect(), worker.connect()]);
  worker.serve(workerRpc.embed, async ({ texts }) => ({
    model: model.name,
    dim,
    vectors: texts.map(() => Buffer.from(vector().buffer).toString('base64')),
  }));
  const env = { DATABASE_URL: database.urlFor('search_indexer'), DB_POOL_SIZE: 4, DB_MAX_OVERFLOW: 4 };
  const { db, pool, part } = connectDatabase(
    { env, name: 'bench', metrics, log },
    (options) => new PrismaClient(options),
  );
  const stop = async (): Promise<void> => {
    await part.stop();
    await Promise.all([bus.close(), worker.close()]);
    await Promise.all([nats.stop(), database.drop(), rm(directory, { recursive: true, force: true })]);
  };
  return { db, pool, directory, bus, metrics, log, stop };
}

/** Adds many files by one write; the rows keep their ids. */
async function putFiles(
  { index, pool }: { index: SearchIndex; pool: Pool },
  build: string,
  files: BenchFile[],
): Promise<void> {
  const rows: IndexRow[] = files.flatMap((file) => file.rows);
  await index.replaceFile(build, files[0]?.fileId ?? '', rows, model);
  await pool.query(
    `insert into index_state (file_id, owner_id, title, chunks, semantic, indexed_at, upload_time, language)
     select f, o, 'A recording', $3, true, now(), now(), 'en' from unnest($1::uuid[], $2::uuid[]) as t (f, o)`,
    [files.map((file) => file.fileId), files.map((file) => file.ownerId), passagesPerFile],
  );
}

async function quiet(world: Started, turns: number): Promise<Row> {
  const table = await world.peer();
  const reranker = await lancedb.rerankers.RRFReranker.create(60);
  const [ours, peers]: [number[], number[]] = [[], []];
  for (let i = 0; i < turns + 20; i++) {
    const our = await timed(() => ourSearch(world));
    const peer = await timed(() => peerSearch(world, table, reranker));
    // Warm-up.
    if (i < 20) continue;
    ours.push(our);
    peers.push(peer);
  }
  table.close();
  return {
    name: `search: hybrid over ${world.passages.toLocaleString('en')} passages`,
    ours: spread(ours),
    peer: `LanceDB alone ${spread(peers)}`,
    ratio: quantile(ours, 0.5) / quantile(peers, 0.5),
    goal: `p50 <= ${goals.p50Ms}, p99 <= ${goals.p99Ms} ms`,
    met: quantile(ours, 0.5) <= goals.p50Ms && quantile(ours, 0.99) <= goals.p99Ms,
  };
}

/** Eight people search without a pause; the peer does the same. */
async function crowded(world: Started, turns: number): Promise<Row> {
  const table = await world.peer();
  const reranker = await lancedb.rerankers.RRFReranker.create(60);
  const ours = await perSecond(turns, () => ourSearch(world));
  const peers = await perSecond(turns, () => peerSearch(world, table, reranker));
  table.close();
  return {
    name: 'search: eight people at once',
    ours: `${ours.toFixed(0)} queries a second`,
    peer: `LanceDB alone ${peers.toFixed(0)}`,
    ratio: ours / peers,
    goal: `>= ${goals.perSecond}`,
    met: ours >= goals.perSecond,
  };
}

async function perSecond(turns: number, search: () => Promise<void>): Promise<number> {
  const started = performance.now();
  let left = turns;
  const person = async (): Promise<void> => {
    while (left-- > 0) await search();
  };
  await Promise.all(Array.from({ length: 8 }, person));
  return (turns * 1000) / (performance.now() - started);
}

/** The share of the ten nearest windows that the vector index finds, of those that an exact scan finds. */
async function recall(world: Started): Promise<Row> {
  const table = await world.peer();
  const nearest = async (vector: Float32Array, exact: boolean): Promise<unknown[]> => {
    const query = table.query().nearestTo(vector).distanceType('cosine').nprobes(world.probes);
    const rows = await (exact ? query.bypassVectorIndex() : query).select(['id', '_distance']).limit(10).toArray();
    return rows.map((row: { id: unknown }) => row.id);
  };
  let found = 0;
  for (let i = 0; i < recallQueries; i++) {
    const vector = world.vector();
    const [approximate, exact] = [await nearest(vector, false), await nearest(vector, true)];
    found += exact.filter((id) => approximate.includes(id)).length / exact.length;
  }
  table.close();
  const share = found / recallQueries;
  return {
    name: 'search: recall@10 of the vector index',
    ours: share.toFixed(3),
    peer: 'exact scan 1',
    ratio: share,
    goal: `>= ${goals.recall}`,
    met: share >= goals.recall,
  };
}

/** The same while a file is indexed every second. */
async function busy(world: Started, turns: number): Promise<Row> {
  let writing = true;
  const writer = (async () => {
    while (writing) {
      await world.addFile();
      await world.maintain();
      await sleep(1_000);
    }
  })();
  const ours: number[] = [];
  for (let i = 0; i < turns; i++) {
    ours.push(await timed(() => ourSearch(world)));
    await sleep(10);
  }
  writing = false;
  await writer;
  return {
    name: 'search: the same while files are indexed',
    ours: spread(ours),
    peer: '',
    ratio: null,
    goal: 'none',
    met: true,
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function ourSearch(world: Started): Promise<void> {
  const everybody = world.random() < 0.5;
  const userId = owners[Math.floor(world.random() * owners.length)] ?? '';
  const answer = await world.search(searchRoutes.search.query.parse({ q: world.query() }), {
    userId,
    canSeeAll: everybody,
  });
  if (answer.legs.keyword !== 'ok' || answer.legs.semantic !== 'ok') throw new Error(JSON.stringify(answer.legs));
}

/** The engine's own hybrid search, its own fusion, the best 20 rows: no snippets, no grouping, no filters. */
async function peerSearch(
  world: Started,
  table: lancedb.Table,
  reranker: lancedb.rerankers.RRFReranker,
): Promise<void> {
  const words = world
    .query()
    .split(' ')
    .flatMap((word) => variantsOf(word, []));
  await table
    .query()
    .nearestTo(world.vector())
    .distanceType('cosine')
    .nprobes(world.probes)
    .fullTextSearch(new lancedb.MatchQuery(words.join(' '), 'terms'))
    .rerank(reranker)
    .select(['id', 'shown'])
    .limit(20)
    .toArray();
}

function quantile(values: readonly number[], share: number): number {
  return (
    values.toSorted((x, y) => x - y)[Math.min(values.length - 1, Math.ceil(share * values.length) - 1)] ?? Number.NaN
  );
}

function spread(values: readonly number[]): string {
  return `p50 ${quantile(values, 0.5).toFixed(1)} / p99 ${quantile(values, 0.99).toFixed(1)} ms`;
}

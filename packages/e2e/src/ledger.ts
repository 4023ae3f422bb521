import assert from 'node:assert/strict';
import type { Client } from './client.ts';
import type { Instance } from './instance.ts';
import { until } from './runner.ts';
import { openAsService, type Ask } from './service-access.ts';

/** What the tables of the services say of files: the books in which nothing may be missing and nothing stand twice. */
export type Ledger = Awaited<ReturnType<typeof openLedger>>;
type Told = { id: string; [column: string]: unknown };

const transcripts = `
  select f.uuid as id, f.status, f.run_id, f.file_hash,
         (select count(*)::int from transcript_segment s where s.media_file_id = f.uuid) as segments,
         (select count(distinct (s.start_time, s.text))::int from transcript_segment s where s.media_file_id = f.uuid)
           as different,
         (select md5(string_agg(s.text, '|' order by s.position)) from transcript_segment s
           where s.media_file_id = f.uuid) as words,
         (select count(*)::int from speaker p where p.media_file_id = f.uuid) as speakers
  from media_file f where f.uuid = any($1::uuid[])`;
const runs = `
  select r.file_id as id, count(*)::int as runs, min(r.status) as status,
         (select count(*)::int from file_pipeline_timing t where t.file_id = r.file_id) as timings,
         (select count(*)::int from stage s join run o on o.uuid = s.run_id
           where o.file_id = r.file_id and s.status = 'completed') as stages
  from run r where r.file_id = any($1::uuid[]) group by r.file_id`;
const indexed = `
  select file_id as id, chunks, generation from index_state
  where file_id = any($1::uuid[]) and indexed_at is not null and due_at is null`;

const byId = async (ask: Ask, sql: string, ids: readonly string[]): Promise<Map<string, Told>> =>
  new Map(((await ask(sql, [ids])) as Told[]).map((row) => [row.id, row]));

/** Opens the books of the services that keep something about files. */
export const openLedger = async (instance: Instance) => {
  const media = await openAsService(instance, 'media');
  const dispatcher = await openAsService(instance, 'transcription-dispatcher');
  const search = await openAsService(instance, 'search-indexer');
  const identity = await openAsService(instance, 'identity');
  const read = async (ids: readonly string[]) => ({
    files: await byId(media.ask, transcripts, ids),
    runs: await byId(dispatcher.ask, runs, ids),
    index: await byId(search.ask, indexed, ids),
  });

  /** Those that are not all the way through: transcript, run and index. */
  const unfinished = async (ids: readonly string[]): Promise<string[]> => {
    const now = await read(ids);
    return ids.filter(
      (id) =>
        now.files.get(id)?.['status'] !== 'completed' ||
        now.runs.get(id)?.['status'] !== 'completed' ||
        !now.index.has(id),
    );
  };

  /** Holds every file against one that nobody disturbed: as many segments, runs, timings and places in the index. */
  const compare = async (ids: readonly string[], model: string): Promise<true> => {
    const now = await read([...ids, model]);
    const expected = now.files.get(model);
    for (const id of ids) {
      const { file_hash: _, run_id: __, id: ___, ...file } = now.files.get(id) ?? { id };
      const { file_hash: _a, run_id: _b, id: _c, ...whole } = expected ?? { id };
      assert.deepEqual(file, whole, `the transcript of ${id}`);
      assert.equal(file['different'], file['segments'], `a segment of ${id} stands twice`);
      const { id: _d, ...run } = now.runs.get(id) ?? { id };
      const { id: _e, ...wholeRun } = now.runs.get(model) ?? { id };
      assert.deepEqual(run, wholeRun, `the runs of ${id}`);
      assert.equal(now.index.get(id)?.['chunks'], now.index.get(model)?.['chunks'], `${id} in the index`);
    }
    const hashes = new Set([...now.files.values()].map((f) => f['file_hash']));
    assert.equal(hashes.size, ids.length + 1, 'a recording was taken in twice');
    return true;
  };
  /** In the end: what is told again after a blow may be indexed anew for a moment. */
  const assertOnce = async (ids: readonly string[], model: string): Promise<void> =>
    void (await until('everything stands once', () => compare(ids, model)));

  return {
    unfinished,
    assertOnce,
    ask: { media: media.ask, dispatcher: dispatcher.ask, search: search.ask, identity: identity.ask },
    close: async () => void (await Promise.all([media, dispatcher, search, identity].map((book) => book.close()))),
  };
};

/** Waits until everything is all the way through. @returns after how many seconds. */
export const allFinished = async (ledger: Ledger, ids: readonly string[], limitMs: number): Promise<number> => {
  const from = Date.now();
  let left: string[] = [];
  const look = async (): Promise<boolean> => {
    left = await ledger.unfinished(ids);
    return left.length === 0;
  };
  await until('every file is finished', look, limitMs, 250).catch((cause: unknown) => {
    throw new Error(`not finished: ${left.length} of ${ids.length}: ${left.join()}`, { cause });
  });
  return (Date.now() - from) / 1000;
};

const compareIndex = async (api: Client, ledger: Ledger, ids: readonly string[], model: string): Promise<true> => {
  const [row] = await ledger.ask.search('select sum(chunks)::int as chunks, count(*)::int as files from index_state');
  const health = await api.ok<{ chunks: number; files: number }>('GET', '/api/search/index-health');
  assert.deepEqual({ chunks: health.chunks, files: health.files }, row, 'the index and its books differ');
  const hits = new Map<string, number>();
  for (let page = 1; ; page++) {
    const path = `/api/search?q=report&search_mode=keyword&page_size=100&page=${page}`;
    const answer = await api.ok<{ results: { file_uuid: string; total_occurrences: number }[] }>('GET', path);
    for (const r of answer.results) hits.set(r.file_uuid, (hits.get(r.file_uuid) ?? 0) + r.total_occurrences);
    if (answer.results.length === 0) break;
  }
  for (const id of ids) assert.equal(hits.get(id), hits.get(model), `${id} among the search results`);
  return true;
};
/**
 * The whole index through the front door: in the end it holds exactly what the tables say, and each file as often as
 * its model.
 */
export const assertIndexed = async (...of: Parameters<typeof compareIndex>): Promise<void> =>
  void (await until('the index holds everything once', () => compareIndex(...of)));

import assert from 'node:assert/strict';
import type { Client } from './client.ts';
import type { Instance } from './instance.ts';
import { jobLimitMs, until } from './until.ts';
import { openAsService, type Ask } from './service-access.ts';

/** Reads what the databases of the services store about files, to find missing and duplicate rows. */
export type Ledger = Awaited<ReturnType<typeof openLedger>>;
type FileRow = { id: string; [column: string]: unknown };

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

/** Connects to the databases of the services that store data about files. */
export async function openLedger(instance: Instance) {
  const media = await openAsService(instance, 'media');
  const dispatcher = await openAsService(instance, 'transcription-dispatcher');
  const search = await openAsService(instance, 'search-indexer');
  const identity = await openAsService(instance, 'identity');
  const read = async (ids: readonly string[]) => ({
    files: await byId(media.ask, transcripts, ids),
    runs: await byId(dispatcher.ask, runs, ids),
    index: await byId(search.ask, indexed, ids),
  });

  /** The files whose transcript, run or index entry is not complete. */
  const unfinished = async (ids: readonly string[]): Promise<string[]> => {
    const stored = await read(ids);
    return ids.filter(
      (id) =>
        stored.files.get(id)?.['status'] !== 'completed' ||
        stored.runs.get(id)?.['status'] !== 'completed' ||
        !stored.index.has(id),
    );
  };

  /** Compares every file with the undisturbed reference file: segments, runs, timings and index entries. */
  const compare = async (ids: readonly string[], referenceId: string): Promise<true> => {
    const stored = await read([...ids, referenceId]);
    const expected = stored.files.get(referenceId);
    for (const id of ids) {
      const { file_hash: _, run_id: __, id: ___, ...file } = stored.files.get(id) ?? { id };
      const { file_hash: _a, run_id: _b, id: _c, ...whole } = expected ?? { id };
      assert.deepEqual(file, whole, `the transcript of ${id}`);
      assert.equal(file['different'], file['segments'], `a segment of ${id} is stored twice`);
      const { id: _d, ...run } = stored.runs.get(id) ?? { id };
      const { id: _e, ...wholeRun } = stored.runs.get(referenceId) ?? { id };
      assert.deepEqual(run, wholeRun, `the runs of ${id}`);
      assert.equal(stored.index.get(id)?.['chunks'], stored.index.get(referenceId)?.['chunks'], `${id} in the index`);
    }
    const hashes = new Set([...stored.files.values()].map((file) => file['file_hash']));
    assert.equal(hashes.size, ids.length + 1, 'a recording was stored twice');
    return true;
  };
  /** Repeats the comparison, because a redelivered event can cause a temporary reindex. */
  const assertOnce = async (ids: readonly string[], referenceId: string): Promise<void> =>
    void (await until('every file is stored once', () => compare(ids, referenceId), jobLimitMs));

  return {
    unfinished,
    assertOnce,
    ask: { media: media.ask, dispatcher: dispatcher.ask, search: search.ask, identity: identity.ask },
    close: async () =>
      void (await Promise.all([media, dispatcher, search, identity].map((connection) => connection.close()))),
  };
}

/** Waits until all files are complete. @returns the number of seconds. */
export async function allFinished(ledger: Ledger, ids: readonly string[], limitMs: number): Promise<number> {
  const startedAt = Date.now();
  let remaining: string[] = [];
  const isFinished = async (): Promise<boolean> => {
    remaining = await ledger.unfinished(ids);
    return remaining.length === 0;
  };
  await until('every file is finished', isFinished, limitMs, 250).catch((cause: unknown) => {
    throw new Error(`not finished: ${remaining.length} of ${ids.length}: ${remaining.join()}`, { cause });
  });
  return (Date.now() - startedAt) / 1000;
}

async function compareIndex(api: Client, ledger: Ledger, ids: readonly string[], referenceId: string): Promise<true> {
  const [row] = await ledger.ask.search('select sum(chunks)::int as chunks, count(*)::int as files from index_state');
  const health = await api.ok<{ chunks: number; files: number }>('GET', '/api/search/index-health');
  assert.deepEqual({ chunks: health.chunks, files: health.files }, row, 'the index and its table differ');
  const hits = new Map<string, number>();
  for (let page = 1; ; page++) {
    const path = `/api/search?q=report&search_mode=keyword&page_size=100&page=${page}`;
    const response = await api.ok<{ results: { file_uuid: string; total_occurrences: number }[] }>('GET', path);
    for (const { file_uuid: id, total_occurrences: count } of response.results)
      hits.set(id, (hits.get(id) ?? 0) + count);
    if (response.results.length === 0) break;
  }
  for (const id of ids) assert.equal(hits.get(id), hits.get(referenceId), `${id} among the search results`);
  return true;
}

/**
 * Compares the search index, read through the API, with the tables, and the hits of each file with those of the
 * reference file.
 */
export async function assertIndexed(...args: Parameters<typeof compareIndex>): Promise<void> {
  return void (await until('the index contains every file once', () => compareIndex(...args), jobLimitMs));
}

async function byId(ask: Ask, sql: string, ids: readonly string[]): Promise<Map<string, FileRow>> {
  return new Map(((await ask(sql, [ids])) as FileRow[]).map((row) => [row.id, row]));
}

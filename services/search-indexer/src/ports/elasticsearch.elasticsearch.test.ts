import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor, type TestServer } from '@overtone/testkit';
import { createFolder } from '@overtone/testkit/cleanup';
import { elasticsearchVersions, startElasticsearch } from '@overtone/testkit/elasticsearch-server';
import { createLog } from '@overtone/service-kit';
import {
  buildRow,
  everything,
  idsOf,
  indexContract,
  model,
  noLevels,
  noVector,
  vector,
} from '../../test/index-contract.ts';
import { areSame, artificialLibrary, openRanking } from '../../test/rankings.ts';
import { speakerContract } from '../../test/speaker-contract.ts';
import { readMeetings } from '../../bench/meetings.ts';
import { createElasticSpeakers } from './elasticsearch-speakers.adapter.ts';
import { createElasticIndex } from './elasticsearch.adapter.ts';
import { createLanceIndex } from './lancedb.adapter.ts';
import type { SearchIndex } from './search-index.ts';
import type { SpeakerIndex } from './speaker-index.ts';

/** A server of the caller's, for which no process can be stopped; its cluster settings are changed during the tests. */
const givenUrl = process.env['ELASTICSEARCH_TEST_URL'];
/** A folder of meetings with questions (QMSum) instead of the artificial recordings. */
const qmsum = process.env['OT_QMSUM'];
const servers = givenUrl === undefined ? elasticsearchVersions : ['of ELASTICSEARCH_TEST_URL'];
const queryCount = 200;
/** Files with so much of the score of the tenth one tie with it. */
const nearlySame = 0.97;

describe.each(servers)('Elasticsearch %s', (version) => {
  let own: TestServer | undefined;
  let url: string;
  let prefix: string;
  let index: SearchIndex;
  let speakers: SpeakerIndex;
  beforeAll(async () => {
    const known = elasticsearchVersions.find((candidate) => candidate === version);
    // Small enough for bulks of several files at the same time to be rejected.
    if (known) own = await startElasticsearch(known, { 'indexing_pressure.memory.limit': '4mb' });
    url = own?.url ?? givenUrl ?? '';
  });
  beforeEach(() => {
    prefix = `test-${randomUUID().slice(0, 8)}`;
    const options = { url, prefix, shards: 1, replicas: 0, retryDelaysMs: [100, 200, 400, 800, 1_600] };
    index = createElasticIndex(options);
    speakers = createElasticSpeakers(options);
  });
  afterEach(async () => {
    await Promise.all([index.close(), speakers.close()]);
    for (const name of Object.keys(await send('GET', `/${prefix}-*`))) await send('DELETE', `/${name}`);
  });
  afterAll(() => own?.stop());

  const send = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    expect([method, path, response.status, response.ok ? '' : await response.clone().text()]).toEqual([
      method,
      path,
      200,
      '',
    ]);
    return (await response.json()) as Record<string, unknown>;
  };
  /** Sets cluster settings while `run` runs. */
  const withSettings = async (settings: Record<string, string>, run: () => Promise<void>): Promise<void> => {
    await send('PUT', '/_cluster/settings', { persistent: settings });
    try {
      await run();
    } finally {
      const none = Object.fromEntries(Object.keys(settings).map((key) => [key, null]));
      await send('PUT', '/_cluster/settings', { persistent: none });
    }
  };
  const search = (words: string[]) =>
    index.search({
      keyword: { words, phrases: [] },
      vector: noVector,
      filter: everything,
      keywordLimit: 100,
      ...noLevels,
      semanticLimit: 10,
    });
  const put = async (build: string, fileId: string, ...texts: string[]) =>
    await index.replaceFile(
      build,
      fileId,
      texts.map((terms, i) => buildRow({ fileId, terms }, i)),
      null,
    );

  describe('text index', () => {
    indexContract(() => index);
  });

  describe('speaker index', () => {
    speakerContract(() => speakers);
  });

  it('takes what an index template of the operator sets, and keeps its own shards, replicas and mappings', async () => {
    const template = `/_index_template/${prefix}`;
    await send('PUT', template, {
      index_patterns: [`${prefix}-*`],
      template: {
        settings: { number_of_replicas: 3, 'index.search.slowlog.threshold.query.warn': '7s' },
        mappings: { properties: { terms: { type: 'keyword' }, of_the_operator: { type: 'date' } } },
      },
    });
    try {
      await index.beginBuild('current', null);
      const [made] = Object.values(await send('GET', `/${prefix}-*?flat_settings=true`));
      expect(made).toMatchObject({
        settings: { 'index.number_of_replicas': '0', 'index.search.slowlog.threshold.query.warn': '7s' },
        mappings: { properties: { terms: { type: 'text' }, of_the_operator: { type: 'date' } } },
      });
    } finally {
      await send('DELETE', template);
    }
  });

  it('responds to the probe, before and after the first build', async () => {
    await index.ping();
    await index.beginBuild('current', null);
    await index.ping();
  });

  it('replaces a file of more than 10,000 rows, with several bulks, and scores several shards as one', async () => {
    const sharded = createElasticIndex({ url, prefix, shards: 3, replicas: 0 });
    const fileId = randomUUID();
    const build = await sharded.beginBuild('current', model);
    const rows = (count: number, terms: string) =>
      Array.from({ length: count }, (_, i) => buildRow({ fileId, terms, vector: vector(1, i / count, 0) }, i));
    await sharded.replaceFile(build.id, fileId, rows(10_500, 'old'), model);
    expect(await sharded.countPassages()).toBe(10_500);
    await sharded.replaceFile(build.id, fileId, rows(3, 'new'), model);
    expect(await sharded.countPassages()).toBe(3);
    expect(idsOf((await search(['new'])).keyword)).toHaveLength(3);
    expect(idsOf((await search(['old'])).keyword)).toHaveLength(0);
    await sharded.close();
  });

  it('ranks the same files as the embedded index', async () => {
    const library = qmsum === undefined ? artificialLibrary(150, queryCount) : await meetingsOf(qmsum);
    const log = createLog('search-indexer', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'text' });
    const embedded = createLanceIndex({ directory: await createFolder(), log });
    const [rankEmbedded, rankServer] = [
      await openRanking(embedded, library.recordings),
      await openRanking(index, library.recordings),
    ];
    const shares: number[] = [];
    let [found, same, tied] = [0, 0, 0];
    for (const query of library.queries) {
      const expected = await rankEmbedded(query);
      // A busy machine may need more than the time of a search at first.
      const ranked = await waitFor(() => rankServer(query));
      const [first, second] = [expected, ranked].map((files) => files.slice(0, 10).map(({ fileId }) => fileId));
      found += first?.length ?? 0;
      shares.push(shareOf(first ?? [], second ?? []));
      same += areSame(expected, ranked, 10, 1) ? 1 : 0;
      tied += areSame(expected, ranked, 10, nearlySame) ? 1 : 0;
    }
    await embedded.close();
    const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
    console.info(
      `${version}: of ${shares.length} queries ${same} with the same ten files, ${tied} with ties; ${(mean * 100).toFixed(1)} % of all files`,
    );
    expect(found / shares.length).toBeGreaterThan(5);
    expect(mean).toBeGreaterThanOrEqual(0.95);
    expect(tied / shares.length).toBeGreaterThanOrEqual(0.95);
  });

  describe('failures', () => {
    const failure = async (result: Promise<unknown>): Promise<string> => {
      const error: unknown = await result.then(
        () => null,
        (err: unknown) => err,
      );
      expect(error).toMatchObject({ name: 'AppError', code: 'search_unavailable' });
      return (error as Error).message;
    };
    /** Of the leg, or of the whole search when the builds cannot be read either. */
    const searchFailure = async (): Promise<string> =>
      await failure(
        search(['word']).then(({ keyword }) => {
          throw keyword.status === 'failed' ? keyword.error : new Error(`leg ${keyword.status}`);
        }),
      );
    let build: string;
    const fileId = randomUUID();
    beforeEach(async () => {
      build = (await index.beginBuild('current', model)).id;
      await put(build, fileId, 'word one', 'word two');
    });
    const expectWorking = async (): Promise<void> => {
      expect(idsOf((await search(['word'])).keyword)).toHaveLength(2);
    };

    it('names an open circuit breaker, its limit and what to do', async () => {
      await withSettings({ 'network.breaker.inflight_requests.limit': '100b' }, async () => {
        const message = await searchFailure();
        expect(message).toMatch(
          /^The circuit breaker inflight_requests is open \(limit 0\.0 MiB, wanted .+\): send fewer/,
        );
        expect(await failure(put(build, fileId, 'word'))).toBe(
          message.replace(/wanted [^)]+/, /wanted [^)]+/.exec(message)![0]),
        );
      });
      await withSettings({ 'indices.breaker.total.limit': '1mb' }, async () => {
        expect(await searchFailure()).toMatch(
          /^The circuit breaker parent is open \(limit 1\.0 MiB, wanted \d+\.\d MiB\): look at/,
        );
      });
      await expectWorking();
    });

    it('names a read-only index, which can still be searched', async () => {
      await send('PUT', `/${prefix}-${build}/_settings`, { 'index.blocks.read_only_allow_delete': true });
      expect(await failure(put(build, fileId, 'word'))).toMatch(/^The search index is read-only/);
      await expectWorking();
      await send('PUT', `/${prefix}-${build}/_settings`, { 'index.blocks.read_only_allow_delete': null });
      await put(build, fileId, 'word', 'word');
      await expectWorking();
    });

    it('names another mapping, also of half of a bulk, and replaces all rows later', async () => {
      const row = (i: number, ...values: number[]) => buildRow({ fileId, terms: 'word', vector: vector(...values) }, i);
      const rows = [row(0, 1, 0, 0), row(1, 1, 0), row(2, 1, 0, 0), row(3, 1)];
      expect(await failure(index.replaceFile(build, fileId, rows, model))).toMatch(/another mapping/);
      await put(build, fileId, 'word again', 'word again');
      await expectWorking();
      expect(await index.countPassages()).toBe(2);
      const mappings = { dynamic: 'strict', properties: { file_id: { type: 'keyword' } } };
      const speakersIndex = `${prefix}-speakers-v4`;
      await send('PUT', `/${speakersIndex}`, { mappings });
      const voice = {
        speakerId: randomUUID(),
        fileId,
        seconds: 1,
        vector: new Float32Array(256).fill(1 / 16),
      };
      expect(await failure(speakers.replaceFile('v4', fileId, [voice]))).toMatch(/another mapping/);
    });

    it('sends again what an overloaded server rejected, until it is complete', async () => {
      const text = 'w'.repeat(20_000);
      const files = Array.from({ length: 12 }, () => randomUUID());
      await Promise.all(files.map((id) => put(build, id, ...Array.from({ length: 40 }, () => text))));
      expect(await index.countPassages()).toBe(2 + 12 * 40);
      if (!own) return;
      const rejected = await send('GET', '/_nodes/stats/indexing_pressure?filter_path=**.coordinating_rejections');
      expect(JSON.stringify(rejected)).toMatch(/coordinating_rejections":[1-9]/);
    });

    it('names a server that rejects everything', async () => {
      const text = 'w'.repeat(5_000_000);
      if (own) expect(await failure(put(build, randomUUID(), text))).toMatch(/overloaded and rejected/);
    });

    it('gives up searches of a server that hangs, and of one that is down', async () => {
      if (!own) return;
      process.kill(own.pid(), 'SIGSTOP');
      try {
        expect(await searchFailure()).toBe('The search server did not respond in time');
        expect(await failure(index.ping())).toBe('The search server did not respond in time');
        expect(await failure(index.builds())).toBe('The search server did not respond in time');
      } finally {
        process.kill(own.pid(), 'SIGCONT');
      }
      await waitFor(() => index.ping().then(() => true));
      await own.kill9();
      expect(await failure(index.ping())).toBe('The search server cannot be reached');
      expect(await searchFailure()).toBe('The search server cannot be reached');
      await own.restart();
      await waitFor(() => expectWorking().then(() => true));
    });
  });
});

async function meetingsOf(path: string) {
  const { recordings, questions } = await readMeetings(path);
  return { recordings, queries: questions.slice(0, queryCount).map(({ text }) => text) };
}

function shareOf(x: readonly string[], y: readonly string[]): number {
  return x.filter((fileId) => y.includes(fileId)).length / Math.max(1, x.length, y.length);
}

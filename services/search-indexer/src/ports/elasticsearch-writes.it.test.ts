import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createAuthority, purposes } from '@overtone/testkit/certificates';
import { createFolder } from '@overtone/testkit/cleanup';
import { buildRow, everything, model, noLevels, noVector, queryVector, vector } from '../../test/index-contract.ts';
import { startScriptedServer, type Asked } from '../../test/scripted-server.ts';
import { createElasticIndex } from './elasticsearch.adapter.ts';
import { indexVersion } from './elasticsearch-queries.ts';
import type { SearchIndex } from './search-index.ts';

type Answer = { status?: number; body: unknown } | null | undefined;
type Operation = { id: string; kind: 'index' | 'delete' };

const file = randomUUID();
const rejected = { status: 429, error: { type: 'es_rejected_execution_exception', reason: 'rejected execution' } };
function breakerOf(reason: string, more: object = {}) {
  return { error: { type: 'circuit_breaking_exception', reason, ...more }, status: 429 };
}
const parentOpen = breakerOf('[parent] Data too large, data for [<http_request>] would be [2097152/2mb]', {
  bytes_wanted: 2_097_152,
  bytes_limit: 1_048_576,
});
const parentMessage = /^The circuit breaker parent is open \(limit 1\.0 MiB, wanted 2\.0 MiB\): look at heap use/;

// The same against a real server: elasticsearch.elasticsearch.test.ts.
describe('writes to an Elasticsearch server, and its failures', () => {
  let server: Awaited<ReturnType<typeof startScriptedServer>>;
  let index: SearchIndex;
  /** The rows of the file before. */
  let stored: string[];
  let bulks: Operation[][];
  /** The response to the n-th bulk, from 0; undefined: all succeeded. */
  let onBulk: (operations: Operation[], count: number) => Answer;
  let onSearch: () => Answer;

  const answerBulk = (body: unknown): Answer => {
    const lines = body as { index?: { _id: string }; delete?: { _id: string } }[];
    const operations = lines.flatMap(({ index: put, delete: gone }): Operation[] => {
      if (put?._id !== undefined) return [{ id: put._id, kind: 'index' }];
      return gone?._id === undefined ? [] : [{ id: gone._id, kind: 'delete' }];
    });
    bulks.push(operations);
    return onBulk(operations, bulks.length - 1) ?? itemsOf(operations, () => ({ status: 200 }));
  };
  /** Pages of the rows before, as a search at a point in time returns them. */
  const answerPage = (body: unknown): Answer => {
    const { pit, size, search_after: [after] = [-1] } = body as { pit: object; size: number; search_after?: [number] };
    expect(pit).toMatchObject({ id: 'point' });
    const hits = stored.slice(after + 1, after + 1 + size).map((_id, i) => ({ _id, sort: [after + 1 + i] }));
    return { body: { pit_id: 'point', hits: { hits } } };
  };
  const answer = ({ method, path, body }: Asked): Answer => {
    const entry = { mappings: { _meta: { model, version: indexVersion } }, settings: {} };
    if (method === 'GET' && path === '/p-current') return { body: { 'p-old1': entry } };
    if (method === 'GET' && path === '/p-building') return { status: 404, body: {} };
    if (path === '/p-old1/_pit') return { body: { id: 'point' } };
    if (path === '/_pit' || path === '/p-old1/_refresh') return { body: { succeeded: true } };
    if (path === '/_search') return answerPage(body);
    if (path === '/p-old1/_bulk') return answerBulk(body);
    return path === '/p-old1/_msearch' ? onSearch() : undefined;
  };

  beforeEach(async () => {
    stored = [];
    bulks = [];
    onBulk = () => undefined;
    onSearch = () => undefined;
    server = await startScriptedServer(answer);
    index = createElasticIndex({ url: server.url, prefix: 'p', shards: 1, replicas: 0, retryDelaysMs: [1, 1, 1] });
  });
  afterEach(async () => {
    await index.close();
    await server.stop();
  });

  const replace = async (count: number, terms = 'new'): Promise<void> =>
    await index.replaceFile(
      'old1',
      file,
      Array.from({ length: count }, (_, i) => buildRow({ fileId: file, terms, vector: vector(1, 0, 0) }, i)),
      model,
    );
  const search = async () => {
    const request = { keyword: { words: ['x'], phrases: [] }, vector: queryVector(vector(1, 0, 0)) };
    const limits = { keywordLimit: 1, ...noLevels, semanticLimit: 1 };
    return await index.search({ ...request, filter: everything, ...limits });
  };
  const requests = () => server.asked.map(({ path }) => path.split('/').at(-1));

  it('replaces a file’s rows and refreshes when all are written', async () => {
    stored = [`${file}:0`, `${file}:1`, `${file}:1@20`];
    await replace(1);
    expect(bulks).toEqual([
      [
        { id: `${file}:0`, kind: 'index' },
        { id: `${file}:1`, kind: 'delete' },
        { id: `${file}:1@20`, kind: 'delete' },
      ],
    ]);
    const { body, query } = server.asked.find(({ path }) => path.endsWith('/_bulk')) ?? {};
    expect(query).toEqual({});
    expect((body as unknown[])[1]).toMatchObject({ file_id: file, terms: 'new', vector: [1, 0, 0] });
    expect(requests().slice(-2)).toEqual(['_bulk', '_refresh']);
    await expect(index.replaceFile('gone', file, [], null)).rejects.toMatchObject({ code: 'search_unavailable' });
  });

  it('deletes all old rows of a file, also more than one search returns', async () => {
    stored = Array.from({ length: 12_345 }, (_, i) => `${file}:${i}`);
    await index.removeFile(file);
    expect(new Set(bulks.flat().map(({ id }) => id)).size).toBe(12_345);
    expect(server.asked.filter(({ method, path }) => method === 'DELETE' && path === '/_pit')).toHaveLength(1);
  });

  it('splits large writes into several requests', async () => {
    await replace(5, 'w'.repeat(1_000_000));
    expect(bulks.map((bulk) => bulk.length)).toEqual([1, 1, 1, 1, 1]);
    bulks = [];
    await replace(2_000, 'w');
    expect(bulks).toHaveLength(1);
  });

  it('sends only the rejected rows again', async () => {
    onBulk = (operations, count) =>
      count === 0 ? itemsOf(operations, ({ id }) => (id.endsWith(':1') ? rejected : { status: 200 })) : undefined;
    await replace(3);
    expect(bulks.map((bulk) => bulk.map(({ id }) => id.at(-1)))).toEqual([['0', '1', '2'], ['1']]);
  });

  it('sends a rejected request again in smaller parts, and gives up when nothing is accepted', async () => {
    onBulk = (operations) =>
      operations.length > 1 ? { status: 429, body: { ...rejected, error: rejected.error } } : undefined;
    await replace(3);
    expect(bulks.map((bulk) => bulk.length)).toEqual([3, 2, 1, 1, 1]);
    onBulk = () => ({ status: 429, body: rejected });
    await expect(replace(3)).rejects.toMatchObject({
      code: 'search_unavailable',
      message: 'The search server is overloaded and rejected the request',
    });
    expect(bulks.slice(5).map((bulk) => bulk.length)).toEqual([3, 2, 1, 1]);
  });

  it.each([
    ['index', { type: 'document_parsing_exception', reason: 'failed to parse' }, /another mapping/],
    ['index', { type: 'strict_dynamic_mapping_exception', reason: '[x] is not allowed' }, /another mapping/],
    ['delete', { type: 'cluster_block_exception', reason: 'blocked by: [FORBIDDEN/8/]' }, /index is read-only: free/],
  ])('fails when the server refuses one %s of many: %o', async (kind, error, message) => {
    stored = [`${file}:7`];
    onBulk = (operations) =>
      itemsOf(operations, (operation) =>
        operation.kind === kind ? { status: 400, error } : { status: operation.kind === 'delete' ? 404 : 200 },
      );
    await expect(replace(1)).rejects.toMatchObject({
      code: 'search_unavailable',
      message: expect.stringMatching(message),
    });
    expect(bulks).toHaveLength(1);
    // So that the next attempt sees the rows that were written.
    expect(requests().slice(-2)).toEqual(['_bulk', '_refresh']);
  });

  it('names the circuit breaker that is open, its limit and what to do', async () => {
    onSearch = () => ({ status: 429, body: parentOpen });
    const failed = { status: 'failed', error: { message: expect.stringMatching(parentMessage), retryAfterSeconds: 5 } };
    expect(await search()).toMatchObject({ keyword: failed, semantic: failed });
    const hits = { _shards: { failed: 0 }, hits: { hits: [] } };
    const phase = { error: { type: 'search_phase_execution_exception', reason: 'all shards failed' }, status: 429 };
    const nested = { ...phase, error: { ...phase.error, failed_shards: [{ reason: parentOpen.error }] } };
    onSearch = () => ({ body: { responses: [hits, nested] } });
    expect(await search()).toMatchObject({ keyword: { status: 'ok' }, semantic: failed });
    onSearch = () => ({
      body: { responses: [hits, breakerOf('Memory Circuit Breaker is open, please check your resources!')] },
    });
    expect(await search()).toMatchObject({
      semantic: {
        error: {
          message: expect.stringMatching(/^The circuit breaker Memory Circuit Breaker is open: .*false trip.* 95 /),
        },
      },
    });
    onBulk = () => ({ status: 429, body: parentOpen });
    await expect(replace(1)).rejects.toMatchObject({ message: expect.stringMatching(parentMessage) });
  });

  it('does not pass the hits of a part of the shards off as the best ones', async () => {
    const partial = { _shards: { failed: 1, failures: [{ reason: parentOpen.error }] }, hits: { hits: [] } };
    onSearch = () => ({ body: { responses: [partial, { _shards: { failed: 0 }, hits: { hits: [] } }] } });
    expect(await search()).toMatchObject({
      keyword: { status: 'failed', error: { message: expect.stringMatching(parentMessage) } },
      semantic: { status: 'ok' },
    });
  });

  it('gives up a search when the server does not respond, and names a server that cannot be reached', async () => {
    onSearch = () => null;
    const failed = (message: string) => ({ status: 'failed', error: { code: 'search_unavailable', message } });
    expect(await search()).toMatchObject({ keyword: failed('The search server did not respond in time') });
    await server.stop();
    const request = {
      keyword: null,
      vector: noVector,
      filter: everything,
      keywordLimit: 1,
      ...noLevels,
      semanticLimit: 1,
    };
    await expect(index.ping()).rejects.toMatchObject({ message: 'The search server cannot be reached' });
    await expect(index.replaceFile('old1', file, [], null)).rejects.toMatchObject({ code: 'search_unavailable' });
    await expect(index.search(request)).rejects.toMatchObject({ message: 'The search server cannot be reached' });
  });

  it('sends a media type that the versions 8 and 9 both accept', async () => {
    await replace(1);
    const types = new Set(server.asked.map(({ headers }) => headers['content-type']));
    expect(types).toEqual(new Set(['application/json', 'application/x-ndjson']));
  });

  it('sends the API key, and accepts only a server whose certificate the CA file signs', async () => {
    const authority = await createAuthority({ subject: { CN: 'Search' }, isCa: true });
    const { pem, keyPem } = await authority.issue({
      subject: { CN: '127.0.0.1' },
      ipAddresses: ['127.0.0.1'],
      purposes: [purposes.server],
    });
    const secure = await startScriptedServer(() => ({ body: {} }), { cert: pem, key: keyPem });
    const folder = await createFolder();
    const caFile = join(folder, 'ca.pem');
    await writeFile(caFile, authority.pem);
    const options = { url: secure.url, apiKey: 'a2V5', prefix: 'p', shards: 1, replicas: 0 };
    const trusting = createElasticIndex({ ...options, caFile });
    const other = createElasticIndex(options);
    await trusting.ping();
    expect(secure.asked[0]?.headers.authorization).toBe('ApiKey a2V5');
    await expect(other.ping()).rejects.toMatchObject({ message: 'The search server cannot be reached' });
    expect(secure.asked).toHaveLength(1);
    await Promise.all([trusting.close(), other.close()]);
    await secure.stop();
  });
});

function itemsOf(operations: Operation[], resultOf: (operation: Operation) => object): { body: unknown } {
  const items = operations.map((operation) => ({ [operation.kind]: { _id: operation.id, ...resultOf(operation) } }));
  return { body: { took: 1, errors: true, items } };
}

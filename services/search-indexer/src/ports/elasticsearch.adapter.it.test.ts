import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestServer } from '@overtone/testkit';
import { startSearchServer } from '@overtone/testkit/elasticsearch';
import {
  buildRow,
  everything,
  indexContract,
  model,
  noLevels,
  queryVector,
  vector,
} from '../../test/index-contract.ts';
import { startScriptedServer, type Asked } from '../../test/scripted-server.ts';
import { createElasticIndex } from './elasticsearch.adapter.ts';
import { indexVersion } from './elasticsearch-queries.ts';
import type { SearchIndex } from './search-index.ts';

// These tests run without an Elasticsearch server. The first ones check the contract against a scripted server, the others
// check the requests.
describe('Elasticsearch index', () => {
  let server: TestServer;
  let index: SearchIndex;
  let count = 0;
  beforeAll(async () => {
    server = await startSearchServer();
  });
  beforeEach(() => {
    index = createElasticIndex({ url: server.url, prefix: `p${(count += 1)}`, shards: 1, replicas: 0 });
  });
  afterEach(() => index.close());
  afterAll(() => server.stop());

  indexContract(() => index);

  it('is begun once by two replicas', async () => {
    const replica = createElasticIndex({ url: server.url, prefix: `p${count}`, shards: 1, replicas: 0 });
    for (const role of ['current', 'building'] as const) {
      const builds = await Promise.all([index, replica].map((one) => one.beginBuild(role, model)));
      expect(new Set(builds.map(({ id }) => id)).size).toBe(1);
    }
    await index.promote();
    expect((await index.builds()).building).toBeNull();
    await replica.close();
  });

  it('keeps the time of the last reindex when it gets a model', async () => {
    const fileId = randomUUID();
    await index.beginBuild('building', null);
    await index.promote();
    const { current, completedAt } = await index.builds();
    const row = buildRow({ fileId, terms: 'x', vector: vector(1, 0, 0) }, 0);
    await index.replaceFile(current?.id ?? '', fileId, [row], model);
    expect(await index.builds()).toMatchObject({ current: { model }, completedAt });
    expect(completedAt).not.toBeNull();
  });
});

describe('requests to an Elasticsearch server', () => {
  let server: Awaited<ReturnType<typeof startScriptedServer>>;
  let index: SearchIndex;
  let script: (asked: Asked) => { status?: number; body: unknown } | undefined;
  const [file, other] = [randomUUID(), randomUUID()];
  const entry = {
    mappings: { _meta: { model, version: indexVersion, completedAt: '2026-01-01T00:00:00.000Z' } },
    settings: { index: { creation_date: '1767225600000' } },
  };
  const bothBuilds = ({ method, path }: Asked) => {
    if (method !== 'GET') return undefined;
    if (path === '/p-current') return { body: { 'p-old1': entry } };
    return path === '/p-building' ? { body: { 'p-new1': entry } } : undefined;
  };
  const asked = (method: string, path: string): unknown =>
    server.asked.find((request) => request.method === method && request.path === path)?.body;

  beforeEach(async () => {
    script = bothBuilds;
    server = await startScriptedServer((request) => script(request));
    index = createElasticIndex({ url: server.url, prefix: 'p', shards: 2, replicas: 1 });
  });
  afterEach(async () => {
    await index.close();
    await server.stop();
  });

  it('reads the current build and the one in progress from the aliases', async () => {
    expect(await index.builds()).toEqual({
      current: { id: 'old1', model },
      building: { id: 'new1', model },
      completedAt: '2026-01-01T00:00:00.000Z',
    });
  });

  it('are sent once by the readiness check, whatever the server answers', async () => {
    script = () => ({ status: 503, body: { error: 'busy' } });
    await expect(index.ping()).rejects.toMatchObject({ code: 'search_unavailable' });
    expect(server.asked.map(({ method, path }) => `${method} ${path}`)).toEqual(['HEAD /p-*']);
  });

  it('treats an index of another version as lost, and removes it when the new build replaces it', async () => {
    const old = { ...entry, mappings: { _meta: { model } } };
    script = ({ method, path }) => {
      if (method === 'GET' && path === '/p-current') return { body: { 'p-old1': old } };
      if (method === 'GET' && path === '/p-building') return { body: { 'p-new1': entry } };
      return ['POST', 'PUT'].includes(method) ? { body: { acknowledged: true } } : undefined;
    };
    expect(await index.builds()).toMatchObject({ current: null, building: { id: 'new1' } });
    await index.promote();
    expect(asked('POST', '/_aliases')).toMatchObject({
      actions: expect.arrayContaining([{ remove_index: { index: 'p-old1' } }]),
    });
  });

  it('replaces an interrupted build of another version', async () => {
    const old = { ...entry, mappings: { _meta: { model } } };
    script = ({ method }) => {
      if (method === 'GET') return { body: { 'p-old1': old } };
      return ['PUT', 'DELETE'].includes(method) ? { body: { acknowledged: true } } : undefined;
    };
    await index.beginBuild('building', model);
    expect(server.asked.map(({ method, path }) => `${method} ${path}`)).toContain('DELETE /p-old1');
  });

  it('searches sections and whole files in the same request, with the same filters', async () => {
    script = (request) => {
      if (request.path !== '/p-old1/_msearch') return bothBuilds(request);
      const found = (id: string) => ({ hits: { hits: [{ _id: `${file}${id}`, _score: 2 }] } });
      return { body: { took: 1, responses: [found(':3'), found('/section1'), found('/file')] } };
    };
    const { keyword } = await index.search({
      keyword: { words: ['deadlin', 'budget'], phrases: [] },
      vector: Promise.resolve(null),
      filter: { ...everything, ownerId: file, fileIds: [other] },
      keywordLimit: 100,
      sectionLimit: 30,
      fileLimit: 20,
      semanticLimit: 1,
    });
    const filter = [{ term: { owner_id: file } }, { terms: { file_id: [other] } }];
    const [, , , sections, , files] = asked('POST', '/p-old1/_msearch') as unknown[];
    const match = { query: 'deadlin budget', operator: 'or' };
    expect(sections).toMatchObject({
      size: 30,
      query: { bool: { filter, must: [{ match: { section_terms: match } }] } },
    });
    expect(files).toMatchObject({ size: 20, query: { bool: { filter, must: [{ match: { file_terms: match } }] } } });
    const hit = { fileId: file, score: 2 };
    expect(keyword).toMatchObject({ status: 'ok', hits: [{ ...hit, id: `${file}:3` }], sections: [hit], files: [hit] });
  });

  it('creates a build that splits stems at spaces and rejects unknown fields', async () => {
    script = ({ method, path }) => {
      if (method === 'GET') return { status: 404, body: { error: { type: 'index_not_found_exception' }, status: 404 } };
      return method === 'PUT' && path.startsWith('/p-') ? { body: { acknowledged: true } } : undefined;
    };
    const { id } = await index.beginBuild('current', model);
    expect(asked('PUT', `/p-${id}`)).toMatchObject({
      aliases: { 'p-current': {} },
      settings: { number_of_shards: 2, number_of_replicas: 1, refresh_interval: '-1' },
      mappings: {
        dynamic: 'strict',
        _meta: { model, version: indexVersion },
        properties: { terms: { type: 'text', analyzer: 'whitespace' }, vector: { type: 'dense_vector', dims: 3 } },
      },
    });
  });

  it('sends both legs in one request with the same filters', async () => {
    script = (request) => {
      if (request.path !== '/p-old1/_msearch') return bothBuilds(request);
      const keyword = { hits: { hits: [{ _id: `${file}:0`, _score: 3.5 }] } };
      const semantic = { hits: { hits: [{ _id: `${other}:2@30`, _score: 0.9 }] } };
      return { body: { took: 1, responses: [keyword, semantic] } };
    };
    const legs = await index.search({
      keyword: { words: ['deadlin'], phrases: [['in march', 'im märz']] },
      vector: queryVector(vector(1, 0, 0)),
      filter: { ...everything, ownerId: file, tags: ['x'], uploadedFrom: 5, maxDuration: 60 },
      keywordLimit: 100,
      ...noLevels,
      semanticLimit: 10,
    });
    const filter = [
      { term: { owner_id: file } },
      { terms: { tags: ['x'] } },
      { range: { uploaded: { gte: 5 } } },
      { range: { duration: { lte: 60 } } },
    ];
    const [, words, , meaning] = asked('POST', '/p-old1/_msearch') as unknown[];
    expect(words).toMatchObject({
      size: 100,
      query: {
        bool: {
          filter,
          must: [
            { bool: { should: [{ match_phrase: { terms: 'in march' } }, { match_phrase: { terms: 'im märz' } }] } },
          ],
          should: [{ match: { terms: { query: 'deadlin', operator: 'or' } } }],
        },
      },
    });
    expect(meaning).toMatchObject({ size: 10, knn: { field: 'vector', query_vector: [1, 0, 0], k: 10, filter } });
    expect(legs).toEqual({
      keyword: { status: 'ok', hits: [{ id: `${file}:0`, fileId: file, score: 3.5 }], sections: [], files: [] },
      semantic: { status: 'ok', hits: [{ id: `${other}:2`, fileId: other, token: 30, score: expect.closeTo(0.8, 5) }] },
    });
  });

  it('reports the failure of one leg, and of both when the server is unavailable', async () => {
    const request = {
      keyword: { words: ['x'], phrases: [] },
      vector: queryVector(vector(1, 0, 0)),
      filter: everything,
      keywordLimit: 1,
      ...noLevels,
      semanticLimit: 1,
    };
    const broken = { error: { type: 'search_phase_execution_exception' }, status: 500 };
    script = (request) =>
      request.path === '/p-old1/_msearch'
        ? { body: { responses: [{ hits: { hits: [] } }, broken] } }
        : bothBuilds(request);
    expect(await index.search(request)).toMatchObject({ keyword: { status: 'ok' }, semantic: { status: 'failed' } });
    script = bothBuilds;
    expect(await index.search(request)).toMatchObject({
      keyword: { status: 'failed' },
      semantic: { status: 'failed' },
    });
  });

  it('swaps the builds atomically', async () => {
    script = (request) =>
      ['/_aliases', '/p-new1/_mapping'].includes(request.path) ? { body: { acknowledged: true } } : bothBuilds(request);
    await index.promote();
    expect(asked('PUT', '/p-new1/_mapping')).toMatchObject({ _meta: { model, completedAt: expect.any(String) } });
    expect(asked('POST', '/_aliases')).toEqual({
      actions: [
        { remove: { index: 'p-new1', alias: 'p-building' } },
        { add: { index: 'p-new1', alias: 'p-current' } },
        { remove_index: { index: 'p-old1' } },
      ],
    });
  });
});

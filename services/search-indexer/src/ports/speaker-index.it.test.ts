import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createFolder } from '@overtone/testkit/cleanup';
import { startScriptedServer, type Asked } from '../../test/scripted-server.ts';
import { createElasticSpeakers } from './elasticsearch-speakers.adapter.ts';
import { createLanceSpeakers } from './lancedb-speakers.adapter.ts';
import { versionOf, type SpeakerIndex, type VoiceRow } from './speaker-index.ts';

type Stored = Record<string, unknown> & { file_id: string };

/** The requests of the adapter, answered from documents in memory as a search server would. */
function createStandIn() {
  const indices = new Map<string, { dims: number; documents: Map<string, Stored> }>();
  return ({ method, path, query, body }: Asked) => {
    const [, name = '', action] = path.split('/');
    const index = indices.get(name);
    if (method === 'HEAD') return { status: index ? 200 : 404, body: {} };
    if (method === 'DELETE') {
      if (!index && query['ignore_unavailable'] !== 'true') return { status: 404, body: {} };
      indices.delete(name);
      return { body: { acknowledged: true } };
    }
    if (method === 'PUT') {
      const { mappings } = body as { mappings: { properties: { embedding: { dims: number } } } };
      indices.set(name, { dims: mappings.properties.embedding.dims, documents: new Map() });
      return { body: { acknowledged: true } };
    }
    if (!index) return { status: 404, body: { error: 'no such index' } };
    if (action === '_bulk') return { body: { errors: false, items: writeAll(index, body as object[]) } };
    if (action === '_mget') {
      const { ids } = body as { ids: string[] };
      const docs = ids.map((_id) => ({ _id, found: index.documents.has(_id), _source: index.documents.get(_id) }));
      return { body: { docs } };
    }
    const { query: term } = body as { query?: { term: { file_id: string } } };
    const hits = [...index.documents]
      .filter(([, document]) => !term || document.file_id === term.term.file_id)
      .map(([_id, _source]) => ({ _id, _source, sort: [_source.file_id, _id] }));
    return { body: { hits: { hits } } };
  };
}

function writeAll({ dims, documents }: { dims: number; documents: Map<string, Stored> }, lines: object[]) {
  const items: object[] = [];
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as { index?: { _id: string }; delete?: { _id: string } };
    if (line.delete) documents.delete(line.delete._id);
    if (!line.index) continue;
    const document = lines[++i] as Stored & { embedding: number[] };
    const fits = document.embedding.length === dims;
    if (fits) documents.set(line.index._id, document);
    items.push({ index: fits ? { status: 201 } : { status: 400, error: { reason: 'other dimensions' } } });
  }
  return items;
}

function rowOf(fileId: string, version: 'v3' | 'v4' = 'v3', dimension = versionOf(version).dimension): VoiceRow {
  const vector = new Float32Array(dimension);
  vector[Math.floor(Math.random() * dimension)] = 1;
  return { speakerId: randomUUID(), fileId, ownerId: randomUUID(), seconds: 12, vector };
}

const backends: Record<string, () => Promise<SpeakerIndex & { end?: () => Promise<void> }>> = {
  LanceDB: async () => createLanceSpeakers({ directory: await createFolder() }),
  'a search server': async () => {
    const server = await startScriptedServer(createStandIn());
    return { ...createElasticSpeakers({ url: server.url, prefix: 'test' }), end: server.stop };
  },
};

describe.each(Object.keys(backends))('the speaker index in %s', (name) => {
  let index: Awaited<ReturnType<NonNullable<(typeof backends)[string]>>>;
  beforeAll(async () => {
    index = await backends[name]!();
  });
  afterAll(async () => {
    await index.close();
    await index.end?.();
  });

  it('has no rows before a version is written', async () => {
    expect(await index.read('v4', [randomUUID()])).toEqual([]);
    expect([...(await index.countByFile('v4'))]).toEqual([]);
  });

  it('replaces the speakers of a file and keeps those of others', async () => {
    const [fileId, other] = [randomUUID(), randomUUID()];
    const [first, second, third, kept] = [rowOf(fileId), rowOf(fileId), rowOf(fileId), rowOf(other)];
    await index.replaceFile('v3', fileId, [first, second]);
    await index.replaceFile('v3', other, [kept]);
    await index.replaceFile('v3', fileId, [second, third]);
    const found = await index.read(
      'v3',
      [first, second, third, kept].map(({ speakerId }) => speakerId),
    );
    expect(new Set(found.map(({ speakerId }) => speakerId))).toEqual(
      new Set([second, third, kept].map(({ speakerId }) => speakerId)),
    );
    expect(found.find(({ speakerId }) => speakerId === kept.speakerId)).toEqual(kept);
    const counts = await index.countByFile('v3');
    expect([counts.get(fileId), counts.get(other)]).toEqual([2, 1]);
    await index.replaceFile('v3', fileId, []);
    expect((await index.countByFile('v3')).has(fileId)).toBe(false);
  });

  it('keeps the versions apart, and refuses a vector of another dimension', async () => {
    const fileId = randomUUID();
    const row = rowOf(fileId, 'v4');
    await index.replaceFile('v4', fileId, [row]);
    expect(await index.read('v3', [row.speakerId])).toEqual([]);
    await expect(index.replaceFile('v4', fileId, [rowOf(fileId, 'v4', 512)])).rejects.toThrow();
  });

  it('drops one version, and creates it again without rows', async () => {
    const fileId = randomUUID();
    await index.replaceFile('v4', fileId, [rowOf(fileId, 'v4')]);
    await index.drop('v4');
    expect([...(await index.countByFile('v4'))]).toEqual([]);
    await index.replaceFile('v4', fileId, [rowOf(fileId, 'v4')]);
    await index.create('v4');
    expect([...(await index.countByFile('v4'))]).toEqual([]);
    expect((await index.countByFile('v3')).size).toBeGreaterThan(0);
  });
});

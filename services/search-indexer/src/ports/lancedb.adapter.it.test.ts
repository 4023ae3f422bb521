import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLog } from '@overtone/service-kit';
import { markFolder } from '@overtone/service-kit/folder-marker';
import {
  buildRow,
  everything,
  idsOf,
  indexContract,
  model,
  noLevels,
  noVector,
  queryVector,
  vector,
} from '../../test/index-contract.ts';
import { filesWith } from '../../test/files-with.ts';
import { createLanceSpeakers } from './lancedb-speakers.adapter.ts';
import { createLanceIndex } from './lancedb.adapter.ts';
import type { SearchIndex } from './search-index.ts';

/** Maintenance is due after every write. */
const noPause = { ms: 0, ofLastRun: 0, readersMs: 0 };
const log = createLog('search-indexer', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'text' });

describe('LanceDB index', () => {
  let directory: string;
  let index: SearchIndex;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'overtone-index-'));
    index = createLanceIndex({ directory, log });
  });
  afterEach(async () => {
    await index.close();
    await rm(directory, { recursive: true, force: true });
  });

  indexContract(() => index);

  it('is available again after a restart', async () => {
    const fileId = randomUUID();
    const build = await index.beginBuild('current', null);
    await index.replaceFile(build.id, fileId, [buildRow({ fileId, terms: 'kept', vector: vector(1, 0, 0) }, 0)], model);
    await index.close();
    index = createLanceIndex({ directory, log });
    expect(await index.builds()).toMatchObject({ current: { id: build.id, model } });
    expect(await index.countPassages()).toBe(1);
  });

  it.each(['was deleted', 'was replaced by an empty one'])(
    'is unavailable when its marked folder %s, writes nothing there, and works again with the folder',
    async (how) => {
      await markFolder(directory);
      const marked = createLanceIndex({ directory, requiresMarker: true, log });
      const build = await marked.beginBuild('current', null);
      const row = buildRow({ fileId: randomUUID(), terms: 'kept', vector: vector(1, 0, 0) }, 0);
      await marked.replaceFile(build.id, row.fileId, [row], model);
      await rename(directory, `${directory}-away`);
      if (how !== 'was deleted') await mkdir(directory);
      const restarted = createLanceIndex({ directory, requiresMarker: true, log });
      const speakers = createLanceSpeakers({ directory, requiresMarker: true });
      for (const attempt of [
        () => marked.ping(),
        () => marked.replaceFile(build.id, row.fileId, [row], model),
        () => restarted.ping(),
        () => restarted.builds(),
        () => restarted.beginBuild('current', null),
        () => speakers.create('v4'),
      ])
        await expect(attempt()).rejects.toMatchObject({ code: 'search_unavailable' });
      expect(await readdir(directory).catch(() => [])).toEqual([]);
      await rm(directory, { recursive: true, force: true });
      await rename(`${directory}-away`, directory);
      await restarted.ping();
      expect(await restarted.countPassages()).toBe(1);
      for (const opened of [marked, restarted, speakers]) await opened.close();
    },
  );

  it('whose files were deleted while it runs reports that it cannot be read, and what to do', async () => {
    const build = await index.beginBuild('current', null);
    const row = buildRow({ fileId: randomUUID(), terms: 'kept', vector: vector(1, 0, 0) }, 0);
    await index.replaceFile(build.id, row.fileId, [row], model);
    for (const name of await readdir(directory)) await rm(join(directory, name), { recursive: true });
    const failure = { code: 'search_unavailable', message: expect.stringContaining('start a reindex') };
    await expect(index.countPassages()).rejects.toMatchObject(failure);
    await expect(index.passages([row.id])).rejects.toMatchObject(failure);
    await expect(index.countByFile()).rejects.toMatchObject(failure);
    await expect(index.ping()).rejects.toMatchObject(failure);
    await rm(directory, { recursive: true });
    await expect(index.ping()).rejects.toMatchObject(failure);
  });

  it('is lost and rebuilt when it was written by another version', async () => {
    const fileId = randomUUID();
    const old = await index.beginBuild('current', null);
    await index.replaceFile(old.id, fileId, [buildRow({ fileId, terms: 'kept' }, 0)], null);
    await index.close();
    await writeFile(
      join(directory, 'builds.json'),
      JSON.stringify({ current: old, building: null, completedAt: null }),
    );
    index = createLanceIndex({ directory, log });
    expect((await index.builds()).current).toBeNull();
    const build = await index.beginBuild('building', null);
    expect((await readdir(directory)).filter((name) => name.endsWith('.lance'))).toEqual([
      `passages_${build.id}.lance`,
    ]);
  });

  it.each(['before anything was indexed', 'with a table that is open'])(
    'does not answer a probe while its folder is away, %s',
    async (when) => {
      await index.ping();
      if (when.startsWith('with')) await index.countPassages().then(() => index.beginBuild('current', null));
      await index.ping();
      await rename(directory, `${directory}.away`);
      await writeFile(directory, '');
      try {
        await expect(index.ping()).rejects.toThrow();
      } finally {
        await rm(directory);
        await rename(`${directory}.away`, directory);
      }
      await index.ping();
    },
  );

  it('is lost when its table was removed', async () => {
    const build = await index.beginBuild('current', null);
    await index.close();
    await rm(join(directory, `passages_${build.id}.lance`), { recursive: true });
    index = createLanceIndex({ directory, log });
    expect((await index.builds()).current).toBeNull();
  });

  it('shows a reader either all old or all new rows of a file', async () => {
    const fileId = randomUUID();
    const build = await index.beginBuild('current', null);
    const version = (round: number) =>
      Array.from({ length: 1 + (round % 3) }, (_, i) =>
        buildRow({ fileId, terms: `word v${round}x${1 + (round % 3)}` }, i),
      );
    await index.replaceFile(build.id, fileId, version(0), null);
    let writing = true;
    const writer = (async () => {
      for (let round = 1; round <= 12; round++) await index.replaceFile(build.id, fileId, version(round), null);
      writing = false;
    })();
    let reads = 0;
    while (writing) {
      const request = { keyword: { words: ['word'], phrases: [] }, vector: noVector, filter: everything };
      const ids = idsOf((await index.search({ ...request, keywordLimit: 10, ...noLevels, semanticLimit: 1 })).keyword);
      const texts = (await index.passages([`${fileId}:0`])).map((passage) => passage.text);
      expect(ids.length).toBeGreaterThan(0);
      expect(texts).toHaveLength(1);
      reads += 1;
    }
    await writer;
    expect(reads).toBeGreaterThan(5);
  });

  it('returns the same cosine scores with and without the vector index, also when the table has outgrown it', async () => {
    await index.close();
    index = createLanceIndex({ directory, log, indexFrom: 100, pause: noPause });
    let seed = 1;
    const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647 - 0.5;
    const unit = () => {
      const direction = vector(random(), random(), random());
      return direction.map((x) => x / Math.hypot(...direction));
    };
    const known = new Map<string, Float32Array>();
    const put = async (build: string, count: number) => {
      const fileId = randomUUID();
      const rows = Array.from({ length: count }, (_, position) =>
        buildRow({ fileId, terms: 'word', vector: unit() }, position),
      );
      for (const row of rows) if (row.vector) known.set(row.id, row.vector);
      await index.replaceFile(build, fileId, rows, model);
    };
    const build = await index.beginBuild('building', model);
    await put(build.id, 400);
    await index.promote();
    for (const more of [0, 3_000]) {
      if (more > 0) {
        await put(build.id, more);
        for (let i = 0; i < 20; i++) await put(build.id, 1);
        await index.maintain();
      }
      const query = unit();
      const request = {
        keyword: null,
        vector: queryVector(query),
        filter: everything,
        keywordLimit: 1,
        ...noLevels,
      };
      const { semantic } = await index.search({ ...request, semanticLimit: 20 });
      const cosine = (other: Float32Array) => other.reduce((sum, x, i) => sum + x * (query[i] ?? 0), 0);
      const best = [...known].map(([id, values]) => ({ id, score: cosine(values) })).sort((x, y) => y.score - x.score);
      if (semantic.status !== 'ok') throw new Error('the leg failed');
      expect(semantic.hits[0]?.id).toBe(best[0]?.id);
      for (const hit of semantic.hits)
        expect(hit.score).toBeCloseTo(best.find((candidate) => candidate.id === hit.id)?.score ?? 0, 3);
    }
  });

  it('finds the nearest of few permitted rows also in partitions of the vector index that a query does not scan', async () => {
    await index.close();
    index = createLanceIndex({ directory, log, indexFrom: 100, pause: noPause });
    const build = await index.beginBuild('current', model);
    const [others, own] = [
      randomUUID(),
      buildRow({ fileId: randomUUID(), terms: 'word', vector: vector(-1, 0, 0) }, 0),
    ];
    const around = (position: number) => vector(Math.cos(position), Math.sin(position), Math.sin(position / 2));
    const rows = Array.from({ length: 30_000 }, (_, position) =>
      buildRow({ fileId: others, terms: 'word', vector: around(position) }, position),
    );
    await index.replaceFile(build.id, others, rows, model);
    await index.replaceFile(build.id, own.fileId, [own], model);
    await index.maintain();
    const { semantic } = await index.search({
      keyword: null,
      vector: queryVector(vector(1, 0, 0)),
      filter: { ...everything, fileIds: [own.fileId] },
      keywordLimit: 1,
      ...noLevels,
      semanticLimit: 10,
    });
    expect(idsOf(semantic)).toEqual([own.id]);
  });

  it('finds rows written before and after maintenance, also when it was ended', async () => {
    await index.close();
    index = createLanceIndex({ directory, log, pause: noPause });
    const build = await index.beginBuild('current', null);
    const files = Array.from({ length: 25 }, () => randomUUID());
    for (const fileId of files)
      await index.replaceFile(
        build.id,
        fileId,
        [buildRow({ fileId, terms: 'word', vector: vector(1, 0, 0) }, 0)],
        model,
      );
    const count = async () => {
      const request = {
        keyword: { words: ['word'], phrases: [] },
        vector: queryVector(vector(1, 0, 0)),
        filter: everything,
      };
      const legs = await index.search({ ...request, keywordLimit: 100, ...noLevels, semanticLimit: 100 });
      return [idsOf(legs.keyword).length, idsOf(legs.semantic).length];
    };
    expect(await count()).toEqual([25, 25]);
    // Allowed: the limit is meant to end it soon after its start, as a stop of the service does.
    await index.maintain(AbortSignal.timeout(300));
    expect(await count()).toEqual([25, 25]);
    await index.maintain();
    expect(await count()).toEqual([25, 25]);
  });

  it('has no word of a removed file in its files after a purge, and finds all others', async () => {
    await index.close();
    index = createLanceIndex({ directory, log, pause: noPause });
    const build = await index.beginBuild('current', model);
    // Many kept rows: LanceDB leaves deleted rows in files of which they are a small part.
    const [removed, kept] = [randomUUID(), randomUUID()];
    const row = (fileId: string, terms: string, position: number) =>
      buildRow({ fileId, terms, vector: vector(1, position, 0) }, position);
    const others = Array.from({ length: 300 }, (_, position) => row(kept, `kept${position}`, position));
    await index.replaceFile(build.id, kept, others, model);
    await index.replaceFile(build.id, removed, [row(removed, 'zebrafinch', 0)], model);
    await index.maintain();
    expect(await filesWith(directory, 'zebrafinch')).not.toEqual([]);
    await index.removeFile(removed);
    await index.purge();
    expect(await filesWith(directory, 'zebrafinch')).toEqual([]);
    expect(await filesWith(directory, removed)).toEqual([]);
    expect(await index.countPassages()).toBe(300);
    const request = { vector: noVector, filter: everything, keywordLimit: 10, ...noLevels, semanticLimit: 1 };
    const { keyword } = await index.search({ ...request, keyword: { words: ['kept7'], phrases: [] } });
    expect(idsOf(keyword)).toEqual([others[7]?.id]);
    await index.replaceFile(build.id, removed, [row(removed, 'again', 0)], model);
    await index.maintain();
    expect(await index.countPassages()).toBe(301);
  });
});

import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import {
  fileRowIdOf,
  rowIdOf,
  sectionIdOf,
  type Hit,
  type IndexFilter,
  type IndexRow,
  type QueryVector,
  type KeywordResult,
  type LegResult,
  type SearchIndex,
  type SearchRequest,
  type Shown,
} from '../src/ports/search-index.ts';

export const everything: IndexFilter = {
  ownerId: null,
  sharedIds: [],
  fileIds: null,
  excludedFileIds: [],
  speakers: [],
  tags: [],
  excludedTags: [],
  media: [],
  uploadedFrom: null,
  uploadedTo: null,
  minDuration: null,
  maxDuration: null,
};
export const model = { name: 'test-model', dim: 3 };
/** Sections and whole files are not searched. */
export const noLevels = { sectionLimit: 0, fileLimit: 0 };
export const noVector = Promise.resolve(null);

/** The vector of a query, of the model of the tests. */
export function queryVector(values: Float32Array): Promise<QueryVector> {
  return Promise.resolve({ model: model.name, values });
}

export function vector(...values: number[]): Float32Array {
  return new Float32Array(values);
}

function shownOf(fileId: string, position: number, text: string): Shown {
  return { id: rowIdOf(fileId, position), text, end: 9, layout: { at: [0], ms: [0], turns: [[0, 'Ann']] } };
}

type Given = Partial<IndexRow> & { fileId: string; terms: string };

export function buildRow({ fileId, terms, ...rest }: Given, position: number): IndexRow {
  return {
    id: `${fileId}:${position}`,
    fileId,
    ownerId: '00000000-0000-4000-8000-000000000001',
    kind: 'passage',
    terms,
    sectionTerms: null,
    fileTerms: null,
    speakers: ['ann'],
    tags: [],
    uploaded: 1_000,
    duration: 60,
    media: 'audio',
    shown: shownOf(fileId, position, terms),
    vector: null,
    ...rest,
  };
}

export function idsOf(leg: LegResult | KeywordResult): string[] {
  if (leg.status !== 'ok') throw new Error(`leg ${leg.status}`, { cause: 'error' in leg ? leg.error : undefined });
  return leg.hits.map((hit) => hit.id);
}

/** The contract of every `SearchIndex` adapter. */
export function indexContract(open: () => SearchIndex): void {
  const words = async (index: SearchIndex, ...terms: string[]) => {
    const request = { keyword: { words: terms, phrases: [] }, vector: noVector, filter: everything };
    return idsOf((await index.search({ ...request, keywordLimit: 100, ...noLevels, semanticLimit: 10 })).keyword);
  };
  const found = async (index: SearchIndex, filter: Partial<IndexFilter>, phrases: string[][] = []) => {
    const request = { keyword: { words: [], phrases }, vector: noVector, filter: { ...everything, ...filter } };
    return idsOf(
      (await index.search({ ...request, keywordLimit: 100, ...noLevels, semanticLimit: 10 })).keyword,
    ).sort();
  };
  const fill = async (index: SearchIndex, ...rows: Given[]) => {
    const build = await index.beginBuild('current', null);
    const byFile = Map.groupBy(rows, (row) => row.fileId);
    for (const [fileId, of] of byFile) {
      const made = of.map(buildRow);
      await index.replaceFile(build.id, fileId, made, made.some((row) => row.vector) ? model : null);
    }
    return build;
  };
  const file = () => randomUUID();

  it('returns empty results before anything was indexed', async () => {
    const index = open();
    expect(await index.builds()).toEqual({ current: null, building: null, completedAt: null });
    expect(await words(index, 'deadlin')).toEqual([]);
    expect(await index.countPassages()).toBe(0);
  });

  it('runs only the requested legs, also before anything was indexed', async () => {
    const index = open();
    const keyword = { words: ['deadlin'], phrases: [] };
    const limits = { keywordLimit: 10, ...noLevels, semanticLimit: 10 };
    const statuses = async (request: Pick<SearchRequest, 'keyword' | 'vector'>) => {
      const legs = await index.search({ ...request, filter: everything, ...limits });
      return [legs.keyword.status, legs.semantic.status];
    };
    const check = async () => {
      const query = queryVector(vector(1, 0, 0));
      expect(await statuses({ keyword: null, vector: noVector })).toEqual(['not_asked', 'not_asked']);
      expect(await statuses({ keyword, vector: noVector })).toEqual(['ok', 'not_asked']);
      expect(await statuses({ keyword: null, vector: query })).toEqual(['not_asked', 'ok']);
      expect(await statuses({ keyword, vector: query })).toEqual(['ok', 'ok']);
    };
    await check();
    await fill(index, { fileId: file(), terms: 'deadlin', vector: vector(1, 0, 0) });
    await check();
  });

  it('ranks passages with more and rarer words first', async () => {
    const index = open();
    const [first, second, third] = [file(), file(), file()];
    await fill(
      index,
      { fileId: first, terms: 'meet about budget' },
      { fileId: second, terms: 'meet about deadlin and budget' },
      { fileId: third, terms: 'meet about noth' },
    );
    expect(await words(index, 'deadlin', 'budget')).toEqual([`${second}:0`, `${first}:0`]);
  });

  it('finds sections and whole files by their own words, ranked among their like, with the filters of passages', async () => {
    const index = open();
    const [first, second] = [file(), file()];
    const [me, other] = [randomUUID(), randomUUID()];
    const levels = (fileId: string, ownerId: string, text: string): Given[] => [
      { fileId, ownerId, terms: text },
      { fileId, ownerId, terms: '', id: sectionIdOf(fileId, 0), kind: 'section', sectionTerms: text, shown: null },
      { fileId, ownerId, terms: '', id: fileRowIdOf(fileId), kind: 'file', fileTerms: `${text} x x`, shown: null },
    ];
    await fill(index, ...levels(first, me, 'budget and noth else'), ...levels(second, other, 'budget budget deadlin'));
    const search = async (words: string[], filter: Partial<IndexFilter> = {}, limit = 10) => {
      const request = { keyword: { words, phrases: [] }, vector: noVector, filter: { ...everything, ...filter } };
      const limits = { keywordLimit: 10, sectionLimit: limit, fileLimit: limit, semanticLimit: 1 };
      const { keyword } = await index.search({ ...request, ...limits });
      if (keyword.status !== 'ok') throw new Error(keyword.status);
      return keyword;
    };
    const filesOf = (hits: readonly Hit[]) => hits.map(({ fileId }) => fileId);
    const both = await search(['budget', 'deadlin']);
    expect([both.hits, both.sections, both.files].map(filesOf)).toEqual([
      [second, first],
      [second, first],
      [second, first],
    ]);
    expect(filesOf((await search(['x'])).files).sort()).toEqual([first, second].sort());
    expect((await search(['x'])).hits).toEqual([]);
    const mine = await search(['budget'], { ownerId: me });
    expect([mine.sections, mine.files].map(filesOf)).toEqual([[first], [first]]);
    const chosen = await search(['budget'], { fileIds: [second, file()] });
    expect([chosen.hits, chosen.sections, chosen.files].map(filesOf)).toEqual([[second], [second], [second]]);
    expect((await search(['budget'], { fileIds: [] })).files).toEqual([]);
    expect(await search(['budget'], {}, 0)).toMatchObject({ sections: [], files: [] });
    // Without words, all files that pass the filter.
    const passed = await search([], { ownerId: me });
    expect([passed.hits, passed.sections, passed.files].map(filesOf)).toEqual([[first], [], [first]]);
    expect(filesOf((await search([])).files).sort()).toEqual([first, second].sort());
    expect(await index.countPassages()).toBe(2);
  });

  it('finds phrases in any of their alternatives', async () => {
    const index = open();
    const first = file();
    await fill(
      index,
      { fileId: first, terms: 'it is in march not march in' },
      { fileId: first, terms: 'march is in it' },
    );
    expect(await found(index, {}, [['in march']])).toEqual([`${first}:0`]);
    expect(await found(index, {}, [['im märz', 'march is']])).toEqual([`${first}:1`]);
    expect(await found(index, {}, [['in march'], ['is in it']])).toEqual([]);
  });

  it('returns the current passage, also when it was rewritten since it was found', async () => {
    const index = open();
    const fileId = file();
    const build = await fill(index, { fileId, terms: 'word one' }, { fileId, terms: 'word two' });
    expect((await words(index, 'word')).sort()).toEqual([`${fileId}:0`, `${fileId}:1`]);
    const texts = async () => (await index.passages([`${fileId}:0`, `${fileId}:1`])).map(({ text }) => text).sort();
    expect(await texts()).toEqual(['word one', 'word two']);
    await index.replaceFile(build.id, fileId, [buildRow({ fileId, terms: 'word three' }, 0)], null);
    expect(await texts()).toEqual(['word three']);
    expect(await words(index, 'word')).toEqual([`${fileId}:0`]);
    await index.removeFile(fileId);
    expect([await texts(), await words(index, 'word')]).toEqual([[], []]);
  });

  it('finds files of an owner and files shared with them', async () => {
    const index = open();
    const [own, shared, strange] = [file(), file(), file()];
    const [me, other] = [randomUUID(), randomUUID()];
    await fill(
      index,
      { fileId: own, terms: 'x', ownerId: me, vector: vector(1, 0, 0) },
      { fileId: shared, terms: 'x', ownerId: other, vector: vector(1, 0, 0) },
      { fileId: strange, terms: 'x', ownerId: other, vector: vector(1, 0, 0) },
    );
    const filter = { ...everything, ownerId: me, sharedIds: [shared, randomUUID()] };
    const request = { keyword: { words: ['x'], phrases: [] }, vector: queryVector(vector(1, 0, 0)), filter };
    const { keyword, semantic } = await index.search({ ...request, keywordLimit: 100, ...noLevels, semanticLimit: 10 });
    const expected = [`${own}:0`, `${shared}:0`].sort();
    expect([idsOf(keyword).sort(), idsOf(semantic).sort()]).toEqual([expected, expected]);
    expect(await found(index, { ownerId: me, sharedIds: [] })).toEqual([`${own}:0`]);
  });

  it('finds only the requested files, and none when none is requested', async () => {
    const index = open();
    const [first, second] = [file(), file()];
    await fill(
      index,
      { fileId: first, terms: 'x', vector: vector(1, 0, 0) },
      { fileId: second, terms: 'x', vector: vector(1, 0, 0) },
    );
    expect(await found(index, { fileIds: [second, randomUUID()] })).toEqual([`${second}:0`]);
    expect(await found(index, { fileIds: [] })).toEqual([]);
  });

  it('filters by owner, speaker, tag, media type, time and duration', async () => {
    const index = open();
    const [first, second] = [file(), file()];
    const other = randomUUID();
    await fill(
      index,
      { fileId: first, terms: 'x', tags: ["o'brien & sons"], speakers: ['ann', 'bob'], uploaded: 1, duration: 10 },
      { fileId: second, terms: 'x', ownerId: other, media: 'video', uploaded: 5, duration: null, speakers: [] },
    );
    expect(await found(index, {})).toEqual([`${first}:0`, `${second}:0`].sort());
    expect(await found(index, { ownerId: other })).toEqual([`${second}:0`]);
    expect(await found(index, { speakers: ['bob', 'eve'] })).toEqual([`${first}:0`]);
    expect(await found(index, { tags: ["o'brien & sons"] })).toEqual([`${first}:0`]);
    expect(await found(index, { media: ['video'] })).toEqual([`${second}:0`]);
    expect(await found(index, { uploadedFrom: 2 })).toEqual([`${second}:0`]);
    expect(await found(index, { uploadedTo: 2, minDuration: 5, maxDuration: 10 })).toEqual([`${first}:0`]);
    expect(await found(index, { uploadedTo: 2, minDuration: Number.MIN_VALUE, maxDuration: Number.MAX_VALUE })).toEqual(
      await found(index, { uploadedTo: 2 }),
    );
    expect(await found(index, { minDuration: Number.MAX_VALUE })).toEqual([]);
  });

  it('treats filter values as data, never as query syntax', async () => {
    const index = open();
    await fill(index, { fileId: file(), terms: 'x', tags: ['mine'] });
    expect(await found(index, { tags: ["x') or true --", "\\' or '1'='1"] })).toEqual([]);
    await expect(found(index, { ownerId: "' or 1=1 --" })).rejects.toThrow();
    await expect(index.removeFile("' or true --")).rejects.toThrow();
  });

  it('finds similar rows, most similar first, by cosine', async () => {
    const index = open();
    const [first, second] = [file(), file()];
    await fill(
      index,
      { fileId: first, terms: 'x', vector: vector(1, 0, 0) },
      { fileId: second, terms: 'y', vector: vector(0.6, 0.8, 0) },
      { fileId: second, terms: 'z' },
    );
    const request = {
      keyword: null,
      vector: queryVector(vector(1, 0, 0)),
      filter: everything,
      keywordLimit: 1,
      ...noLevels,
      semanticLimit: 10,
    };
    const { keyword, semantic } = await index.search(request);
    expect(keyword.status).toBe('not_asked');
    expect(idsOf(semantic)).toEqual([`${first}:0`, `${second}:0`]);
    const scores = semantic.status === 'ok' ? semantic.hits.map((hit) => hit.score) : [];
    expect(scores[0]).toBeCloseTo(1, 3);
    expect(scores[1]).toBeCloseTo(0.6, 3);
    const mine = await index.search({ ...request, filter: { ...everything, ownerId: randomUUID() } });
    expect(idsOf(mine.semantic)).toEqual([]);
  });

  it('has no semantic leg for the vector of another model, even of the same dimension', async () => {
    const index = open();
    await fill(index, { fileId: file(), terms: 'x', vector: vector(1, 0, 0) });
    const other = Promise.resolve({ model: 'other-model', values: vector(1, 0, 0) });
    const request = { keyword: { words: ['x'], phrases: [] }, vector: other, filter: everything };
    const { keyword, semantic } = await index.search({ ...request, keywordLimit: 1, ...noLevels, semanticLimit: 10 });
    expect([keyword.status, semantic.status]).toEqual(['ok', 'failed']);
  });

  it('finds a passage by its windows, and windows only by their vectors', async () => {
    const index = open();
    const first = file();
    const build = await index.beginBuild('current', null);
    const passage = buildRow({ fileId: first, terms: 'word' }, 0);
    const windows = [vector(0, 1, 0), vector(1, 0, 0)].map((direction, i) => ({
      ...buildRow({ fileId: first, terms: '', kind: 'window', vector: direction }, 0),
      id: rowIdOf(first, 0, i * 30),
    }));
    await index.replaceFile(build.id, first, [passage, ...windows], model);
    const request = {
      keyword: null,
      vector: queryVector(vector(1, 0, 0)),
      filter: everything,
      keywordLimit: 9,
      ...noLevels,
      semanticLimit: 1,
    };
    const { semantic } = await index.search(request);
    expect(semantic).toMatchObject({ status: 'ok', hits: [{ id: `${first}:0`, fileId: first, token: 30 }] });
    expect(await found(index, {})).toEqual([`${first}:0`]);
    expect(await index.countPassages()).toBe(1);
  });

  it('replaces all rows of a file and no others', async () => {
    const index = open();
    const [first, second] = [file(), file()];
    const build = await fill(
      index,
      { fileId: first, terms: 'old' },
      { fileId: first, terms: 'old second' },
      { fileId: second, terms: 'old' },
    );
    await index.replaceFile(build.id, first, [buildRow({ fileId: first, terms: 'new' }, 0)], null);
    expect(await words(index, 'old', 'new', 'second')).toEqual(expect.arrayContaining([`${first}:0`, `${second}:0`]));
    expect(await words(index, 'old', 'new', 'second')).toHaveLength(2);
    await index.replaceFile(build.id, first, [], null);
    expect(await index.countPassages()).toBe(1);
  });

  it('returns passages as they were stored, without removed files', async () => {
    const index = open();
    const first = file();
    const shown = shownOf(first, 0, `Stems, "quoted" <b> 'and' \\n`);
    await fill(index, { fileId: first, terms: 'stem', shown });
    expect(await index.passages([`${first}:0`, `${first}:7`])).toEqual([shown]);
    await index.removeFile(first);
    expect(await index.passages([`${first}:0`])).toEqual([]);
    expect(await words(index, 'stem')).toEqual([]);
  });

  it('counts the passages of each file, and no windows, sections or cards', async () => {
    const index = open();
    const [first, second] = [file(), file()];
    expect(await index.countByFile()).toEqual(new Map());
    await fill(
      index,
      { fileId: first, terms: 'one' },
      { fileId: first, terms: 'two' },
      { fileId: first, terms: '', id: sectionIdOf(first, 0), kind: 'section', sectionTerms: 'one two', shown: null },
      { fileId: second, terms: 'title', id: rowIdOf(second, 'card'), kind: 'card' },
    );
    expect(await index.countByFile()).toEqual(
      new Map([
        [first, 2],
        [second, 0],
      ]),
    );
  });

  it('keeps the current build when the one in progress is discarded', async () => {
    const index = open();
    const first = file();
    const { id } = await fill(index, { fileId: first, terms: 'old' });
    const building = await index.beginBuild('building', null);
    await index.replaceFile(building.id, first, [buildRow({ fileId: first, terms: 'new' }, 0)], null);
    await index.discardBuild();
    expect(await index.builds()).toMatchObject({ current: { id }, building: null });
    expect(await words(index, 'old', 'new')).toEqual([`${first}:0`]);
    await expect(index.replaceFile(building.id, first, [], null)).rejects.toMatchObject({ code: 'search_unavailable' });
    await index.discardBuild();
    expect((await index.beginBuild('building', null)).id).not.toBe(building.id);
  });

  it('serves the old build until the new one is complete', async () => {
    const index = open();
    const first = file();
    await fill(index, { fileId: first, terms: 'old' });
    expect((await index.builds()).completedAt).toBeNull();
    const build = await index.beginBuild('building', model);
    expect((await index.beginBuild('building', null)).id).toBe(build.id);
    await index.replaceFile(
      build.id,
      first,
      [buildRow({ fileId: first, terms: 'new', vector: vector(1, 0, 0) }, 0)],
      model,
    );
    expect(await words(index, 'new', 'old')).toEqual([`${first}:0`]);
    expect((await index.passages([`${first}:0`]))[0]?.text).toBe('old');
    await index.promote();
    expect((await index.passages([`${first}:0`]))[0]?.text).toBe('new');
    const completedAt: unknown = expect.any(String);
    expect(await index.builds()).toEqual({ current: { id: build.id, model }, building: null, completedAt });
  });
}

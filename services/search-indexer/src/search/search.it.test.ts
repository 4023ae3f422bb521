import { rm } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startIndexer, type TestIndexer } from '../../test/indexer.ts';
import { record } from '../../test/library.ts';

describe('search', () => {
  let indexer: TestIndexer;
  beforeEach(async () => {
    indexer = await startIndexer();
  });
  afterEach(() => indexer.stop());

  it('finds a spoken word with its time and speaker', async () => {
    const recording = record({
      turns: [
        ['Ann', 'we talked about many things'],
        ['Bob', 'and the deadlines <are> near'],
      ],
    });
    await indexer.add(recording);
    const answer = await indexer.search({ q: 'deadline' });
    expect(answer).toMatchObject({ total_files: 1, total_results: 1, legs: { keyword: 'ok', semantic: 'ok' } });
    expect(answer.results[0]).toMatchObject({
      file_uuid: recording.file.fileId,
      speakers: ['Ann', 'Bob'],
      semantic_only: false,
    });
    expect(answer.results[0]?.occurrences[0]).toMatchObject({
      snippet: 'we talked about many things and the <mark>deadlines</mark> &lt;are&gt; near',
      speaker: 'Bob',
      start_time: 7,
      match_type: 'both',
    });
  });

  it('finds a paraphrase and reports a semantic match', async () => {
    const [near, far] = [
      record({ turns: [['Ann', 'it must be finished in march']] }),
      record({ turns: [['Ann', 'my dog is an animal']] }),
    ];
    await indexer.add(near, far);
    const answer = await indexer.search({ q: 'when is the due date' });
    expect(answer.results.map((result) => result.file_uuid)).toEqual([near.file.fileId]);
    expect(answer.results[0]).toMatchObject({ semantic_only: true, occurrences: [{ match_type: 'semantic' }] });
  });

  it('finds a paraphrase within other topics, with its time', async () => {
    const chatter = Array.from({ length: 6 }, (): [string, string] => [
      'Ann',
      'my dog and my cat are the animals that every animal wants to be like when it sees a dog or a cat outside',
    ]);
    const recording = record({
      turns: [
        ...chatter.slice(3),
        ['Bob', 'it must be finished in march at the latest as you know so please do not come with excuses again'],
        ...chatter,
      ],
    });
    await indexer.add(recording);
    const answer = await indexer.search({ q: 'due date' });
    expect(answer.results[0]).toMatchObject({ file_uuid: recording.file.fileId, semantic_only: true });
    expect(answer.results[0]?.occurrences[0]).toMatchObject({ start_time: 72, speaker: 'Bob' });
  });

  it('names all files that it finds in their order, of those that the searcher may see', async () => {
    const recordings = Array.from({ length: 12 }, (_, i) =>
      record({ title: `Meeting ${String(i).padStart(2, '0')}`, turns: [['Ann', 'the deadline is near']] }),
    );
    await indexer.add(...recordings, record({ turns: [['Ann', 'my dog is an animal']] }));
    const query = { q: 'deadline', search_mode: 'keyword', sort_by: 'title', sort_order: 'asc' };
    const ids = recordings.map(({ file }) => file.fileId);
    expect(await indexer.foundFiles(query)).toEqual({ fileIds: ids, more: false });
    const [one] = recordings;
    expect((await indexer.foundFiles(query, { userId: one?.file.ownerId ?? '' })).fileIds).toEqual([one?.file.fileId]);
    expect((await indexer.foundFiles(query, { userId: randomUUID() })).fileIds).toEqual([]);
  });

  it('finds nothing for a query without known words', async () => {
    await indexer.add(record({ turns: [['Ann', 'it must be finished in march']] }));
    for (const query of ['xqzvw blorp', '?!', '"" ()', "' or 1=1 --", '%_%', '*'])
      expect(await indexer.search({ q: query })).toMatchObject({ results: [], total_results: 0 });
  });

  it('searches only in a requested collection, and not in an unknown one', async () => {
    const [inside, outside] = [
      record({ turns: [['Ann', 'the deadline']] }),
      record({ turns: [['Ann', 'the deadline']] }),
    ];
    await indexer.add(inside, outside);
    const [collection, empty] = [randomUUID(), randomUUID()];
    indexer.collections.set(collection, [inside.file.fileId]).set(empty, []);
    for (const search_mode of ['hybrid', 'keyword', 'semantic']) {
      const { results } = await indexer.search({ q: 'deadline', collection, search_mode });
      expect(results.map((result) => result.file_uuid)).toEqual([inside.file.fileId]);
    }
    expect((await indexer.search({ q: 'deadline', collection: empty })).total_files).toBe(0);
    await expect(indexer.search({ q: 'deadline', collection: randomUUID() })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('finds no file of a collection that was shared no longer', async () => {
    const recording = record({ turns: [['Ann', 'the deadline']] });
    await indexer.add(recording);
    const collection = randomUUID();
    // Media may answer before the index knows a change, and the other way round: both must allow it.
    indexer.collections.set(collection, [recording.file.fileId]);
    expect((await indexer.search({ q: 'deadline', collection }, { userId: randomUUID() })).total_files).toBe(0);
  });

  it('shows users only their own files, and administrators all files', async () => {
    const recording = record({ turns: [['Ann', 'the deadline']] });
    await indexer.add(recording);
    expect((await indexer.search({ q: 'deadline' }, { userId: recording.file.ownerId })).total_files).toBe(1);
    expect((await indexer.search({ q: 'deadline' }, { userId: randomUUID() })).total_files).toBe(0);
    expect((await indexer.search({ q: 'due date' }, { userId: randomUUID() })).total_files).toBe(0);
    expect((await indexer.search({ q: 'deadline' })).total_files).toBe(1);
  });

  it('neither finds nor counts nor suggests a file of which more is masked, until it was indexed again', async () => {
    const [tightened, other] = [
      record({ turns: [['Zebulon', 'the number is 4155552671']] }),
      record({ turns: [['Ann', 'the number is unknown']] }),
    ];
    await indexer.add(tightened, other);
    const found = async () => {
      const { total_files, total_results, results } = await indexer.search({ q: '4155552671', search_mode: 'keyword' });
      const suggestions = await indexer.suggest('Zeb', { ownerId: null, sharedIds: [] }, 5);
      return { total_files, total_results, results: results.length, suggestions: suggestions.length };
    };
    expect(await found()).toEqual({ total_files: 1, total_results: 1, results: 1, suggestions: 1 });
    await indexer.states.withhold({ ownerId: tightened.file.ownerId, fileId: null });
    expect(await found()).toEqual({ total_files: 0, total_results: 0, results: 0, suggestions: 0 });
    expect((await indexer.search({ q: 'unknown' })).total_files).toBe(1);
    await indexer.indexDue();
    expect(await found()).toEqual({ total_files: 1, total_results: 1, results: 1, suggestions: 1 });
  });

  it.each([0, 1_000])(
    'counts no hit in withheld text that is replaced during a search, next to %i others',
    async (others) => {
      const recording = record({ turns: [['Ann', 'the number is 4155552671']] });
      await indexer.add(recording, record({ turns: [['Ann', 'the number is unknown']] }));
      await indexer.states.withhold({ ownerId: null, fileId: recording.file.fileId });
      await indexer.pool.query(
        `insert into index_state (file_id, owner_id, withheld)
       select gen_random_uuid(), gen_random_uuid(), true from generate_series(1, $1::int)`,
        [others],
      );
      const { segments } = record({ turns: [['Ann', 'the number is masked']] });
      indexer.library.put({ ...recording, segments });
      const { search } = indexer.index;
      indexer.index.search = async (request) => {
        const result = await search(request);
        await indexer.indexDue();
        return result;
      };
      const query = { q: '4155552671', exact: 'true', search_mode: 'keyword' };
      expect(await indexer.search(query)).toMatchObject({ total_files: 0, total_results: 0 });
      expect((await indexer.search({ q: 'number' })).total_files).toBe(2);
    },
  );

  it('does not find a file whose text was read before more of it was masked', async () => {
    const recording = record({ turns: [['Ann', 'the number is 4155552671']] });
    await indexer.add(recording);
    const { transcripts } = indexer.library;
    const { read } = transcripts;
    transcripts.read = async (...args) => {
      const found = await read(...args);
      await indexer.states.withhold({ ownerId: null, fileId: recording.file.fileId });
      transcripts.read = read;
      return found;
    };
    await indexer.indexing.indexFile(recording.file.fileId, { signal: new AbortController().signal });
    expect((await indexer.search({ q: '4155552671' })).total_files).toBe(0);
    await indexer.indexDue();
    expect((await indexer.search({ q: '4155552671' })).total_files).toBe(1);
  });

  it('finds for speaker:"Name" only what that speaker says', async () => {
    const recording = record({
      turns: [
        ['Ann Lee', 'what does the budget say'],
        ['Bob', 'nothing about a deadline'],
      ],
    });
    await indexer.add(recording);
    expect((await indexer.search({ q: 'speaker:"ann lee" budget' })).results[0]?.occurrences[0]).toMatchObject({
      speaker: 'Ann Lee',
      start_time: 3,
    });
    expect(await indexer.search({ q: 'deadline', speakers: 'Ann Lee', search_mode: 'keyword' })).toMatchObject({
      total_results: 0,
      total_files: 0,
    });
    expect((await indexer.search({ q: 'speaker:Bob' })).results[0]?.occurrences[0]).toMatchObject({ start_time: 5 });
  });

  it('matches quoted words exactly', async () => {
    await indexer.add(
      record({ turns: [['Ann', 'the end of the quarter is near']] }),
      record({ turns: [['Ann', 'a quarter of the cake in the end']] }),
    );
    const answer = await indexer.search({ q: '"end of the quarter"' });
    expect(answer).toMatchObject({ total_files: 1, legs: { keyword: 'ok', semantic: 'not_asked' } });
    expect(answer.results[0]?.occurrences[0]?.snippet).toContain(
      '<mark>end</mark> <mark>of</mark> <mark>the</mark> <mark>quarter</mark>',
    );
  });

  it('finds a file by title and tag, ranked after speech', async () => {
    const recording = record({ title: 'Budget & plans', tags: ['Finance'], turns: [['Ann', 'our budget is small']] });
    await indexer.add(recording);
    const { occurrences } = (await indexer.search({ q: 'budget', search_mode: 'keyword' })).results[0] ?? {
      occurrences: [],
    };
    expect(occurrences.map((occurrence) => occurrence.match_type)).toEqual(['keyword', 'title']);
    expect(occurrences[1]?.snippet).toBe('<mark>Budget</mark> &amp; plans');
    expect((await indexer.search({ q: 'finance', search_mode: 'keyword' })).total_files).toBe(1);
    expect((await indexer.search({ q: 'small', tags: 'finance' })).results[0]?.tags).toEqual(['Finance']);
    expect((await indexer.search({ q: 'small', tags: 'other' })).total_files).toBe(0);
  });

  it('filters by media type, time and duration, sorts and pages', async () => {
    const owner = randomUUID();
    const of = (count: number, contentType: string) =>
      record({
        ownerId: owner,
        title: `T${count}`,
        contentType,
        duration: count * 60,
        uploadTime: `2026-01-0${count}T00:00:00.000Z`,
        turns: [['Ann', 'a word']],
      });
    await indexer.add(of(1, 'audio/wav'), of(2, 'video/mp4'), of(3, 'audio/mpeg'));
    const titles = async (query: Record<string, unknown>) =>
      (await indexer.search({ q: 'word', sort_by: 'title', sort_order: 'asc', ...query })).results.map(
        (result) => result.title,
      );
    expect(await titles({})).toEqual(['T1', 'T2', 'T3']);
    expect(await titles({ sort_by: 'duration', sort_order: 'desc' })).toEqual(['T3', 'T2', 'T1']);
    expect(await titles({ sort_by: 'upload_time', page: 2, page_size: 2 })).toEqual(['T3']);
    expect(await titles({ file_type: 'video' })).toEqual(['T2']);
    expect(await titles({ date_from: '2026-01-02T00:00:00Z', date_to: '2026-01-02T23:00:00Z' })).toEqual(['T2']);
    expect(await titles({ min_duration: '61', max_duration: '150' })).toEqual(['T2']);
  });

  it('sorts titles as people do: accents and case do not move a title to the end', async () => {
    await indexer.add(
      ...['Zeta', 'Überblick', 'alpha', 'Beta'].map((title) => record({ title, turns: [['Ann', 'a word']] })),
    );
    const { results } = await indexer.search({ q: 'word', sort_by: 'title', sort_order: 'asc' });
    expect(results.map(({ title }) => title)).toEqual(['alpha', 'Beta', 'Überblick', 'Zeta']);
  });

  it('finds every file of more passages than a search reads, and says that there are more', async () => {
    const long = Array.from({ length: 18 }, (_, i): [string, string] => [
      i % 2 ? 'Ann' : 'Bob',
      `part ${i} of our long talk about the budget of next year`,
    ]);
    for (let i = 0; i < 30; i++) await indexer.add(record({ turns: long, tags: ['talks'] }));
    await indexer.add(record({ turns: [['Ann', 'we have no such word here at all today']] }));
    for (const text of ['budget', 'tag:talks', 'budget tag:talks']) {
      const pages = await Promise.all([1, 2].map((page) => indexer.search({ q: text, page: String(page) })));
      const found = pages.flatMap(({ results }) => results);
      expect(new Set(found.map(({ file_uuid }) => file_uuid)).size).toBe(30);
      expect(found.every(({ occurrences }) => occurrences.length === 3)).toBe(true);
      for (const answer of pages)
        expect(answer).toMatchObject({ total_files: 30, more_results: true, more_files: false });
    }
    const phrase = await indexer.search({ q: '"long talk"' });
    expect(phrase).toMatchObject({ more_results: true, more_files: true });
    const similar = await indexer.search({ q: 'talk about the budget', search_mode: 'semantic' });
    expect(similar).toMatchObject({ more_results: true, more_files: true });
    expect(await indexer.search({ q: 'word' })).toMatchObject({
      total_files: 1,
      more_results: false,
      more_files: false,
    });
  });

  it('reports a leg that did not run and returns the hits of the other', async () => {
    await indexer.add(record({ turns: [['Ann', 'the deadline']] }));
    indexer.meanings.available = false;
    expect(await indexer.search({ q: 'deadline' })).toMatchObject({
      total_files: 1,
      legs: { keyword: 'ok', semantic: 'unavailable' },
    });
    await expect(indexer.search({ q: 'deadline', search_mode: 'semantic' })).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'search_unavailable',
    });
  });

  it('is unavailable, not empty, when the index is lost', async () => {
    await indexer.add(record({ turns: [['Ann', 'the deadline']] }));
    const { current } = await indexer.index.builds();
    await rm(`${indexer.directory}/passages_${current?.id ?? ''}.lance`, { recursive: true });
    await expect(indexer.search({ q: 'deadline', search_mode: 'keyword' })).rejects.toMatchObject({
      kind: 'unavailable',
    });
  });

  it('filters by the operators of a query, and returns all that passes when there are no words', async () => {
    const [board, draft] = [
      record({
        title: 'Board',
        tags: ['Plan'],
        uploadTime: '2026-03-31T23:00:00.000Z',
        turns: [['Ann', 'the budget']],
      }),
      record({
        title: 'Draft',
        tags: ['Plan', 'Draft'],
        uploadTime: '2026-04-01T00:00:00.000Z',
        turns: [['Bob', 'the budget']],
      }),
    ];
    await indexer.add(board, draft);
    indexer.collections.set('Old', [draft.file.fileId]);
    const titles = async (query: string) =>
      (await indexer.search({ q: query, sort_by: 'title', sort_order: 'asc' })).results.map(({ title }) => title);
    expect(await titles('budget tag:plan')).toEqual(['Board', 'Draft']);
    expect(await titles('budget tag:plan -tag:draft')).toEqual(['Board']);
    expect(await titles('budget in:Old')).toEqual(['Draft']);
    expect(await titles('budget -in:Old')).toEqual(['Board']);
    expect(await titles('budget before:2026-04')).toEqual(['Board']);
    expect(await titles('budget after:2026-04')).toEqual(['Draft']);
    expect(await titles('budget -speaker:bob')).toEqual(['Board']);
    expect(await titles('tag:draft')).toEqual(['Draft']);
    expect(await titles('before:2026-04-01')).toEqual(['Board']);
    await expect(indexer.search({ q: 'budget in:New' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(indexer.search({ q: 'budget after:soon' })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('excludes recordings with an excluded word or phrase, in all forms of the word and in both legs', async () => {
    await indexer.add(
      record({ title: 'Board', turns: [['Ann', 'the budget of last year']] }),
      record({
        title: 'Sales',
        turns: [
          ['Bob', 'the budget'],
          ['Ann', 'two deadlines, and a year that was the last'],
        ],
      }),
      record({ title: 'Deadline', turns: [['Bob', 'the budget']] }),
    );
    const titles = async (query: string, mode: 'hybrid' | 'semantic' = 'hybrid') =>
      (await indexer.search({ q: query, search_mode: mode })).results.map(({ title }) => title).sort();
    expect(await titles('budget')).toEqual(['Board', 'Deadline', 'Sales']);
    expect(await titles('budget -deadline')).toEqual(['Board']);
    expect(await titles('budget -deadline', 'semantic')).toEqual(['Board']);
    expect(await titles('budget -"last year"')).toEqual(['Deadline', 'Sales']);
    expect(await titles('-year')).toEqual(['Deadline']);
    expect(await titles('budget -unknown')).toEqual(['Board', 'Deadline', 'Sales']);
  });

  it('drops what an excluded speaker says, but not the other words of the passage', async () => {
    await indexer.add(
      record({
        turns: [
          ['Ann', 'the budget is due'],
          ['Bob', 'which budget'],
        ],
      }),
      record({ turns: [['Ann', 'the budget and the deadline']] }),
    );
    const { results } = await indexer.search({ q: 'budget -speaker:ann' });
    expect(results.map(({ occurrences }) => occurrences.map(({ speaker }) => speaker))).toEqual([['Bob']]);
    expect((await indexer.search({ q: 'due date -speaker:ann', search_mode: 'semantic' })).total_files).toBe(0);
  });

  it('searches the nearest word for one that occurs nowhere, and says so', async () => {
    await indexer.add(record({ turns: [['Ann', 'our budget and the kubernetes cluster']] }));
    expect(await indexer.search({ q: 'our bugdet kubernites' })).toMatchObject({
      query: 'our bugdet kubernites',
      total_files: 1,
      correction: {
        query: 'our budget kubernetes',
        words: [
          { from: 'bugdet', to: 'budget' },
          { from: 'kubernites', to: 'kubernetes' },
        ],
      },
    });
    expect(await indexer.search({ q: 'bugdet', exact: 'true' })).toMatchObject({ total_files: 0, correction: null });
    expect(await indexer.search({ q: '"bugdet"' })).toMatchObject({ total_files: 0, correction: null });
  });

  it('corrects every occurrence of a repeated word, and names the word once', async () => {
    await indexer.add(record({ turns: [['Ann', 'they receive the letters']] }));
    expect((await indexer.search({ q: 'recieve letters Recieve' })).correction).toEqual({
      query: 'receive letters receive',
      words: [{ from: 'recieve', to: 'receive' }],
    });
  });

  it('knows a word with an apostrophe, and corrects one', async () => {
    await indexer.add(record({ turns: [['Ann', "the company's letters"]] }));
    expect((await indexer.search({ q: "company's letters" })).correction).toBeNull();
    expect((await indexer.search({ q: "compnay's letters" })).correction).toMatchObject({ query: "company's letters" });
  });

  it('corrects to a word of the searcher, however many nearer words others have', async () => {
    const near = Array.from(
      { length: 200 },
      (_, i) => `kestrelma${String.fromCharCode(97 + (i % 26), 97 + (i >> 3))}sh`,
    );
    const mine = record({ turns: [['Ann', 'the kestrelmarsh']] });
    const theirs = record({ turns: [['Bob', near.join(' ')]] });
    await indexer.add(mine, theirs);
    const { correction } = await indexer.search({ q: 'kestrelmaaash' }, { userId: mine.file.ownerId });
    expect(correction?.query).toBe('kestrelmarsh');
  });

  it('is complete without a correction when the index does not say whether a word occurs', async () => {
    await indexer.add(record({ turns: [['Ann', 'the budget is due']] }));
    indexer.failWordChecks();
    expect(await indexer.search({ q: 'bugdet due' })).toMatchObject({ total_files: 1, correction: null });
  });

  it('corrects no short word, which may be another word of the language', async () => {
    await indexer.add(record({ turns: [['Ann', 'a real recipe']] }));
    expect((await indexer.search({ q: 'recipe meal' })).correction).toBeNull();
  });

  it('corrects no word that occurs, and no word by a text that the searcher may not read', async () => {
    const mine = record({ turns: [['Ann', 'a badget of budgets']] });
    await indexer.add(mine, record({ turns: [['Ann', 'the kubernetes cluster']] }));
    expect((await indexer.search({ q: 'badget budget' })).correction).toBeNull();
    const searcher = { userId: mine.file.ownerId };
    expect((await indexer.search({ q: 'kubernites' }, searcher)).correction).toBeNull();
    expect((await indexer.search({ q: 'bugdets' }, searcher)).correction).toMatchObject({ query: 'budgets' });
  });

  it('counts speakers, tags, years and collections of all found files on request, only of readable ones', async () => {
    const ownerId = randomUUID();
    const at = (uploadTime: string, speaker: string, tags: string[]) =>
      record({ ownerId, uploadTime, tags, turns: [[speaker, 'the annual plan']] });
    const first = at('2024-05-01T00:00:00.000Z', 'Ann', ['Board']);
    const [collection, unrelated] = [randomUUID(), randomUUID()];
    indexer.collections.set(collection, [first.file.fileId, randomUUID()]).set(unrelated, [randomUUID()]);
    await indexer.add(
      first,
      at('2026-01-01T00:00:00.000Z', 'Ann', ['Board', 'Plan']),
      at('2026-02-01T00:00:00.000Z', 'SPEAKER_01', []),
      record({ ownerId, tags: ['Other'], turns: [['Bob', 'nothing about it']] }),
      record({ tags: ['Secret'], turns: [['Eve', 'the annual plan']] }),
    );
    const search = (more: Record<string, unknown>) =>
      indexer.search({ q: 'annual', search_mode: 'keyword', page_size: 1, ...more }, { userId: ownerId });
    expect((await search({})).facets).toBeNull();
    expect((await search({ facets: 'true' })).facets).toEqual({
      speakers: [{ name: 'Ann', count: 2 }],
      tags: [
        { name: 'Board', count: 2 },
        { name: 'Plan', count: 1 },
      ],
      years: [
        { name: '2026', count: 2 },
        { name: '2024', count: 1 },
      ],
      collections: [{ uuid: collection, name: collection, count: 1 }],
    });
    expect((await search({ facets: 'true', tags: ['plan'] })).facets).toMatchObject({
      tags: [{ name: 'Board' }, { name: 'Plan' }],
      years: [{ name: '2026', count: 1 }],
      collections: [],
    });
  });

  it('counts the years of a requested time zone, as a filter by the dates of that zone finds them', async () => {
    await indexer.add(record({ uploadTime: '2025-12-31T23:30:00.000Z', turns: [['Ann', 'the annual plan']] }));
    const yearsIn = async (zone: object) =>
      (await indexer.search({ q: 'annual', facets: 'true', ...zone })).facets?.years;
    expect(await yearsIn({})).toEqual([{ name: '2025', count: 1 }]);
    expect(await yearsIn({ time_zone: 'Europe/Berlin' })).toEqual([{ name: '2026', count: 1 }]);
    expect(() => indexer.search({ q: 'annual', time_zone: 'Mars/Base' })).toThrow(/unknown time zone/);
  });

  it('finds, and counts the other facets, when the service of collections does not respond', async () => {
    await indexer.add(record({ tags: ['Board'], turns: [['Ann', 'the annual plan']] }));
    indexer.mediaState.responds = false;
    const { total_files, facets } = await indexer.search({ q: 'annual', facets: 'true' });
    expect({ total_files, facets }).toMatchObject({
      total_files: 1,
      facets: { tags: [{ name: 'Board', count: 1 }], collections: null },
    });
  });
});

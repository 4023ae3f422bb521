import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { AnswerOf, FileDetail, mediaRoutes, Word } from '@overtone/contracts';
import { transcribed, transcriptOf, type Run } from '../../test/runs.ts';
import { newUser, startMedia, waitFor, type TestUser } from '../../test/start-media.ts';

type Routes = typeof mediaRoutes;
type Found = AnswerOf<Routes['findText']> & { code?: string };
type Replaced = AnswerOf<Routes['replaceText']>;
type Search = { find: string; replacement?: string; regex?: boolean; whole_word?: boolean; speaker?: string };

const media = await startMedia();

const texts = ['Mister Smyth met smyth here', 'no name at all', 'and Smythe and Smyth'];

function find(person: TestUser, runs: readonly Run[], search: Search) {
  const file_uuids = runs.map(({ fileId }) => fileId);
  return media.json<Found>(person, 'POST', '/api/transcripts/find', { ...search, file_uuids });
}

/** Replaces all places of an earlier search, or some of them. */
function replace(
  person: TestUser,
  found: Found,
  search: Search,
  { uuid = randomUUID(), only = () => true }: { uuid?: string; only?: (at: number) => boolean } = {},
) {
  const files = found.files.flatMap(({ file_uuid, places }) => {
    const chosen = places.filter((_, i) => only(i));
    const segments = [...Map.groupBy(chosen, (place) => place.segment_uuid)].map(([id, own]) => ({
      uuid: id,
      version: own[0]?.version ?? 0,
      starts: own.map(({ start }) => start),
    }));
    return segments.length === 0 ? [] : [{ file_uuid, segments }];
  });
  return media.json<Replaced>(person, 'POST', '/api/transcripts/replace', { ...search, uuid, files });
}

async function shownOf(run: Run): Promise<{ texts: string[]; words: Word[] }> {
  const { body } = await media.json<FileDetail>(run.owner, 'GET', `/api/files/${run.fileId}`);
  const segments = body.transcript_segments;
  return { texts: segments.map(({ text }) => text), words: segments.flatMap(({ words }) => words) };
}

function undo(person: TestUser, uuid: string, runs: readonly Run[]) {
  const file_uuids = runs.map(({ fileId }) => fileId);
  return media.json<Replaced>(person, 'POST', `/api/transcripts/replace/${uuid}/undo`, { file_uuids });
}

const spelling = { find: 'smyth', replacement: 'Smith', whole_word: true };

describe('find and replace', () => {
  it('shows every place of several recordings, replaces all and undoes that in one step', async () => {
    const owner = newUser();
    const runs = [
      await transcribed(media, owner, transcriptOf(texts)),
      await transcribed(media, owner, transcriptOf(texts)),
    ];
    const before = await Promise.all(runs.map(shownOf));
    const { body: found } = await find(owner, runs, spelling);
    expect(found).toMatchObject({ complete: true, files: [{ error: null }, { error: null }] });
    expect(found.files[0]?.places.map(({ text, from, to, speaker }) => [text.slice(from, to), speaker])).toEqual([
      ['Smyth', 'SPEAKER_01'],
      ['smyth', 'SPEAKER_01'],
      ['Smyth', 'SPEAKER_01'],
    ]);
    const uuid = randomUUID();
    const done = await replace(owner, found, spelling, { uuid });
    expect(done.body.results.map(({ replaced, error }) => [replaced, error])).toEqual([
      [3, null],
      [3, null],
    ]);
    const after = await shownOf(runs[0] as Run);
    expect(after.texts).toEqual(['Mister Smith met Smith here', 'no name at all', 'and Smythe and Smith']);
    expect(after.words.map(({ start, end }) => [start, end])).toEqual(
      before[0]?.words.map(({ start, end }) => [start, end]),
    );
    // A repeated request finds its correction stored.
    expect((await replace(owner, found, spelling, { uuid })).body.results[0]?.error).toBeNull();
    expect((await shownOf(runs[0] as Run)).texts).toEqual(after.texts);
    expect((await undo(owner, uuid, runs)).body.results.map(({ error }) => error)).toEqual([null, null]);
    expect(await Promise.all(runs.map(shownOf))).toEqual(before);
    expect((await undo(owner, uuid, runs)).body.results.map(({ error }) => error)).toEqual([null, null]);
    expect(await Promise.all(runs.map(shownOf))).toEqual(before);
  });

  it('replaces one place of a passage, and is one step of the history of the transcript', async () => {
    const run = await transcribed(media, newUser(), transcriptOf(texts));
    const { body: found } = await find(run.owner, [run], spelling);
    await replace(run.owner, found, spelling, { only: (i) => i === 1 });
    expect((await shownOf(run)).texts[0]).toBe('Mister Smyth met Smith here');
    const event = await waitFor(() => media.eventsOf('evt.media.transcript.edited.v1', run.fileId)[0]);
    expect(event.data).toMatchObject({ editedBy: run.owner.userId });
    await media.json(run.owner, 'POST', `/api/files/${run.fileId}/transcript/undo`, { uuid: randomUUID() });
    expect((await shownOf(run)).texts).toEqual(texts);
  });

  it('corrects a recording once, in all chosen places, when a request names it and its passages several times', async () => {
    const run = await transcribed(media, newUser(), transcriptOf(texts));
    const { body: found } = await find(run.owner, [run], spelling);
    const single = found.files.flatMap(({ places, ...file }) => places.map((place) => ({ ...file, places: [place] })));
    const { body } = await replace(run.owner, { ...found, files: [...single, ...single] }, spelling);
    expect(body.results).toEqual([{ file_uuid: run.fileId, replaced: 3, error: null }]);
    expect((await shownOf(run)).texts).toEqual([
      'Mister Smith met Smith here',
      'no name at all',
      'and Smythe and Smith',
    ]);
  });

  it('finds only what one speaker says', async () => {
    const run = await transcribed(media, newUser(), transcriptOf(['one word', 'one word']));
    const { body } = await find(run.owner, [run], { find: 'word', speaker: 'speaker_02' });
    expect(body.files[0]?.places.map(({ start_time }) => start_time)).toEqual([10]);
  });

  it('refuses places of a passage that was changed since, and changes no other passage of that transcript', async () => {
    const run = await transcribed(media, newUser(), transcriptOf(texts));
    const { body: found } = await find(run.owner, [run], spelling);
    const last = found.files[0]?.places.at(-1)?.segment_uuid;
    await media.json(run.owner, 'PUT', `/api/files/${run.fileId}/transcript/segments/${last}`, { text: 'Smyth again' });
    const { body } = await replace(run.owner, found, spelling);
    expect(body.results).toMatchObject([{ replaced: 0, error: { code: 'stale_version' } }]);
    expect((await shownOf(run)).texts).toEqual([texts[0], texts[1], 'Smyth again']);
  });

  it('needs the permission to edit each recording, and names no recording of others', async () => {
    const owner = newUser();
    const [reader, stranger] = [newUser(), newUser()];
    const [shared, own] = [
      await transcribed(media, owner, transcriptOf(texts)),
      await transcribed(media, reader, transcriptOf(texts)),
    ];
    await media.json(owner, 'PUT', `/api/files/${shared.fileId}/shares`, {
      user_uuid: reader.userId,
      permission: 'viewer',
    });
    const { body: found } = await find(reader, [shared, own], spelling);
    expect(found.files.map(({ my_permission, places }) => [my_permission, places.length])).toEqual([
      ['viewer', 3],
      ['owner', 3],
    ]);
    const { body } = await replace(reader, found, spelling);
    expect(body.results).toMatchObject([
      { replaced: 0, error: { code: 'permission_required' } },
      { replaced: 3, error: null },
    ]);
    expect((await shownOf(shared)).texts).toEqual(texts);
    const hidden = await find(stranger, [shared], spelling);
    expect(hidden.body.files).toEqual([
      {
        file_uuid: shared.fileId,
        title: null,
        my_permission: null,
        places: [],
        error: expect.objectContaining({ code: 'not_found' }),
      },
    ]);
    const uuid = randomUUID();
    await replace(owner, (await find(owner, [shared], spelling)).body, spelling, { uuid });
    expect((await undo(stranger, uuid, [shared])).body.results).toMatchObject([{ error: { code: 'not_found' } }]);
  });

  it('neither finds nor changes masked text', async () => {
    const owner = newUser();
    const run = await transcribed(media, owner, transcriptOf(['call me on 415 555 2671 please call', 'no call']));
    await media.json(owner, 'PUT', `/api/files/${run.fileId}/redaction`, { masked_kinds: ['phone'] });
    await waitFor(async () => (await shownOf(run)).texts[0]?.includes('[phone]') || undefined);
    for (const search of [
      { find: '2671' },
      { find: 'phone' },
      { find: '[0-9]', regex: true },
      { find: 'on .* please', regex: true },
    ])
      expect((await find(owner, [run], search)).body.files[0]?.places).toEqual([]);
    const search = { find: 'call', replacement: 'ring' };
    await replace(owner, (await find(owner, [run], search)).body, search);
    expect((await shownOf(run)).texts).toEqual(['ring me on [phone] please ring', 'no ring']);
    const rows = await media.query(
      'select text from transcript_segment where media_file_id = $1 order by position',
      run.fileId,
    );
    expect(rows).toMatchObject([{ text: 'ring me on 415 555 2671 please ring' }, { text: 'no ring' }]);
  });

  it('explains an expression that is not valid', async () => {
    const run = await transcribed(media, newUser(), transcriptOf(texts));
    const { status, body } = await find(run.owner, [run], { find: '(', regex: true });
    expect([status, body.code]).toEqual([400, 'pattern_invalid']);
    expect(body).toMatchObject({ detail: expect.stringContaining('At character 1: This “(” is never closed.') });
  });

  it('ends with a hostile expression over a long transcript, and replaces thousands of passages as one correction', async () => {
    const words = Array.from({ length: 3_000 }, (_, i) => `passage ${i} ${'a'.repeat(40)}`);
    const run = await transcribed(media, newUser(), transcriptOf(words));
    expect((await find(run.owner, [run], { find: '(a|aa)+$', regex: true })).body.files[0]?.places).toHaveLength(3_000);
    expect((await find(run.owner, [run], { find: '(a+)+x', regex: true })).body.files[0]?.places).toEqual([]);
    const search = { find: 'passage', replacement: 'part', whole_word: true };
    const { body: found } = await find(run.owner, [run], search);
    const uuid = randomUUID();
    expect((await replace(run.owner, found, search, { uuid })).body.results).toMatchObject([
      { replaced: 3_000, error: null },
    ]);
    expect((await find(run.owner, [run], { find: 'passage' })).body.files[0]?.places).toEqual([]);
    await undo(run.owner, uuid, [run]);
    expect((await find(run.owner, [run], { find: 'passage' })).body.files[0]?.places).toHaveLength(3_000);
  });
});

import { describe, expect, it } from '@jest/globals';
import type { FileDetail, SegmentObject } from '@overtone/contracts';
import { transcribed, type Run } from '../../test/runs.ts';
import { newUser, startMedia, type TestUser } from '../../test/start-media.ts';

type Undoable = { undo: { uuid: string; expires_at: string } | null };
type Segment = SegmentObject & Undoable;
const media = await startMedia();

async function detailOf(run: Run) {
  return (await media.json<FileDetail>(run.owner, 'GET', `/api/files/${run.fileId}`)).body;
}

/** The state that an undo must restore: everything except versions. */
async function shownOf(run: Run) {
  const { transcript_segments: segments, speakers } = await detailOf(run);
  return { segments: segments.map(({ version: _, ...segment }) => segment), speakers };
}

async function segmentAt(run: Run, index: number): Promise<SegmentObject> {
  const segment = (await detailOf(run)).transcript_segments[index];
  if (!segment) throw new Error('no such segment');
  return segment;
}

function edit(run: Run, id: string, change: object, person: TestUser = run.owner) {
  return media.json<Segment>(person, 'PUT', `/api/files/${run.fileId}/transcript/segments/${id}`, change);
}

function undo(run: Run, { undo: by }: Undoable, person: TestUser = run.owner) {
  return media.json<{ kind: string; transcript_version: number; code?: string }>(
    person,
    'POST',
    `/api/files/${run.fileId}/undo/${by?.uuid}`,
  );
}

/** All changes that can be undone. */
const changes: Record<string, (run: Run) => Promise<Undoable>> = {
  segment_edited: async (run) => (await edit(run, (await segmentAt(run, 0)).uuid, { text: '' })).body,
  segment_deleted: async (run) => {
    const path = `/api/files/${run.fileId}/transcript/segments/${(await segmentAt(run, 1)).uuid}`;
    return (await media.json<Undoable>(run.owner, 'DELETE', path)).body;
  },
  speaker_merged: async (run) => {
    const [one, two] = (await detailOf(run)).speakers;
    return (await media.json<Undoable>(run.owner, 'POST', `/api/speakers/${one?.uuid}/merge/${two?.uuid}`)).body;
  },
  speaker_deleted: async (run) => {
    const [one] = (await detailOf(run)).speakers;
    return (await media.json<Undoable>(run.owner, 'DELETE', `/api/speakers/${one?.uuid}`)).body;
  },
};

describe.each(Object.entries(changes))('the change %s', (kind, make) => {
  it('is undone completely, once', async () => {
    const run = await transcribed(media);
    const before = await shownOf(run);
    const change = await make(run);
    expect(await shownOf(run)).not.toEqual(before);
    const undone = await undo(run, change);
    expect(undone).toMatchObject({ status: 200, body: { kind } });
    expect(await shownOf(run)).toEqual(before);
    const again = await undo(run, change);
    expect(again).toEqual(undone);
    expect((await detailOf(run)).transcript_version).toBe(undone.body.transcript_version);
  });

  it('is undone only by the account that made it, for the same transcript, within a day', async () => {
    const run = await transcribed(media);
    const editor = newUser();
    const share = { user_uuid: editor.userId, permission: 'editor' };
    await media.json(run.owner, 'PUT', `/api/files/${run.fileId}/shares`, share);
    const change = await make(run);
    for (const person of [editor, newUser(), newUser('admin')])
      expect((await undo(run, change, person)).status).toBe(404);
    expect(Date.parse(change.undo?.expires_at ?? '')).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    const { transcript_version: version } = await detailOf(run);
    await run.assemble(undefined, undefined, 9);
    await run.until((file) => (file['transcript_version'] as number) > version);
    expect((await undo(run, change)).status).toBe(404);
  });
});

describe('an undo', () => {
  it('is rejected without effect when it would lose a later edit', async () => {
    const run = await transcribed(media);
    const { uuid } = await segmentAt(run, 0);
    const first = await edit(run, uuid, { text: 'first' });
    const second = await edit(run, uuid, { text: 'second' });
    expect(await undo(run, first.body)).toMatchObject({ status: 409, body: { code: 'stale_version' } });
    expect((await segmentAt(run, 0)).text).toBe('second');
    expect((await undo(run, second.body)).status).toBe(200);
    expect((await undo(run, first.body)).status).toBe(200);
    expect(await segmentAt(run, 0)).toMatchObject({ text: 'good morning everybody', edited: false, edited_by: null });
  });

  it('keeps later speaker assignments and text edits when it reverts a merge', async () => {
    const run = await transcribed(media);
    const [one, two] = (await detailOf(run)).speakers;
    const change = await media.json<Undoable>(run.owner, 'POST', `/api/speakers/${one?.uuid}/merge/${two?.uuid}`);
    const [first, , third] = (await detailOf(run)).transcript_segments;
    await edit(run, first?.uuid ?? '', { text: 'edited' });
    await edit(run, third?.uuid ?? '', { speaker_uuid: null });
    expect((await undo(run, change.body)).status).toBe(200);
    const after = (await detailOf(run)).transcript_segments;
    expect(after.map(({ text, speaker }) => [text, speaker?.uuid ?? null])).toEqual([
      ['edited', one?.uuid],
      ['hello and welcome', two?.uuid],
      ['let us begin', null],
    ]);
  });

  it('assigns another label to a restored speaker when its label is in use', async () => {
    const run = await transcribed(media);
    const [, two] = (await detailOf(run)).speakers;
    const change = await media.json<Undoable>(run.owner, 'DELETE', `/api/speakers/${two?.uuid}`);
    await media.json(run.owner, 'POST', `/api/speakers?media_file_uuid=${run.fileId}`, { display_name: 'New' });
    expect((await undo(run, change.body)).status).toBe(200);
    const names = (await detailOf(run)).speakers.map(({ name, uuid }) => [name, uuid === two?.uuid]);
    expect(names).toEqual([
      ['SPEAKER_01', false],
      ['SPEAKER_02', false],
      ['SPEAKER_03', true],
    ]);
  });
});

describe('an edited segment', () => {
  it('shows time and author of its edit, also to others and after diarization', async () => {
    const run = await transcribed(media);
    const { uuid } = await segmentAt(run, 0);
    const { body } = await edit(run, uuid, { text: 'good evening everybody' });
    expect(body).toMatchObject({ edited: true, edited_by: run.owner.userId });
    expect(Date.parse(body.edited_at ?? '')).toBeGreaterThan(Date.now() - 60_000);
    await run.assemble(undefined, undefined, 9);
    await run.until((file) => (file['transcript_version'] as number) > 2);
    const { undo: _, version: __, speaker: ___, ...kept } = body;
    expect(await segmentAt(run, 0)).toMatchObject(kept);
  });

  it('has no confidence for a changed word, and the mean of the others', async () => {
    const run = await transcribed(media);
    const { uuid } = await segmentAt(run, 0);
    const { body } = await edit(run, uuid, { text: 'Good morning all' });
    expect(body.words.map(({ word, confidence }) => [word, confidence])).toEqual([
      ['Good', null],
      ['morning', 0.8],
      ['all', null],
    ]);
    expect(body.confidence).toBeCloseTo(0.8);
  });

  it('is not deleted under an outdated version', async () => {
    const run = await transcribed(media);
    const { uuid, version } = await segmentAt(run, 0);
    await edit(run, uuid, { text: 'changed' });
    const path = `/api/files/${run.fileId}/transcript/segments/${uuid}?version=${version}`;
    expect(await media.json(run.owner, 'DELETE', path)).toMatchObject({ status: 409, body: { code: 'stale_version' } });
  });
});

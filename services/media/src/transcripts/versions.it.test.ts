import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { maxNamedVersions, type AnswerOf, type FileDetail, type mediaRoutes } from '@overtone/contracts';
import { transcribed, twoVoices, type Run } from '../../test/runs.ts';
import { newUser, startMedia, waitFor, type TestUser } from '../../test/start-media.ts';

type Routes = typeof mediaRoutes;
type Version = AnswerOf<Routes['nameVersion']> & { code?: string };
const media = await startMedia();

function pathOf(run: Run): string {
  return `/api/files/${run.fileId}/transcript`;
}

async function shownOf(run: Run) {
  const { body } = await media.json<FileDetail>(run.owner, 'GET', `/api/files/${run.fileId}`);
  return body.transcript_segments.map(({ uuid, text, speaker, start_time, end_time, words }) => ({
    uuid,
    text,
    start_time,
    end_time,
    words,
    speaker: speaker?.uuid ?? null,
  }));
}

/** Changes the text of the first passage. */
async function correct(run: Run, text: string): Promise<void> {
  const [first] = await shownOf(run);
  const path = `${pathOf(run)}/segments/${first?.uuid}`;
  expect((await media.json(run.owner, 'PUT', path, { text })).status).toBe(200);
}

/** Splits the second passage and removes the last one. */
async function restructure(run: Run): Promise<void> {
  const [, two, three] = await shownOf(run);
  const replacement = [
    { uuid: two?.uuid, text: 'hello and' },
    { uuid: randomUUID(), text: 'welcome', speaker_uuid: null },
  ];
  const operations = [
    { segments: [{ uuid: two?.uuid }], replacement },
    { segments: [{ uuid: three?.uuid }], replacement: [] },
  ];
  const { status } = await media.json(run.owner, 'POST', `${pathOf(run)}/operations`, {
    uuid: randomUUID(),
    operations,
  });
  expect(status).toBe(200);
}

async function nameVersion(run: Run, name: string, person: TestUser = run.owner) {
  return media.json<Version>(person, 'POST', `${pathOf(run)}/versions`, { name });
}

async function versionsOf(run: Run): Promise<AnswerOf<Routes['listVersions']>> {
  return (await media.json<AnswerOf<Routes['listVersions']>>(run.owner, 'GET', `${pathOf(run)}/versions`)).body;
}

function compare(run: Run, version?: string, person: TestUser = run.owner) {
  const query = version === undefined ? '' : `?version_uuid=${version}`;
  return media.json<AnswerOf<Routes['compareVersion']> & { code?: string }>(
    person,
    'GET',
    `${pathOf(run)}/differences${query}`,
  );
}

function restore(run: Run, version?: string, { uuid = randomUUID(), person = run.owner } = {}) {
  const body = { uuid, ...(version !== undefined && { version_uuid: version }) };
  return media.json<AnswerOf<Routes['restoreVersion']> & { code?: string }>(
    person,
    'POST',
    `${pathOf(run)}/restore`,
    body,
  );
}

async function share(run: Run, permission: 'viewer' | 'editor'): Promise<TestUser> {
  const person = newUser();
  await media.json(run.owner, 'PUT', `/api/files/${run.fileId}/shares`, { user_uuid: person.userId, permission });
  return person;
}

describe('a version of a transcript', () => {
  it('is named, listed with the corrections since, and removed', async () => {
    const run = await transcribed(media);
    const named = await nameVersion(run, 'Before proofreading');
    expect(named.status).toBe(201);
    await correct(run, 'good evening everybody');
    expect(await versionsOf(run)).toMatchObject({
      items: [{ name: 'Before proofreading', corrections_since: 1, available: true, user_id: run.owner.userId }],
      corrections: 1,
    });
    const path = `${pathOf(run)}/versions/${named.body.uuid}`;
    expect((await media.json(run.owner, 'DELETE', path)).status).toBe(200);
    expect((await media.json(run.owner, 'DELETE', path)).status).toBe(404);
    expect((await versionsOf(run)).items).toEqual([]);
  });

  it('is restored exactly: text, words, times, speakers and order; and that is undone in one step', async () => {
    const run = await transcribed(media);
    await correct(run, 'good evening everybody');
    const before = await shownOf(run);
    const { body: version } = await nameVersion(run, 'Evening');
    await restructure(run);
    await correct(run, 'no one is here');
    const after = await shownOf(run);
    expect((await restore(run, version.uuid)).status).toBe(200);
    expect(await shownOf(run)).toEqual(before);
    const event = await waitFor(() => media.eventsOf('evt.media.transcript.edited.v1', run.fileId).at(-1));
    expect(event.data).toMatchObject({ editedBy: run.owner.userId });
    await media.json(run.owner, 'POST', `${pathOf(run)}/undo`, { uuid: randomUUID() });
    expect(await shownOf(run)).toEqual(after);
  });

  it('is the automatic transcript where none is named, also after undone and repeated corrections', async () => {
    const run = await transcribed(media);
    const automatic = await shownOf(run);
    await correct(run, 'good evening everybody');
    await media.json(run.owner, 'POST', `${pathOf(run)}/undo`, { uuid: randomUUID() });
    await media.json(run.owner, 'POST', `${pathOf(run)}/redo`, { uuid: randomUUID() });
    await restructure(run);
    expect((await restore(run)).status).toBe(200);
    expect(await shownOf(run)).toEqual(automatic);
    expect((await compare(run)).body.differences).toEqual([]);
  });

  it('is restored once by a repeated request', async () => {
    const run = await transcribed(media);
    await correct(run, 'good evening everybody');
    const uuid = randomUUID();
    const first = await restore(run, undefined, { uuid });
    await correct(run, 'a later correction');
    expect((await restore(run, undefined, { uuid })).body.changed).toBe(first.body.changed);
    expect((await shownOf(run))[0]?.text).toBe('a later correction');
  });

  it('is compared with the present transcript by words and passages', async () => {
    const run = await transcribed(media);
    const { body: version } = await nameVersion(run, 'First');
    await correct(run, 'good evening everybody');
    await restructure(run);
    const { body } = await compare(run, version.uuid);
    expect(body).toMatchObject({ complete: true, words_removed: 4, words_added: 1 });
    expect(body.differences[0]?.before[0]?.pieces).toEqual([
      { text: 'good', changed: false },
      { text: 'morning', changed: true },
      { text: 'everybody hello and welcome'.slice(0, 9), changed: false },
    ]);
    expect(body.differences.flatMap(({ after }) => after).map(({ speaker }) => speaker)).toContain(null);
  });

  it('cannot be restored or compared after the transcript was replaced, and stays in the list', async () => {
    const run = await transcribed(media);
    const { body: version } = await nameVersion(run, 'First');
    await correct(run, 'good evening everybody');
    const form = new FormData();
    form.set('file', new Blob(['1\n00:00:00,000 --> 00:00:01,000\nAda: imported\n']), 'talk.srt');
    expect((await media.call(run.owner, 'POST', `${pathOf(run)}/import`, { body: form })).status).toBe(200);
    expect(await versionsOf(run)).toMatchObject({ items: [{ available: false }], corrections: 0 });
    expect((await compare(run, version.uuid)).body.code).toBe('version_unavailable');
    expect((await restore(run, version.uuid)).body.code).toBe('version_unavailable');
    expect((await compare(run)).body.differences).toEqual([]);
  });

  it('is read by viewers, and named, removed and restored by editors only', async () => {
    const run = await transcribed(media);
    const { body: version } = await nameVersion(run, 'First');
    const [viewer, editor] = [await share(run, 'viewer'), await share(run, 'editor')];
    expect((await compare(run, version.uuid, viewer)).status).toBe(200);
    expect((await nameVersion(run, 'Mine', viewer)).body.code).toBe('permission_required');
    expect((await restore(run, version.uuid, { person: viewer })).body.code).toBe('permission_required');
    expect((await restore(run, version.uuid, { person: editor })).status).toBe(200);
    expect((await compare(run, version.uuid, newUser())).status).toBe(404);
    // A version of another file is none of this one.
    const other = await transcribed(media, editor);
    expect((await compare(other, version.uuid, editor)).status).toBe(404);
    expect((await restore(other, version.uuid, { person: editor })).status).toBe(404);
  });

  it(`is one of ${maxNamedVersions} at most`, async () => {
    const run = await transcribed(media, newUser(), twoVoices());
    for (let i = 0; i < maxNamedVersions; i += 1) await nameVersion(run, `Version ${i}`);
    expect((await nameVersion(run, 'One more')).body.code).toBe('too_many_versions');
  });
});

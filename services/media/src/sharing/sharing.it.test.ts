import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { identityEvents, type FileDetail, type FileObject } from '@overtone/contracts';
import { transcribed, type Run } from '../../test/runs.ts';
import { newUser, startMedia, waitFor, wav, type TestUser } from '../../test/start-media.ts';
import type { ShareObject } from './sharing.ts';

const early = { person: newUser(), group: randomUUID() };
const known = [early.person, newUser(), newUser(), newUser()];
const media = await startMedia(
  {},
  known.map(({ userId }) => ({ userId, groupIds: [early.group], version: 1 })),
);

function share(caller: TestUser, file: string, body: object) {
  return media.json<ShareObject & { code: string }>(caller, 'PUT', `/api/files/${file}/shares`, body);
}

async function status(person: TestUser, method: string, path: string, body?: unknown): Promise<number> {
  return (await media.json(person, method, path, body)).status;
}

async function sees(person: TestUser, file: string): Promise<boolean> {
  return (await status(person, 'GET', `/api/files/${file}?segment_limit=0`)) === 200;
}

async function list(person: TestUser, ownership: string) {
  const { body } = await media.json<{ items: FileObject[] }>(person, 'GET', `/api/files?ownership=${ownership}`);
  return body.items.map(({ uuid, my_permission }) => [uuid, my_permission]);
}

function accessOf(file: string) {
  return media.eventsOf('evt.media.file.access-changed.v1', file).map(({ data: { groupIds, userIds, version } }) => ({
    groupIds,
    userIds,
    version,
  }));
}

async function inGroup(person: TestUser, ...groups: string[]): Promise<void> {
  await media.setGroups(person, groups);
  const known = async () =>
    (await media.query('select group_ids from media_membership where user_id = $1', person.userId))[0]?.['group_ids'];
  await waitFor(async () => JSON.stringify(await known()) === JSON.stringify(groups));
}

/** All operations on a file. */
async function everything(run: Run) {
  const { body } = await media.json<FileDetail>(run.owner, 'GET', `/api/files/${run.fileId}`);
  const file = `/api/files/${run.fileId}`;
  const [segment, speaker, other] = [body.transcript_segments[0], ...body.speakers];
  const read: [string, string][] = [
    ['GET', file],
    ['GET', `${file}/segments`],
    ['GET', `${file}/content`],
    ['GET', `${file}/waveform`],
    ['GET', `${file}/thumbnail`],
    ['GET', `${file}/subtitles?subtitle_format=txt`],
    ['GET', `/api/speakers?file_uuid=${run.fileId}`],
  ];
  const edit: [string, string, object?][] = [
    ['PUT', file, { title: 'Corrected' }],
    ['PUT', `${file}/transcript/segments/${segment?.uuid}`, { text: 'corrected' }],
    ['PUT', `/api/transcripts/segments/${segment?.uuid}/speaker`, { speaker_uuid: other?.uuid }],
    ['PUT', `/api/speakers/${speaker?.uuid}`, { display_name: 'Ann' }],
    ['POST', `/api/speakers?media_file_uuid=${run.fileId}`, { display_name: 'Bob' }],
    ['POST', `/api/speakers/${speaker?.uuid}/merge/${other?.uuid}`],
    ['POST', `/api/tags/files/${run.fileId}/tags`, { name: 'seen' }],
    ['DELETE', `/api/tags/files/${run.fileId}/tags/seen`],
  ];
  const own: [string, string, object?][] = [
    ['GET', `${file}/shares`],
    ['PUT', `${file}/shares`, { user_uuid: randomUUID() }],
    ['DELETE', `${file}/shares/${randomUUID()}`],
    ['POST', `${file}/cancel`],
    ['POST', `${file}/reprocess`],
    ['DELETE', file],
  ];
  return { read, edit, own };
}

async function answersTo(person: TestUser, calls: [string, string, object?][]): Promise<number[]> {
  const answers: number[] = [];
  for (const [method, path, body] of calls) {
    const init = body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {};
    const answer = await media.call(person, method, path, init);
    await answer.arrayBuffer();
    answers.push(answer.status);
  }
  return answers;
}

describe('a shared file', () => {
  it('can be read but not changed by a viewer', async () => {
    const run = await transcribed(media);
    const viewer = newUser();
    await share(run.owner, run.fileId, { user_uuid: viewer.userId });
    const { read, edit, own } = await everything(run);
    expect(await answersTo(viewer, read)).toEqual(read.map(() => 200));
    expect(await answersTo(viewer, [...edit, ...own])).toEqual([...edit, ...own].map(() => 403));
    expect((await media.json(viewer, 'DELETE', `/api/files/${run.fileId}`)).body).toMatchObject({
      code: 'permission_required',
    });
  });

  it('can be edited by an editor, but not deleted, shared or reprocessed', async () => {
    const run = await transcribed(media);
    const editor = newUser();
    await share(run.owner, run.fileId, { user_uuid: editor.userId, permission: 'editor' });
    const { read, edit, own } = await everything(run);
    expect(await answersTo(editor, read)).toEqual(read.map(() => 200));
    expect(await answersTo(editor, edit)).toEqual([200, 200, 200, 200, 201, 200, 200, 204]);
    expect(await answersTo(editor, own)).toEqual(own.map(() => 403));
  });

  it('shows that it is shared and who edited it last, in lists and on its page', async () => {
    const run = await transcribed(media);
    const editor = newUser();
    const read = async (person: TestUser) => {
      const shown = ({ is_shared, last_edited_by }: FileObject) => [is_shared, last_edited_by];
      const { body: page } = await media.json<FileDetail>(person, 'GET', `/api/files/${run.fileId}`);
      const { body: files } = await media.json<{ items: FileObject[] }>(person, 'GET', '/api/files?ownership=all');
      return [shown(page), shown(files.items.find(({ uuid }) => uuid === run.fileId) ?? page)];
    };
    expect(await read(run.owner)).toEqual([
      [false, null],
      [false, null],
    ]);
    await share(run.owner, run.fileId, { user_uuid: editor.userId, permission: 'editor' });
    expect(await status(editor, 'PUT', `/api/files/${run.fileId}`, { title: 'Corrected' })).toBe(200);
    const both = [
      [true, editor.userId],
      [true, editor.userId],
    ];
    expect(await read(run.owner)).toEqual(both);
    expect(await read(editor)).toEqual(both);
    const edits = () => media.eventsOf('evt.media.transcript.edited.v1', run.fileId);
    await waitFor(() => edits().length > 0);
    expect(edits().at(-1)?.data).toMatchObject({ editedBy: editor.userId });
  });

  it('is not found for all other users', async () => {
    const run = await transcribed(media);
    const { read, edit, own } = await everything(run);
    const calls = [...read, ...edit, ...own];
    expect(await answersTo(newUser(), calls)).toEqual(calls.map(() => 404));
  });

  it('is visible to the members of its group while they are members', async () => {
    const [ada, eve, group] = [newUser(), newUser(), randomUUID()];
    const file = (await media.upload(ada, wav(8000))).body.uuid;
    await inGroup(ada, group);
    expect(await share(ada, file, { group_uuid: group })).toMatchObject({
      status: 200,
      body: { group_uuid: group, user_uuid: null, permission: 'viewer', shared_by: ada.userId },
    });
    expect(await sees(eve, file)).toBe(false);
    await media.setGroups(eve, [randomUUID(), group]);
    await waitFor(() => sees(eve, file));
    await media.setGroups(eve, []);
    await waitFor(async () => !(await sees(eve, file)));
    expect(await sees(ada, file)).toBe(true);
  });

  it('has the highest permission of several shares', async () => {
    const [ada, eve, group] = [newUser(), newUser(), randomUUID()];
    const file = (await media.upload(ada, wav(8010))).body.uuid;
    await inGroup(ada, group);
    await inGroup(eve, group);
    await share(ada, file, { group_uuid: group, permission: 'editor' });
    await share(ada, file, { user_uuid: eve.userId, permission: 'viewer' });
    expect(await status(eve, 'PUT', `/api/files/${file}`, { title: 'By Eve' })).toBe(200);
  });

  it('is listed for those it is shared with', async () => {
    const [ada, eve, group] = [newUser(), newUser(), randomUUID()];
    const theirs = (await media.upload(ada, wav(8020))).body.uuid;
    const own = (await media.upload(eve, wav(8021))).body.uuid;
    await inGroup(ada, group);
    await inGroup(eve, group);
    await share(ada, theirs, { group_uuid: group });
    expect(await list(eve, 'mine')).toEqual([[own, 'owner']]);
    expect(await list(eve, 'shared')).toEqual([[theirs, 'viewer']]);
    expect(await list(eve, 'all')).toEqual([
      [own, 'owner'],
      [theirs, 'viewer'],
    ]);
    expect(await list(ada, 'shared')).toEqual([]);
    expect(await list(newUser('admin'), 'shared')).toEqual([]);
    expect(await list(newUser('admin'), 'all')).toContainEqual([theirs, 'owner']);
  });

  it('is visible to members of groups that were created while media was down', async () => {
    const file = (await media.upload(newUser(), wav(8030))).body.uuid;
    await share(newUser('admin'), file, { group_uuid: early.group });
    await waitFor(() => sees(early.person, file));
  });

  it('stays invisible after an outdated membership event', async () => {
    const [ada, eve, group] = [newUser(), newUser(), randomUUID()];
    const file = (await media.upload(ada, wav(8040))).body.uuid;
    await share(newUser('admin'), file, { group_uuid: group });
    const publishMembership = (version: number, groupIds: string[]) =>
      media.emit(identityEvents.membershipChanged, { userId: eve.userId, groupIds, version });
    await publishMembership(4, [group]);
    await waitFor(() => sees(eve, file));
    await publishMembership(7, []);
    await waitFor(async () => !(await sees(eve, file)));
    await publishMembership(6, [group]);
    await inGroup(newUser(), group);
    expect(await sees(eve, file)).toBe(false);
  });
});

describe('sharing a file', () => {
  it('is allowed to its owner and administrators, once per group and user', async () => {
    const [ada, eve] = [newUser(), newUser()];
    const file = (await media.upload(ada, wav(8100))).body.uuid;
    const first = await share(ada, file, { user_uuid: eve.userId });
    const [{ last: before = 0 } = {}] = await media.query('select max(id)::text as last from media_outbox');
    const again = await share(newUser('admin'), file, { user_uuid: eve.userId, permission: 'editor' });
    expect(again.body).toMatchObject({ uuid: first.body.uuid, permission: 'editor' });
    // The open pages of those who have access show it.
    const updates = `select 1 from media_outbox where data->>'fileId' = $1 and data ? 'status' and id > $2`;
    expect(await media.query(updates, file, before)).toHaveLength(1);
    const { body } = await media.json<ShareObject[]>(ada, 'GET', `/api/files/${file}/shares`);
    expect(body).toEqual([again.body]);
    const one = `/api/files/${file}/shares/${first.body.uuid}`;
    expect(await status(ada, 'DELETE', one)).toBe(204);
    expect(await status(ada, 'DELETE', one)).toBe(404);
    expect(await sees(eve, file)).toBe(false);
  });

  it('is rejected with an unknown user, with its owner, and with a group of others', async () => {
    const [ada, unknownUser] = [newUser(), randomUUID()];
    const file = (await media.upload(ada, wav(8110))).body.uuid;
    media.strangers.add(unknownUser);
    const bodies = [
      { user_uuid: unknownUser },
      { user_uuid: ada.userId },
      { group_uuid: randomUUID() },
      {},
      { user_uuid: randomUUID(), group_uuid: randomUUID() },
      { user_uuid: randomUUID(), permission: 'owner' },
    ];
    for (const body of bodies) {
      expect(await share(ada, file, body)).toMatchObject({ status: 422, body: { code: 'invalid_body' } });
    }
    expect((await media.json<ShareObject[]>(ada, 'GET', `/api/files/${file}/shares`)).body).toEqual([]);
  });

  it('publishes the complete access list in order', async () => {
    const [ada, eve, group] = [newUser(), newUser(), randomUUID()];
    const file = (await media.upload(ada, wav(8120))).body.uuid;
    await inGroup(ada, group);
    await share(ada, file, { group_uuid: group });
    const { body } = await share(ada, file, { user_uuid: eve.userId });
    await status(ada, 'DELETE', `/api/files/${file}/shares/${body.uuid}`);
    await waitFor(() => accessOf(file).length === 3);
    expect(accessOf(file)).toEqual([
      { groupIds: [group], userIds: [], version: 1 },
      { groupIds: [group], userIds: [eve.userId], version: 2 },
      { groupIds: [group], userIds: [], version: 3 },
    ]);
  });

  it('ends when the group or the user is deleted', async () => {
    const [ada, eve, group] = [newUser(), newUser(), randomUUID()];
    const files = [(await media.upload(ada, wav(8130))).body.uuid, (await media.upload(ada, wav(8131))).body.uuid];
    await inGroup(ada, group);
    for (const file of files) {
      await share(ada, file, { group_uuid: group });
      await share(ada, file, { user_uuid: eve.userId });
    }
    await media.emit(identityEvents.groupDeleted, { groupId: group });
    await media.emit(identityEvents.userDeleted, { userId: eve.userId });
    for (const file of files) {
      await waitFor(() => accessOf(file).length === 4);
      expect(accessOf(file).at(-1)).toEqual({ groupIds: [], userIds: [], version: 4 });
      expect((await media.json<ShareObject[]>(ada, 'GET', `/api/files/${file}/shares`)).body).toEqual([]);
    }
  });
});

import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { commentLimits, type CommentThread, type Problem } from '@overtone/contracts';
import { transcribed, type Run } from '../../test/runs.ts';
import { newUser, startMedia, waitFor, type TestUser } from '../../test/start-media.ts';

const media = await startMedia();
const [owner, viewer, editor, stranger, admin] = [newUser(), newUser(), newUser(), newUser(), newUser('admin')];
let run: Run;
let path: string;

beforeAll(async () => {
  media.names.set(owner.userId, 'Olga Owner').set(viewer.userId, 'Vic Viewer').set(editor.userId, 'Eve Editor');
  run = await transcribed(media, owner);
  path = `/api/files/${run.fileId}/comments`;
  for (const [permission, { userId }] of Object.entries({ viewer, editor }))
    await media.json(owner, 'PUT', `/api/files/${run.fileId}/shares`, { user_uuid: userId, permission });
});

const place = { start_time: 0, end_time: 1 };
function add(person: TestUser, body: object) {
  return media.json<CommentThread & Problem>(person, 'POST', path, { ...place, ...body });
}
async function listed(person: TestUser): Promise<CommentThread[]> {
  return (await media.json<{ threads: CommentThread[] }>(person, 'GET', path)).body.threads;
}
async function find(person: TestUser, uuid: string): Promise<CommentThread | undefined> {
  return (await listed(person)).find((thread) => thread.uuid === uuid);
}
function eventsAbout(subject: string) {
  return media.eventsOf(subject, run.fileId).map(({ data }) => data);
}

describe('comments and highlights', () => {
  it('are added by all readers of the file, and quote the text at their place', async () => {
    const highlight = await add(viewer, { color: 'green' });
    expect(highlight).toMatchObject({
      status: 201,
      body: { ...place, color: 'green', text: '', quote: 'good morning everybody', resolved: null, replies: [] },
    });
    const comment = await add(editor, { start_time: 2, end_time: 2.9, text: ' Who is this? ' });
    expect(comment.body).toMatchObject({
      text: 'Who is this?',
      quote: 'hello and',
      author: { uuid: editor.userId, name: 'Eve Editor' },
      color: null,
      edited_at: null,
      can_edit: true,
    });
    const moment = await add(owner, { start_time: 5, end_time: 5, text: 'Here' });
    expect(moment.body.quote).toBeNull();
    const ids = [highlight, comment, moment].map(({ body }) => body.uuid);
    expect((await listed(admin)).map(({ uuid }) => uuid).filter((id) => ids.includes(id))).toEqual(ids);
    expect(await add(stranger, { text: 'x' })).toMatchObject({ status: 404 });
    expect((await media.json(stranger, 'GET', path)).status).toBe(404);
  });

  it('quote the text after a correction, also of a split passage', async () => {
    const { body: thread } = await add(owner, { start_time: 4, end_time: 5.2, color: 'blue' });
    expect(thread.quote).toBe('let us begin');
    const segments = await media.query(
      'select uuid from transcript_segment where media_file_id = $1 order by position',
      run.fileId,
    );
    const uuid = String(segments[2]?.['uuid']);
    const operations = [
      {
        segments: [{ uuid }],
        replacement: [
          { uuid, text: 'Let us' },
          { uuid: randomUUID(), text: 'start' },
        ],
      },
    ];
    const corrected = await media.json(owner, 'POST', `/api/files/${run.fileId}/transcript/operations`, {
      uuid: randomUUID(),
      operations,
    });
    expect(corrected.status).toBe(200);
    expect((await find(viewer, thread.uuid))?.quote).toBe('Let us start');
  });

  it.each([
    ['without a text and a color', { text: ' ' }],
    ['that ends before it begins', { text: 'x', start_time: 2, end_time: 1 }],
    ['of more than an hour', { text: 'x', start_time: 0, end_time: commentLimits.seconds + 1 }],
    ['with too long a text', { text: 'x'.repeat(commentLimits.text + 1) }],
    ['with an unknown color', { color: 'red' }],
    ['with NUL', { text: 'a\0b' }],
  ])('%s are refused', async (_, body) => {
    expect(await add(owner, body)).toMatchObject({ status: 422, body: { code: 'invalid_body' } });
  });

  it('are changed by their authors only', async () => {
    const { body: thread } = await add(viewer, { color: 'yellow' });
    const change = (person: TestUser, body: object) =>
      media.json<CommentThread & Problem>(person, 'PUT', `${path}/${thread.uuid}`, body);
    for (const person of [owner, admin, editor])
      expect(await change(person, { text: 'x' })).toMatchObject({ status: 403, body: { code: 'permission_required' } });
    expect((await change(viewer, { text: 'Why?' })).body).toMatchObject({
      text: 'Why?',
      color: 'yellow',
      edited_at: null,
    });
    expect((await change(viewer, { color: null })).body).toMatchObject({ text: 'Why?', color: null });
    expect((await change(viewer, { text: '' })).status).toBe(422);
    expect((await change(viewer, { text: 'Why not?' })).body.edited_at).not.toBeNull();
    expect((await find(owner, thread.uuid))?.can_edit).toBe(false);
  });

  it('are replied to, resolved and opened again by all readers of the file', async () => {
    const { body: thread } = await add(owner, { text: 'Check this' });
    const at = `${path}/${thread.uuid}`;
    const replied = await media.json<CommentThread>(viewer, 'POST', `${at}/replies`, { text: 'Done' });
    expect(replied).toMatchObject({ status: 201, body: { replies: [{ text: 'Done', can_edit: true }] } });
    const reply = String(replied.body.replies[0]?.uuid);
    expect((await media.json(owner, 'POST', `${path}/${reply}/replies`, { text: 'x' })).status).toBe(404);
    expect((await media.json(owner, 'POST', `${at}/replies`, { text: '' })).status).toBe(422);
    const changed = await media.json<CommentThread>(viewer, 'PUT', `${path}/${reply}`, {
      text: 'Done now',
      color: 'pink',
    });
    expect(changed.body).toMatchObject({ uuid: thread.uuid, color: null, replies: [{ text: 'Done now' }] });
    const resolve = (resolved: boolean) => media.json<CommentThread>(viewer, 'PUT', `${at}/resolved`, { resolved });
    const first = await resolve(true);
    expect(first.body.resolved).toMatchObject({ by: 'Vic Viewer' });
    expect((await resolve(true)).body.resolved).toEqual(first.body.resolved);
    expect((await resolve(false)).body.resolved).toBeNull();
    expect((await media.json(stranger, 'PUT', `${at}/resolved`, { resolved: true })).status).toBe(404);
  });

  it('are deleted by their authors and by the owner, which is audited, with their replies', async () => {
    const { body: thread } = await add(viewer, { text: 'Mine' });
    const at = `${path}/${thread.uuid}`;
    const { body } = await media.json<CommentThread>(editor, 'POST', `${at}/replies`, { text: 'Theirs' });
    const reply = `${path}/${String(body.replies[0]?.uuid)}`;
    expect(await media.json(viewer, 'DELETE', reply)).toMatchObject({ status: 403 });
    expect((await media.json(editor, 'DELETE', reply)).status).toBe(204);
    await media.json(editor, 'POST', `${at}/replies`, { text: 'Again' });
    expect((await media.json(owner, 'DELETE', at)).status).toBe(204);
    expect((await media.json(owner, 'DELETE', at)).status).toBe(404);
    expect(await find(owner, thread.uuid)).toBeUndefined();
    const audited = await waitFor(() =>
      eventsAbout('evt.media.action.performed.v1').find(({ action }) => action === 'comment_deleted'),
    );
    expect(audited).toMatchObject({ actorId: owner.userId, details: { author: viewer.userId } });
    expect(await media.query('select 1 from transcript_comment where thread_id = $1', thread.uuid)).toEqual([]);
  });

  it('mention people who may read the file, also by a group, and no others', async () => {
    const [member, group] = [newUser(), randomUUID()];
    media.names.set(member.userId, 'Mel Member');
    await media.setGroups(owner, [group]);
    await media.setGroups(member, [group]);
    await waitFor(
      async () => (await media.query('select 1 from media_membership where user_id = $1', member.userId))[0],
    );
    expect(await add(viewer, { text: 'x', mentions: [member.userId] })).toMatchObject({
      status: 400,
      body: { code: 'person_cannot_read' },
    });
    const people = async () =>
      (await media.json<{ name: string }[]>(viewer, 'GET', `${path}/people`)).body.map(({ name }) => name);
    expect(await people()).toEqual(['Eve Editor', 'Olga Owner']);
    await media.json(owner, 'PUT', `/api/files/${run.fileId}/shares`, { group_uuid: group });
    expect(await people()).toEqual(['Eve Editor', 'Mel Member', 'Olga Owner']);
    const { body: thread } = await add(viewer, { text: '@Mel Member look', mentions: [member.userId] });
    expect(thread.mentions).toEqual([{ uuid: member.userId, name: 'Mel Member' }]);
    await media.json(editor, 'POST', `${path}/${thread.uuid}/replies`, { text: 'Yes', mentions: [owner.userId] });
    const events = await waitFor(() => {
      const added = eventsAbout('evt.media.comment.added.v1').filter(({ mentioned }) => (mentioned as []).length > 0);
      return added.length === 2 ? added : undefined;
    });
    expect(events[0]).toMatchObject({ authorId: viewer.userId, mentioned: [member.userId] });
    expect(events[1]).toMatchObject({ authorId: editor.userId, mentioned: [owner.userId] });
    expect(new Set(events[1]?.['followers'] as string[])).toEqual(new Set([viewer.userId, editor.userId]));
  });

  it('are in an export on request', async () => {
    const { body: thread } = await add(viewer, { text: 'For the minutes' });
    const exported = async (query: string) =>
      (await media.call(viewer, 'GET', `/api/files/${run.fileId}/export?${query}`)).text();
    expect(await exported('format=txt&comments=true')).toMatch(/Comments:\n[^]*Vic Viewer: For the minutes/);
    expect(await exported('format=txt')).not.toContain('For the minutes');
    const { comments } = JSON.parse(await exported('format=json&comments=true')) as { comments: { text: string }[] };
    expect(comments.map(({ text }) => text)).toContain('For the minutes');
    await media.json(viewer, 'DELETE', `${path}/${thread.uuid}`);
  });

  it('are pushed to open pages when they change', async () => {
    const before = eventsAbout('evt.media.comment.changed.v1').length;
    const { body: thread } = await add(owner, { color: 'pink' });
    await media.json(owner, 'DELETE', `${path}/${thread.uuid}`);
    await waitFor(() => eventsAbout('evt.media.comment.changed.v1').length === before + 2);
  });

  it('are limited in number', async () => {
    const full = await transcribed(media, owner);
    const insert = (thread: string | null, count: number) =>
      media.query(
        `insert into transcript_comment (media_file_id, thread_id, start_ms, end_ms, body)
         select $1::uuid, $2::uuid, case when $2::uuid is null then 0 end, case when $2::uuid is null then 1 end, 'x'
         from generate_series(1, $3::int)`,
        full.fileId,
        thread,
        count,
      );
    const at = `/api/files/${full.fileId}/comments`;
    const { body: thread } = await media.json<CommentThread>(owner, 'POST', at, { ...place, text: 'x' });
    await insert(thread.uuid, commentLimits.replies);
    const reply = () => media.json(owner, 'POST', `${at}/${thread.uuid}/replies`, { text: 'x' });
    expect((await reply()).body.code).toBe('thread_full');
    await insert(null, commentLimits.comments - commentLimits.replies - 1);
    expect((await reply()).body.code).toBe('comments_full');
    expect((await media.json(owner, 'POST', at, { ...place, text: 'x' })).body.code).toBe('comments_full');
  });

  it('are neither changed nor deleted under a legal hold, and can still be added', async () => {
    const held = await transcribed(media, owner);
    const at = `/api/files/${held.fileId}/comments`;
    const { body: thread } = await media.json<CommentThread>(owner, 'POST', at, { ...place, text: 'x' });
    await media.json(admin, 'POST', '/api/admin/legal-holds', { file_uuid: held.fileId, reason: 'case 1' });
    for (const [method, body] of [['PUT', { text: 'y' }], ['DELETE']] as const)
      expect(await media.json(owner, method, `${at}/${thread.uuid}`, body)).toMatchObject({
        status: 409,
        body: { code: 'legal_hold' },
      });
    expect((await media.json(owner, 'POST', at, { ...place, text: 'z' })).status).toBe(201);
  });

  it('leave with their file: none can be read in the bin, and none is left afterwards', async () => {
    const gone = await transcribed(media, owner);
    const at = `/api/files/${gone.fileId}/comments`;
    await media.json(owner, 'POST', at, { ...place, text: 'x' });
    await media.call(owner, 'DELETE', `/api/files/${gone.fileId}`);
    expect((await media.json(owner, 'GET', at)).status).toBe(404);
    expect((await media.call(owner, 'DELETE', `/api/files/bin/${gone.fileId}`)).status).toBe(204);
    expect(await media.query('select 1 from transcript_comment where media_file_id = $1', gone.fileId)).toEqual([]);
  });
});

describe('for a reader of a masked transcript', () => {
  it('comments are masked like the transcript, but not for their author', async () => {
    const boss = newUser('super_admin');
    const { body: thread } = await add(owner, { text: 'Call Ada Lovelace, my name is Ada Lovelace: 415 555 2671' });
    await media.json(boss, 'PUT', '/api/admin/redaction-policy', { masked_kinds: ['phone'], masked_for: ['viewer'] });
    expect((await find(viewer, thread.uuid))?.text).toBe('Call Ada Lovelace, my name is Ada Lovelace: [phone]');
    expect((await find(editor, thread.uuid))?.text).toContain('415 555 2671');
    await media.json(boss, 'PUT', '/api/admin/redaction-policy', {
      masked_kinds: ['phone', 'name'],
      masked_for: ['viewer', 'owner'],
    });
    expect((await find(viewer, thread.uuid))?.text).toMatch(/my name is \[name\]: \[phone\]$/);
    expect((await find(owner, thread.uuid))?.text).toContain('415 555 2671');
    await media.query(`update transcript_comment set body = 'call 415 555 0000' where uuid = $1`, thread.uuid);
    expect((await find(viewer, thread.uuid))?.text).toBe('call [phone]');
  });
});

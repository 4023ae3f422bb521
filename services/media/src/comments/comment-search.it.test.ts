import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { commentSearchLimits, userErasureOrdered, type CommentThread, type FoundThread } from '@overtone/contracts';
import { transcribed, type Run } from '../../test/runs.ts';
import { newUser, startMedia, waitFor, type TestUser } from '../../test/start-media.ts';

const media = await startMedia();
const [owner, viewer, stranger, admin] = [newUser(), newUser(), newUser(), newUser('admin')];
let run: Run;

async function shared(): Promise<Run> {
  const made = await transcribed(media, owner);
  const share = { user_uuid: viewer.userId, permission: 'viewer' };
  await media.json(owner, 'PUT', `/api/files/${made.fileId}/shares`, share);
  return made;
}

beforeAll(async () => {
  media.names.set(owner.userId, 'Olga Owner').set(viewer.userId, 'Vic Viewer');
  run = await shared();
});

async function add(person: TestUser, text: string, fileId: string = run.fileId): Promise<string> {
  const place = { start_time: 2, end_time: 2.9, text };
  return (await media.json<CommentThread>(person, 'POST', `/api/files/${fileId}/comments`, place)).body.uuid;
}
async function reply(person: TestUser, thread: string, text: string, fileId: string = run.fileId): Promise<void> {
  const path = `/api/files/${fileId}/comments/${thread}/replies`;
  expect((await media.json(person, 'POST', path, { text })).status).toBe(201);
}
async function search(person: TestUser, query: Record<string, string>) {
  const path = `/api/comments?${new URLSearchParams(query).toString()}`;
  const { status, body } = await media.json<{ threads: FoundThread[]; more: boolean }>(person, 'GET', path);
  expect(status).toBe(200);
  return body;
}
async function found(person: TestUser, text: string, more: Record<string, string> = {}): Promise<string[]> {
  return (await search(person, { text, ...more })).threads.map(({ uuid }) => uuid);
}

describe('a search in the comments of all recordings', () => {
  it('finds what those who may read a recording wrote there, newest first, with recording and quote', async () => {
    const other = await shared();
    const [older, newer] = [
      await add(viewer, 'The WALRUS is quoted wrongly'),
      await add(owner, 'a walrus', other.fileId),
    ];
    for (const person of [owner, viewer, admin]) expect(await found(person, 'walrus')).toEqual([newer, older]);
    expect(await found(stranger, 'walrus')).toEqual([]);
    const { threads, more } = await search(owner, { text: ' walrus is ' });
    const file = await media.json<{ title: string }>(owner, 'GET', `/api/files/${run.fileId}`);
    expect({ threads, more }).toMatchObject({
      threads: [
        {
          file_uuid: run.fileId,
          title: file.body.title,
          quote: 'hello and',
          text: 'The WALRUS is quoted wrongly',
          author: { uuid: viewer.userId, name: 'Vic Viewer' },
          can_edit: false,
          start_time: 2,
        },
      ],
      more: false,
    });
  });

  it('finds a thread by its reply, by who wrote the text, and by its state', async () => {
    const thread = await add(owner, 'Who says so?');
    await reply(viewer, thread, 'the ocelot');
    await reply(owner, thread, 'thanks');
    expect((await search(owner, { text: 'OCELOT' })).threads).toMatchObject([
      { uuid: thread, replies: [{ text: 'the ocelot' }, { text: 'thanks' }] },
    ]);
    expect(await found(owner, 'ocelot', { author: viewer.userId })).toEqual([thread]);
    expect(await found(owner, 'ocelot', { author: owner.userId })).toEqual([]);
    expect(await found(owner, 'ocelot', { state: 'resolved' })).toEqual([]);
    await media.json(owner, 'PUT', `/api/files/${run.fileId}/comments/${thread}/resolved`, { resolved: true });
    expect(await found(owner, 'ocelot', { state: 'resolved' })).toEqual([thread]);
    expect(await found(owner, 'ocelot', { state: 'open' })).toEqual([]);
    const ofAuthor = (await search(owner, { author: viewer.userId, state: 'resolved' })).threads;
    expect(ofAuthor.map(({ uuid }) => uuid)).toEqual([thread]);
  });

  it('takes signs as they are written, and no highlight without a text', async () => {
    const thread = await add(owner, String.raw`50% of snake_case is a\b`);
    for (const text of ['50%', 'snake_c', String.raw`a\b`]) expect(await found(owner, text)).toEqual([thread]);
    for (const text of ['5%f', 'snake%', 'snakeXcase', 'sn_ke_']) expect(await found(owner, text)).toEqual([]);
    const path = `/api/files/${run.fileId}/comments`;
    const highlight = { start_time: 0, end_time: 1, color: 'pink' };
    const { body } = await media.json<CommentThread>(owner, 'POST', path, highlight);
    const all = (await search(owner, {})).threads.map(({ uuid }) => uuid);
    expect(all).toContain(thread);
    expect(all).not.toContain(body.uuid);
  });

  it('does not find deleted comments, nor those of a recording in the bin or in quarantine', async () => {
    const made = await shared();
    const [kept, deleted] = [await add(owner, 'pangolin', made.fileId), await add(owner, 'pangolin', made.fileId)];
    await media.json(owner, 'DELETE', `/api/files/${made.fileId}/comments/${deleted}`);
    expect(await found(viewer, 'pangolin')).toEqual([kept]);
    await media.query(`update media_file set status = 'quarantined' where uuid = $1`, made.fileId);
    for (const person of [owner, viewer]) expect(await found(person, 'pangolin')).toEqual([]);
    expect(await found(admin, 'pangolin')).toEqual([kept]);
    await media.query(`update media_file set status = 'completed' where uuid = $1`, made.fileId);
    expect(await found(viewer, 'pangolin')).toEqual([kept]);
    expect((await media.call(owner, 'DELETE', `/api/files/${made.fileId}`)).status).toBeLessThan(300);
    for (const person of [owner, viewer, admin]) expect(await found(person, 'pangolin')).toEqual([]);
  });

  it('does not find what an erased person wrote', async () => {
    const gone = newUser();
    await media.json(owner, 'PUT', `/api/files/${run.fileId}/shares`, { user_uuid: gone.userId, permission: 'viewer' });
    const thread = await add(gone, 'the axolotl');
    await reply(owner, thread, 'this stays: narwhal');
    expect(await found(owner, 'axolotl')).toEqual([thread]);
    const erasureId = randomUUID();
    await media.emit(userErasureOrdered, { erasureId, round: 1, userId: gone.userId });
    await waitFor(() =>
      media.messages.find(
        ({ subject, data }) =>
          subject === 'evt.media.user.erased.v1' && data['erasureId'] === erasureId && data['complete'] === true,
      ),
    );
    expect(await found(owner, 'axolotl')).toEqual([]);
    expect((await search(owner, { author: gone.userId })).threads).toEqual([]);
    expect((await search(owner, { text: 'narwhal' })).threads).toMatchObject([
      { uuid: thread, author: null, text: '' },
    ]);
  });

  it('answers in pages', async () => {
    const made = await shared();
    const count = commentSearchLimits.page + 3;
    await media.query(
      `insert into transcript_comment (media_file_id, start_ms, end_ms, body, created_at)
       select $1::uuid, 0, 1, 'capybara ' || i, now() - i * interval '1 minute' from generate_series(1, $2::int) i`,
      made.fileId,
      count,
    );
    const texts = async (page: number) => {
      const { threads, more } = await search(viewer, { text: 'capybara', page: String(page) });
      return { texts: threads.map(({ text }) => text), more };
    };
    const named = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => `capybara ${from + i}`);
    expect(await texts(1)).toEqual({ texts: named(1, commentSearchLimits.page), more: true });
    expect(await texts(2)).toEqual({ texts: named(commentSearchLimits.page + 1, count), more: false });
    expect(await texts(3)).toEqual({ texts: [], more: false });
  });

  it.each([
    ['an empty text', 'text=+'],
    ['too long a text', `text=${'x'.repeat(commentSearchLimits.text + 1)}`],
    ['NUL', 'text=a%00b'],
    ['an unknown state', 'state=closed'],
    ['an author without an id', 'author=me'],
    ['page 0', 'page=0'],
  ])('refuses %s', async (_, query) => {
    const refused = await media.json(owner, 'GET', `/api/comments?${query}`);
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });
});

describe('for a reader of a masked transcript', () => {
  it('a masked part is not found, nor what its placeholder replaces, but by their author', async () => {
    const boss = newUser('super_admin');
    const thread = await add(owner, 'Zanzibar: my name is Phoney Lovelace, call 415 555 2671');
    const answered = await add(viewer, 'Is it Timbuktu?');
    await reply(owner, answered, 'no, call 415 555 2671');
    await media.json(boss, 'PUT', '/api/admin/redaction-policy', {
      masked_kinds: ['phone', 'name'],
      masked_for: ['viewer'],
    });
    const shown = await search(viewer, { text: 'zanzibar' });
    expect(shown.threads).toMatchObject([{ uuid: thread, text: 'Zanzibar: my name is [name], call [phone]' }]);
    // “phone” is in the masked name and in a placeholder, and in no text that is shown.
    for (const text of ['2671', '5 5', 'lovelace', 'phone', 'call 4']) {
      expect({ text, found: await found(viewer, text) }).toEqual({ text, found: [] });
      expect(await found(owner, text)).toContain(thread);
    }
    expect(await found(owner, '2671')).toEqual([answered, thread]);
    expect(await found(viewer, ', call')).toEqual([answered, thread]);
    const [own, masked] = [await add(viewer, 'I have 415 555 2671'), '2671'];
    expect(await found(viewer, masked)).toEqual([own]);
  });
});

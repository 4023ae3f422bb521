import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  collectionNamesRpc,
  directorySyncEvents,
  mediaEvents,
  mediaRpc,
  operationsRunEvents,
  type DataOf,
  type EventDef,
  type NotificationObject,
} from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { headers } from 'nats';
import { startAdministration, type Session } from '../../test/administration.ts';

const world = await startAdministration();
const { sql, bus } = world.backends;
/** Titles and names by id, as media reports them; what is missing is not readable. */
const titles = new Map<string, string>();
bus.subscribe(mediaRpc.describeFiles.subject, {
  callback: (_, message) => {
    const { fileIds } = message.json<{ fileIds: string[] }>();
    const files = fileIds.map((fileId) => ({ fileId, title: titles.get(fileId) ?? '', readable: titles.has(fileId) }));
    message.respond(JSON.stringify({ ok: { files } }));
  },
});
bus.subscribe(collectionNamesRpc.names.subject, {
  callback: (_, message) => {
    const { collectionIds } = message.json<{ collectionIds: string[] }>();
    const collections = collectionIds.map((collectionId) => ({ collectionId, name: titles.get(collectionId) ?? '' }));
    message.respond(JSON.stringify({ ok: { collections } }));
  },
});
await bus.flush();

/** The broker drops a repeated message id; a redelivery has the time of the first one. */
async function emit<E extends EventDef>(event: E, data: DataOf<E>, time = new Date()) {
  const messageHeaders = headers();
  messageHeaders.set('ot-time', time.toISOString());
  await bus
    .jetstream({ timeout: 30_000 })
    .publish(event.subject, JSON.stringify(data), { headers: messageHeaders, msgID: randomUUID() });
}

async function listOf(session: Session): Promise<NotificationObject[]> {
  return (await world.ask('/api/notifications', session)).body['items'] as NotificationObject[];
}

async function unreadOf(session: Session): Promise<unknown> {
  return (await world.ask('/api/notifications/unread', session)).body['unread'];
}

async function untilUnread(session: Session, count: number): Promise<void> {
  await waitFor(async () => (await unreadOf(session)) === count);
}

function newFile(title: string) {
  const fileId = randomUUID();
  titles.set(fileId, title);
  return fileId;
}

async function groupOf(...userIds: string[]): Promise<string> {
  const { body } = await world.ask('/api/groups', world.root, 'POST', { name: `Group ${randomUUID()}` });
  for (const user_uuid of userIds)
    await world.ask(`/api/groups/${String(body['uuid'])}/members`, world.root, 'POST', { user_uuid });
  return String(body['uuid']);
}

describe('a person', () => {
  it('is notified of a recording that is shared with them, once, with its title and who shared it', async () => {
    const [owner, reader] = [await world.member({ full_name: 'Olga Owner' }), await world.member()];
    const fileId = newFile('Board meeting');
    const shared = { fileId, ownerId: owner.id, sharedBy: owner.id, userId: reader.id, groupId: null };
    const time = new Date();
    await emit(mediaEvents.shared, shared, time);
    await emit(mediaEvents.shared, shared, time);
    await emit(mediaEvents.shared, { ...shared, fileId: newFile('Later') });
    await untilUnread(reader.session, 2);
    expect(await listOf(reader.session)).toMatchObject([
      { subject_name: 'Later' },
      {
        kind: 'file_shared',
        read: false,
        created_at: time.toISOString(),
        actor: { uuid: owner.id, name: 'Olga Owner' },
        subject_uuid: fileId,
        subject_name: 'Board meeting',
      },
    ]);
    expect(await listOf(owner.session)).toEqual([]);
  });

  it('is notified of what is shared with a group of theirs, but not of what they share themselves', async () => {
    const [owner, sharer, reader, stranger] = await Promise.all([1, 2, 3, 4].map(() => world.member()));
    const groupId = await groupOf(owner!.id, sharer!.id, reader!.id);
    const collectionId = newFile('Interviews');
    const share = { collectionId, ownerId: owner!.id, sharedBy: sharer!.id, userId: null, groupId };
    await emit(mediaEvents.collectionShared, share);
    await untilUnread(reader!.session, 1);
    expect(await listOf(reader!.session)).toMatchObject([{ kind: 'collection_shared', subject_name: 'Interviews' }]);
    for (const other of [owner!, sharer!, stranger!]) expect(await unreadOf(other.session)).toBe(0);
  });

  it('is notified of edits of their recording by others, and not of their own', async () => {
    const [owner, editor] = [await world.member(), await world.member({ full_name: 'Eve Editor' })];
    const fileId = newFile('Interview');
    const edit = { fileId, ownerId: owner.id, transcriptVersion: 2 };
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    await emit(mediaEvents.transcriptEdited, { ...edit, editedBy: owner.id }, minutesAgo(5));
    await emit(mediaEvents.transcriptEdited, { ...edit, editedBy: null }, minutesAgo(5));
    await emit(mediaEvents.transcriptEdited, { ...edit, editedBy: editor.id }, minutesAgo(4));
    await untilUnread(owner.session, 1);
    expect(await listOf(owner.session)).toMatchObject([{ kind: 'file_edited', actor: { name: 'Eve Editor' } }]);
    await world.ask('/api/notifications/read', owner.session, 'POST', {});
    // Further edits by the same person renew the entry, which is unread again; a late delivery of the first one does not.
    const newest = minutesAgo(1);
    await emit(mediaEvents.transcriptEdited, { ...edit, editedBy: editor.id }, newest);
    await untilUnread(owner.session, 1);
    await emit(mediaEvents.transcriptEdited, { ...edit, editedBy: editor.id }, minutesAgo(4));
    await emit(mediaEvents.transcriptEdited, { ...edit, fileId: newFile('Another'), editedBy: editor.id });
    await untilUnread(owner.session, 2);
    const items = await listOf(owner.session);
    expect(items.map(({ subject_name: name }) => name)).toEqual(['Another', 'Interview']);
    expect(items[1]?.created_at).toBe(newest.toISOString());
  });

  it('is notified of comments on their recordings and in their threads, and of those that mention them', async () => {
    const [owner, author, reader] = await Promise.all([1, 2, 3].map(() => world.member()));
    const fileId = newFile('Interview');
    await emit(mediaEvents.commented, {
      fileId,
      ownerId: owner!.id,
      authorId: author!.id,
      mentioned: [reader!.id],
      followers: [owner!.id, author!.id],
    });
    await untilUnread(owner!.session, 1);
    await untilUnread(reader!.session, 1);
    const about = { subject_uuid: fileId, subject_name: 'Interview', actor: { uuid: author!.id } };
    expect(await listOf(owner!.session)).toMatchObject([{ kind: 'commented', ...about }]);
    expect(await listOf(reader!.session)).toMatchObject([{ kind: 'mentioned', ...about }]);
    expect(await unreadOf(author!.session)).toBe(0);
  });

  it('is notified of the end of a transcription unless they stopped it', async () => {
    const owner = await world.member();
    const end = (outcome: 'completed' | 'failed' | 'cancelled', noSpeech = false) =>
      emit(mediaEvents.transcriptionEnded, { fileId: newFile(outcome), ownerId: owner.id, outcome, noSpeech });
    await end('cancelled');
    await end('completed', true);
    await end('completed');
    await untilUnread(owner.session, 2);
    expect(new Set((await listOf(owner.session)).map(({ kind }) => kind))).toEqual(
      new Set(['transcription_without_speech', 'transcription_completed']),
    );
  });

  it('reads one or all, which is reported to their other pages', async () => {
    const owner = await world.member();
    for (const title of ['One', 'Two', 'Three']) {
      const ended = { ownerId: owner.id, outcome: 'completed', noSpeech: false } as const;
      await emit(mediaEvents.transcriptionEnded, { fileId: newFile(title), ...ended });
    }
    await untilUnread(owner.session, 3);
    const reports = () =>
      world.events.filter(({ userIds }) => Array.isArray(userIds) && userIds.includes(owner.id)).length;
    await waitFor(() => reports() === 3);
    const [first] = await listOf(owner.session);
    const read = (json: object) => world.ask('/api/notifications/read', owner.session, 'POST', json);
    expect((await read({ uuids: [first!.uuid] })).body).toEqual({ unread: 2 });
    expect((await read({ uuids: [first!.uuid] })).body).toEqual({ unread: 2 });
    expect((await read({})).body).toEqual({ unread: 0 });
    await waitFor(() => reports() === 5);
    expect((await listOf(owner.session)).map((item) => item.read)).toEqual([true, true, true]);
  });

  it('keeps as read what is delivered again', async () => {
    const owner = await world.member();
    const ended = { fileId: newFile('Once'), ownerId: owner.id, outcome: 'completed', noSpeech: false } as const;
    const time = new Date();
    await emit(mediaEvents.transcriptionEnded, ended, time);
    await untilUnread(owner.session, 1);
    await world.ask('/api/notifications/read', owner.session, 'POST', {});
    await emit(mediaEvents.transcriptionEnded, ended, time);
    await emit(mediaEvents.transcriptionEnded, { ...ended, fileId: newFile('Later') });
    await untilUnread(owner.session, 1);
    expect(await listOf(owner.session)).toMatchObject([
      { subject_name: 'Later', read: false },
      { subject_name: 'Once', read: true },
    ]);
  });

  it('cannot read the notifications of others', async () => {
    const [owner, other] = [await world.member(), await world.member()];
    const ended = { ownerId: owner.id, outcome: 'completed', noSpeech: false } as const;
    await emit(mediaEvents.transcriptionEnded, { fileId: newFile('Mine'), ...ended });
    await untilUnread(owner.session, 1);
    const [{ uuid } = { uuid: '' }] = await listOf(owner.session);
    await world.ask('/api/notifications/read', other.session, 'POST', { uuids: [uuid] });
    expect(await unreadOf(owner.session)).toBe(1);
    expect(await listOf(other.session)).toEqual([]);
  });

  it('sees no title of a recording that they may not open any more, and nothing of a deleted one', async () => {
    const owner = await world.member();
    const [hidden, deleted] = [randomUUID(), newFile('Deleted')];
    for (const fileId of [hidden, deleted])
      await emit(mediaEvents.transcriptionEnded, { fileId, ownerId: owner.id, outcome: 'completed', noSpeech: false });
    await untilUnread(owner.session, 2);
    await emit(mediaEvents.deleted, { fileId: deleted, ownerId: owner.id });
    await untilUnread(owner.session, 1);
    expect(await listOf(owner.session)).toMatchObject([{ subject_uuid: hidden, subject_name: null }]);
  });

  it('sees the notifications of the last 30 days', async () => {
    const owner = await world.member();
    const insert = (days: number) =>
      sql.query(
        `insert into notification (user_id, kind, subject_id, time)
         values ($1, 'transcription_completed', gen_random_uuid(), now() - make_interval(days => $2))`,
        [owner.id, days],
      );
    await insert(31);
    await insert(29);
    expect(await unreadOf(owner.session)).toBe(1);
    expect((await world.ask('/api/notifications', owner.session)).body).toMatchObject({ total: 1 });
  });
});

describe('a super administrator', () => {
  it('is notified of a held sync run and of the newest failed backup; others are not', async () => {
    const [admin, user] = [await world.member({ role: 'admin' }), await world.member()];
    const [held, earlier, newest] = [randomUUID(), randomUUID(), randomUUID()];
    await emit(directorySyncEvents.runHeld, { runId: held });
    await emit(operationsRunEvents.failed, { runId: earlier, kind: 'backup' }, new Date(Date.now() - 3_600_000));
    await emit(operationsRunEvents.failed, { runId: newest, kind: 'backup' });
    await waitFor(async () => (await listOf(world.root)).some(({ subject_uuid: uuid }) => uuid === newest));
    await waitFor(async () => (await listOf(world.root)).some(({ subject_uuid: uuid }) => uuid === held));
    expect(new Set((await listOf(world.root)).map(({ kind, subject_uuid: uuid }) => [kind, uuid].join(' ')))).toEqual(
      new Set([`sync_run_held ${held}`, `backup_failed ${newest}`]),
    );
    for (const { session } of [admin, user]) expect(await unreadOf(session)).toBe(0);
  });
});

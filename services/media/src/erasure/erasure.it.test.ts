import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  erasureRpc,
  operationsEvents,
  userErasureOrdered,
  type AnswerOf,
  type CommentThread,
  type mediaRoutes,
} from '@overtone/contracts';
import { defaultExportOptions } from '@overtone/contracts/export-formats';
import { createObjectStore } from '@overtone/object-store';
import { transcribed } from '../../test/runs.ts';
import { watchSourceOf } from '@overtone/testkit';
import { newUser, startMedia, waitFor, wav, type TestUser } from '../../test/start-media.ts';

const media = await startMedia();
const bus = await media.connectAs('identity');
const objects = createObjectStore({ OBJECT_STORE_DIR: media.folder, S3_REGION: 'x' });

type Report = {
  erasureId: string;
  counts: Record<string, number>;
  objectHashes: string[];
  held: number;
  complete: boolean;
};

function reportsOf(erasureId: string): Report[] {
  return media.messages
    .filter(({ subject, data }) => subject === 'evt.media.user.erased.v1' && data['erasureId'] === erasureId)
    .map(({ data }) => data as Report);
}

/** Orders an erasure and waits for the given number of complete answers. */
async function erase({ userId }: TestUser, erasureId: string = randomUUID(), answers = 1): Promise<Report[]> {
  await media.emit(userErasureOrdered, { erasureId, round: 1, userId });
  return waitFor(() => {
    const reports = reportsOf(erasureId);
    return reports.filter(({ complete }) => complete).length >= answers ? reports : undefined;
  });
}

async function keysWith(part: string): Promise<string[]> {
  const keys: string[] = [];
  for (const prefix of ['files/', 'derived/', 'uploads/'])
    for await (const { key } of objects.list(prefix)) if (key.includes(part)) keys.push(key);
  return keys;
}

/** What is kept: the order itself, and that the files were deleted, which may have to be sent again. */
const keptTables = ['media_erasure', 'media_outbox'];

/** The tables of the service with a row in which the id of a person still appears. */
async function rowsWith(userId: string): Promise<string[]> {
  const rows = await media.query(
    `select table_name from information_schema.tables
     where table_schema = current_schema() and table_type = 'BASE TABLE'`,
  );
  const found = await Promise.all(
    rows
      .map(({ table_name: name }) => String(name))
      .filter((name) => !keptTables.includes(name))
      .map(async (name) =>
        (await media.query(`select 1 from "${name}" t where to_jsonb(t)::text like '%' || $1 || '%'`, userId)).map(
          () => name,
        ),
      ),
  );
  return found.flat();
}

describe('an ordered erasure', () => {
  it('deletes files, also those in the bin, with all objects, uploads, shares and tags, and answers with what it did', async () => {
    const [owner, friend] = [newUser(), newUser()];
    const [kept, binned] = [await transcribed(media, owner), await transcribed(media, owner)];
    await media.json(owner, 'POST', `/api/tags/files/${kept.fileId}/tags`, { name: 'secret' });
    await media.json(owner, 'POST', '/api/vocabulary', { term: 'Secret' });
    await media.json(owner, 'PUT', '/api/redaction', { masked_kinds: ['email'] });
    await media.json(owner, 'PUT', `/api/files/${kept.fileId}/shares`, { user_uuid: friend.userId });
    await media.call(owner, 'DELETE', `/api/files/${binned.fileId}`);
    const theirs = await transcribed(media, friend);
    await media.json(friend, 'PUT', `/api/files/${theirs.fileId}/shares`, {
      user_uuid: owner.userId,
      permission: 'editor',
    });
    await media.query(
      `update transcript_segment set edited_by = $1 where media_file_id = $2`,
      owner.userId,
      theirs.fileId,
    );
    const comments = `/api/files/${theirs.fileId}/comments`;
    const [theirComment, ownComment, alone] = await Promise.all(
      [friend, owner, owner].map(async (person) => {
        const answer = await media.json<{ uuid: string }>(person, 'POST', comments, {
          start_time: 0,
          end_time: 1,
          text: `of ${person.userId}`,
          mentions: [owner.userId],
        });
        return answer.body.uuid;
      }),
    );
    for (const [person, thread] of [
      [owner, theirComment],
      [friend, ownComment],
      [owner, alone],
    ] as const)
      await media.json(person, 'POST', `${comments}/${String(thread)}/replies`, { text: `by ${person.userId}` });
    await media.json(owner, 'PUT', `${comments}/${String(theirComment)}/resolved`, { resolved: true });
    for (const [person, other] of [
      [friend, owner],
      [owner, friend],
    ] as const) {
      const body = { name: 'Court', format: 'pdf', options: defaultExportOptions };
      const template = await media.json<{ uuid: string }>(person, 'POST', '/api/export-templates', body);
      await media.json(person, 'POST', `/api/export-templates/${template.body.uuid}/shares`, {
        target_type: 'user',
        target_uuid: other.userId,
      });
    }
    const lists = await Promise.all(
      [friend, owner].map(async (person) => {
        const list = await media.json<{ uuid: string }>(person, 'POST', '/api/code-lists', { name: 'Study' });
        const path = `/api/code-lists/${list.body.uuid}`;
        const other = person === owner ? friend : owner;
        await media.json(person, 'POST', `${path}/shares`, {
          target_type: 'user',
          target_uuid: other.userId,
          permission: 'editor',
        });
        const code = await media.json<{ uuid: string }>(person, 'POST', `${path}/codes`, {
          name: 'Code',
          color: 'red',
        });
        const body = { code_uuid: code.body.uuid, start_time: 0, end_time: 1 };
        await media.json(owner, 'POST', `/api/files/${theirs.fileId}/codings`, body);
        return list.body.uuid;
      }),
    );
    await media.setGroups(owner, [randomUUID()]);
    await waitFor(
      async () => (await media.query('select 1 from media_membership where user_id = $1', owner.userId))[0],
    );
    const source = randomUUID();
    const config = JSON.stringify({ ...watchSourceOf({ owner: 'person@example.org' }) });
    await media.query(
      'insert into watch_source (uuid, name, config, owner_id) values ($1, $2, $3::jsonb, $4)',
      source,
      'Recorder',
      config,
      owner.userId,
    );
    await media.query(
      `insert into watch_decision (source_id, path, version, bytes, modified_at, decision, source_version, owner_id)
       values ($1, 'person.wav', '1', 1, now(), 'imported', 1, $2)`,
      source,
      owner.userId,
    );
    await media.query(
      `insert into watch_import (owner_id, sha256, media_file_id) values ($1, 'hash', $2)`,
      owner.userId,
      kept.fileId,
    );
    const upload = randomUUID();
    await objects.put(
      `uploads/${upload}/description.json`,
      JSON.stringify({ userId: owner.userId, size: 5, metadata: {}, createdAt: new Date().toISOString() }),
    );
    await objects.put(`uploads/${upload}/part-000000000000000`, 'abc');
    await media.query('insert into open_upload (uuid, user_id, bytes) values ($1, $2, 5)', upload, owner.userId);
    expect(await bus.request(erasureRpc.describeOwner, { userId: owner.userId })).toMatchObject({
      files: 2,
      uploads: 1,
      tags: 1,
      shares: 2,
      heldFiles: 0,
      isHeld: false,
    });
    const stored = (await Promise.all([kept, binned].map((run) => keysWith(run.fileId)))).flat();
    const sentEvents = async () =>
      await media.query(
        `select 1 from media_outbox where $1 in (data ->> 'ownerId', data ->> 'actorId') and subject <> 'evt.media.file.deleted.v1'`,
        owner.userId,
      );
    await waitFor(async () => (await media.query('select 1 from media_outbox where sent_at is null')).length === 0);
    expect((await sentEvents()).length).toBeGreaterThan(0);
    await media.query(`update media_file set title = $1 where uuid = $2`, `Board ${kept.fileId}`, kept.fileId);
    const ofOthers = { collection: 'a', title: `Minutes; Board ${kept.fileId}` };
    for (const details of [ofOthers, { collection: 'b', title: 'Minutes' }, { collection: 'c', owner: owner.userId }])
      await media.query(
        `insert into media_outbox (subject, data, headers, message_id, sent_at)
         values ($1, jsonb_build_object('actorId', $2::text, 'details', $3::jsonb), '{}', gen_random_uuid(), now())`,
        operationsEvents.performed.subject,
        friend.userId,
        JSON.stringify(details),
      );
    const reports = await erase(owner);
    const counts = Object.fromEntries(reports.flatMap((report) => Object.entries(report.counts)));
    expect(counts).toMatchObject({
      files: 2,
      objects: stored.length,
      uploads: 1,
      shares: 1,
      tags: 1,
      edits: 3,
      comments: 4,
      code_lists: 1,
      export_templates: 1,
    });
    expect(reports.flatMap(({ objectHashes }) => objectHashes)).toHaveLength(2);
    for (const part of [kept.fileId, binned.fileId, upload]) expect(await keysWith(part)).toEqual([]);
    expect(await rowsWith(owner.userId)).toEqual([]);
    expect(await sentEvents()).toEqual([]);
    const actions = await media.query(
      `select data -> 'details' ->> 'collection' as collection from media_outbox
       where data ->> 'actorId' = $1 and data -> 'details' ? 'collection'`,
      friend.userId,
    );
    expect(actions).toEqual([{ collection: 'b' }]);
    const [watched] = await media.query(
      `select enabled, config->>'owner' as owner from watch_source where uuid = $1`,
      source,
    );
    expect(watched).toEqual({ enabled: false, owner: '' });
    for (const { fileId } of [kept, binned])
      await waitFor(() => media.eventsOf('evt.media.file.deleted.v1', fileId)[0]);
    expect((await theirs.readFile())['total_segments']).toBe(3);
    expect(
      await media.query('select code_list_id as list, author_id from coding join code on code.uuid = code_id'),
    ).toEqual([{ list: lists[0], author_id: null }]);
    const left = await media.json<{ threads: CommentThread[] }>(friend, 'GET', comments);
    expect(
      left.body.threads.map(({ uuid, author, text, replies }) => [uuid, author?.uuid, text, replies.length]),
    ).toEqual(
      expect.arrayContaining([
        [theirComment, friend.userId, `of ${friend.userId}`, 0],
        [ownComment, undefined, '', 1],
      ]),
    );
    expect(left.body.threads).toHaveLength(2);
  });

  it('keeps files under a legal hold, says so, and erases them after the hold', async () => {
    const owner = newUser();
    const [held, free] = [await transcribed(media, owner), await transcribed(media, owner)];
    const admin = newUser('admin');
    const hold = await media.json<AnswerOf<typeof mediaRoutes.placeLegalHold>>(
      admin,
      'POST',
      '/api/admin/legal-holds',
      {
        file_uuid: held.fileId,
        reason: 'case 13',
      },
    );
    const erasureId = randomUUID();
    const list = await media.json<{ uuid: string }>(owner, 'POST', '/api/code-lists', { name: 'Held' });
    for (const [name, run] of [
      ['held', held],
      ['free', free],
    ] as const) {
      const path = `/api/code-lists/${list.body.uuid}/codes`;
      const code = await media.json<{ uuid: string }>(owner, 'POST', path, { name, color: 'red' });
      const body = { code_uuid: code.body.uuid, start_time: 0, end_time: 1 };
      await media.json(owner, 'POST', `/api/files/${run.fileId}/codings`, body);
    }
    const codes = () => media.query('select name from code where code_list_id = $1', list.body.uuid);
    expect((await erase(owner, erasureId)).at(-1)).toMatchObject({ complete: true, held: 1 });
    expect(await codes()).toEqual([{ name: 'held' }]);
    expect(await keysWith(free.fileId)).toEqual([]);
    expect((await keysWith(held.fileId)).length).toBeGreaterThan(0);
    expect((await held.readFile())['total_segments']).toBe(3);
    await media.json(admin, 'DELETE', `/api/admin/legal-holds/${hold.body.uuid}`);
    expect((await erase(owner, erasureId, 2)).at(-1)).toMatchObject({ complete: true, held: 0 });
    expect(await keysWith(held.fileId)).toEqual([]);
    expect(await codes()).toEqual([]);
  });

  it('of a person without data is answered, and so is a repeated one', async () => {
    const [withoutData, erasureId] = [newUser(), randomUUID()];
    expect(await erase(withoutData, erasureId)).toMatchObject([
      { complete: true, held: 0, counts: { uploads: 0, tags: 0 } },
    ]);
    expect(await erase(withoutData, erasureId, 2)).toHaveLength(2);
  });

  it('also takes a file that an upload on its way stored afterwards', async () => {
    const [late, erasureId] = [newUser(), randomUUID()];
    await erase(late, erasureId);
    const { status, body } = await media.upload(late, wav(88_001));
    expect(status).toBe(201);
    await waitFor(() => media.eventsOf('evt.media.file.deleted.v1', body.uuid)[0]);
    await waitFor(async () => (await keysWith(body.uuid)).length === 0);
  });
});

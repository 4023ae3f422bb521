import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { strFromU8, unzipSync } from 'fflate';
import {
  collectionRpc,
  foundRpc,
  identityEvents,
  userErasureOrdered,
  type CollectionObject,
  type FileObject,
  type ReplyOf,
  type RequestOf,
} from '@overtone/contracts';
import { maxFoundFiles } from '@overtone/contracts/export-formats';
import { startRun, transcribed, twoVoices } from '../../test/runs.ts';
import { newUser, startMedia, waitFor, wav, type TestUser } from '../../test/start-media.ts';
import type { CollectionShareObject } from './collections.ts';

const media = await startMedia();
const indexer = await media.connectAs('search-indexer');

let seed = 20_000;
async function fileOf(owner: TestUser): Promise<string> {
  return (await media.upload(owner, wav(seed++))).body.uuid;
}

async function collectionOf(owner: TestUser, name: string = randomUUID()): Promise<string> {
  return (await media.json<CollectionObject>(owner, 'POST', '/api/collections', { name })).body.uuid;
}

type Results = { results: { file_uuid: string; error: { code: string } | null }[]; code: string };
function add(person: TestUser, collection: string, ...files: string[]) {
  return media.json<Results>(person, 'POST', `/api/collections/${collection}/media`, { media_file_ids: files });
}

function take(person: TestUser, collection: string, ...files: string[]) {
  return media.json<Results>(person, 'DELETE', `/api/collections/${collection}/media`, { media_file_ids: files });
}

function share(person: TestUser, collection: string, target: string, permission = 'viewer', type = 'user') {
  const body = { target_type: type, target_uuid: target, permission };
  return media.json<CollectionShareObject & { code: string }>(
    person,
    'POST',
    `/api/collections/${collection}/shares`,
    body,
  );
}

async function status(person: TestUser, method: string, path: string, body?: unknown): Promise<number> {
  return (await media.json(person, method, path, body)).status;
}

function read(person: TestUser, collection: string) {
  return media.json<CollectionObject>(person, 'GET', `/api/collections/${collection}`);
}

async function reads(person: TestUser, file: string): Promise<boolean> {
  return (await status(person, 'GET', `/api/files/${file}?segment_limit=0`)) === 200;
}

function rename(person: TestUser, file: string): Promise<number> {
  return status(person, 'PUT', `/api/files/${file}`, { title: 'Renamed' });
}

async function filesIn(person: TestUser, collection: string) {
  const { body } = await media.json<{ items: FileObject[] }>(person, 'GET', `/api/files?collection=${collection}`);
  return body.items.map(({ uuid, my_permission }) => [uuid, my_permission]);
}

async function inGroup(person: TestUser, ...groups: string[]): Promise<void> {
  await media.setGroups(person, groups);
  const known = async () =>
    (await media.query('select group_ids from media_membership where user_id = $1', person.userId))[0]?.['group_ids'];
  await waitFor(async () => JSON.stringify(await known()) === JSON.stringify(groups));
}

/** The last access list that was published of a file. */
function lastAccess(file: string) {
  const events = media.eventsOf('evt.media.file.access-changed.v1', file);
  return events.toSorted((left, right) => Number(left.data['version']) - Number(right.data['version'])).at(-1)?.data;
}

async function waitForAccess(file: string, userIds: string[], groupIds: string[] = []): Promise<void> {
  await waitFor(() => {
    const last = lastAccess(file);
    return last && JSON.stringify([last['userIds'], last['groupIds']]) === JSON.stringify([userIds, groupIds]);
  });
}

/** A collection of Ada with one file of hers, shared with Eve. */
async function sharedCollection(permission = 'viewer') {
  const [ada, eve] = [newUser(), newUser()];
  const [file, collection] = [await fileOf(ada), await collectionOf(ada)];
  await add(ada, collection, file);
  const { body } = await share(ada, collection, eve.userId, permission);
  return { ada, eve, file, collection, share: body.uuid };
}

describe('collections', () => {
  it('are created once per name and owner, whatever its case', async () => {
    const [ada, eve] = [newUser(), newUser()];
    const body = { name: ' Board meetings ', description: 'All of 2026' };
    const made = await media.json<CollectionObject>(ada, 'POST', '/api/collections', body);
    expect(made).toMatchObject({
      status: 201,
      body: {
        name: 'Board meetings',
        description: 'All of 2026',
        source: 'manual',
        my_permission: 'owner',
        media_count: 0,
        share_count: 0,
        is_shared: false,
      },
    });
    expect(await media.json(ada, 'POST', '/api/collections', { name: 'BOARD MEETINGS' })).toMatchObject({
      status: 409,
      body: { code: 'collection_exists' },
    });
    expect(await status(eve, 'POST', '/api/collections', { name: 'Board meetings' })).toBe(201);
    const other = await collectionOf(ada, 'Other');
    expect(await media.json(ada, 'PUT', `/api/collections/${other}`, { name: 'board meetings' })).toMatchObject({
      status: 409,
      body: { code: 'collection_exists' },
    });
    const renamed = await media.json(ada, 'PUT', `/api/collections/${other}`, { name: 'OTHER', description: '' });
    expect(renamed).toMatchObject({ status: 200, body: { name: 'OTHER', description: '' } });
  });

  it.each([{ name: '' }, { name: '  ' }, { name: 'x'.repeat(121) }, { name: 'a\0b' }, {}])(
    'are not created from %j',
    async (body) => {
      expect(await media.json(newUser(), 'POST', '/api/collections', body)).toMatchObject({
        status: 422,
        body: { code: 'invalid_body' },
      });
    },
  );

  it('are listed by name with the number of their files, filtered by name, owner and file', async () => {
    const [ada, eve] = [newUser(), newUser()];
    const [beta, alpha] = [await collectionOf(ada, 'Beta 100%'), await collectionOf(ada, 'Alpha')];
    const file = await fileOf(ada);
    await add(ada, beta, file);
    await share(ada, alpha, eve.userId);
    const list = async (person: TestUser, query = '') => {
      const { body } = await media.json<{ items: CollectionObject[]; total: number }>(
        person,
        'GET',
        `/api/collections?${query}`,
      );
      return body.items.map(({ name, media_count, my_permission }) => [name, media_count, my_permission]);
    };
    expect(await list(ada)).toEqual([
      ['Alpha', 0, 'owner'],
      ['Beta 100%', 1, 'owner'],
    ]);
    expect(await list(ada, 'search=100%25')).toEqual([['Beta 100%', 1, 'owner']]);
    expect(await list(ada, 'search=_')).toEqual([]);
    expect(await list(ada, `file_uuid=${file}`)).toEqual([['Beta 100%', 1, 'owner']]);
    expect(await list(eve, 'ownership=mine')).toEqual([]);
    expect(await list(eve, 'ownership=shared')).toEqual([['Alpha', 0, 'viewer']]);
    expect(await list(eve, `file_uuid=${file}`)).toEqual([]);
    expect(await list(newUser())).toEqual([]);
    expect(await list(newUser('admin'), `file_uuid=${file}`)).toEqual([['Beta 100%', 1, 'owner']]);
  });

  it('list their files with the filters of the file list', async () => {
    const ada = newUser();
    const [file, other, collection] = [await fileOf(ada), await fileOf(ada), await collectionOf(ada)];
    await add(ada, collection, file);
    await rename(ada, file);
    expect(await filesIn(ada, collection)).toEqual([[file, 'owner']]);
    const inside = (query: string) =>
      media.json<{ total: number }>(ada, 'GET', `/api/collections/${collection}/media?${query}`);
    expect((await inside('search=renamed')).body.total).toBe(1);
    expect((await inside('search=elsewhere')).body.total).toBe(0);
    expect(await take(ada, collection, file, other)).toMatchObject({
      status: 200,
      body: {
        results: [
          { file_uuid: file, error: null },
          { file_uuid: other, error: { code: 'not_found' } },
        ],
      },
    });
    expect(await filesIn(ada, collection)).toEqual([]);
    expect(await reads(ada, file)).toBe(true);
  });

  it('take files that the caller may read, and report all others as not found', async () => {
    const [ada, eve] = [newUser(), newUser()];
    const [own, foreign, collection] = [await fileOf(ada), await fileOf(eve), await collectionOf(ada)];
    const unknown = randomUUID();
    const { status: answered, body } = await add(ada, collection, own, own, foreign, unknown);
    expect([answered, body.results.map(({ error }) => error?.code ?? null)]).toEqual([
      200,
      [null, 'not_found', 'not_found'],
    ]);
    expect(await filesIn(newUser('admin'), collection)).toEqual([[own, 'owner']]);
    for (const ids of [[], ['x'], Array.from({ length: 201 }, () => randomUUID())])
      expect((await add(ada, collection, ...ids)).status).toBe(422);
  });

  it('are full at 10 000 files', async () => {
    const ada = newUser();
    const collection = await collectionOf(ada);
    await media.query(
      `with made as (
         insert into media_file (uuid, user_id, filename, title, object_key, content_type, file_size, status)
         select gen_random_uuid(), $1, 'x', 'x', 'x', 'audio/wav', 1, 'completed' from generate_series(1, 10000)
         returning uuid)
       insert into collection_member (collection_id, media_file_id, added_by) select $2, uuid, $1 from made`,
      ada.userId,
      collection,
    );
    expect(await add(ada, collection, await fileOf(ada))).toMatchObject({
      status: 409,
      body: { code: 'collection_full' },
    });
    expect((await read(ada, collection)).body.media_count).toBe(10_000);
    const reader = { userId: ada.userId, role: 'user' as const };
    const { fileIds } = await indexer.request(collectionRpc.filesOf, { collectionId: collection, reader });
    expect(fileIds).toHaveLength(10_000);
  });
});

describe('a collection of another person', () => {
  it('is not found by people without a share, and by no one once it is deleted', async () => {
    const [ada, eve] = [newUser(), newUser()];
    const [collection, file] = [await collectionOf(ada), await fileOf(eve)];
    const path = `/api/collections/${collection}`;
    const calls: [string, string, object?][] = [
      ['GET', path],
      ['PUT', path, { name: 'x' }],
      ['GET', `${path}/media`],
      ['POST', `${path}/media`, { media_file_ids: [file] }],
      ['DELETE', `${path}/media`, { media_file_ids: [file] }],
      ['GET', `${path}/shares`],
      ['POST', `${path}/shares`, { target_type: 'user', target_uuid: eve.userId }],
      ['PUT', `${path}/shares/${randomUUID()}`, { permission: 'editor' }],
      ['DELETE', `${path}/shares/${randomUUID()}`],
      ['GET', `/api/files?collection=${collection}`],
      ['DELETE', path],
    ];
    for (const [method, url, body] of calls)
      expect([method, url, await status(eve, method, url, body)]).toEqual([method, url, 404]);
    const reader = { userId: eve.userId, role: 'user' as const };
    expect(await indexer.request(collectionRpc.filesOf, { collectionId: collection, reader })).toEqual({
      fileIds: null,
    });
    const named = async (userId: string, name: string) =>
      (await indexer.request(collectionRpc.filesNamed, { name, reader: { userId, role: 'user' } })).fileIds;
    const { name } = (await read(ada, collection)).body as { name: string };
    expect([await named(eve.userId, name), await named(ada.userId, name.toUpperCase())]).toEqual([null, []]);
    expect([await named(ada.userId, '%'), await named(ada.userId, `${name} `)]).toEqual([null, null]);
    expect(await status(ada, 'DELETE', path)).toBe(204);
    for (const [method, url, body] of calls)
      expect([method, url, await status(ada, method, url, body)]).toEqual([method, url, 404]);
  });

  it('can be read but not changed by a viewer, and so can its files', async () => {
    const { ada, eve, file, collection, share: id } = await sharedCollection();
    expect((await read(eve, collection)).body).toMatchObject({
      my_permission: 'viewer',
      media_count: 1,
      share_count: 0,
      is_shared: true,
    });
    expect((await read(ada, collection)).body).toMatchObject({ share_count: 1, is_shared: true });
    expect(await filesIn(eve, collection)).toEqual([[file, 'viewer']]);
    expect(await reads(eve, file)).toBe(true);
    expect(await rename(eve, file)).toBe(403);
    const path = `/api/collections/${collection}`;
    const own = await fileOf(eve);
    const calls: [string, string, object?][] = [
      ['PUT', path, { name: 'x' }],
      ['POST', `${path}/media`, { media_file_ids: [own] }],
      ['DELETE', `${path}/media`, { media_file_ids: [file] }],
      ['GET', `${path}/shares`],
      ['POST', `${path}/shares`, { target_type: 'user', target_uuid: randomUUID() }],
      ['PUT', `${path}/shares/${id}`, { permission: 'editor' }],
      ['DELETE', `${path}/shares/${id}`],
      ['DELETE', path],
    ];
    for (const [method, url, body] of calls)
      expect([method, url, await media.json(eve, method, url, body)]).toMatchObject([
        method,
        url,
        { status: 403, body: { code: 'permission_required' } },
      ]);
  });

  it('can be edited by an editor, who may correct the files of its owner but not own or share them', async () => {
    const { ada, eve, file, collection } = await sharedCollection('editor');
    expect(await status(eve, 'PUT', `/api/collections/${collection}`, { description: 'by Eve' })).toBe(200);
    expect(await rename(eve, file)).toBe(200);
    for (const [method, path, body] of [
      ['DELETE', `/api/files/${file}`],
      ['PUT', `/api/files/${file}/shares`, { user_uuid: newUser().userId }],
      ['GET', `/api/collections/${collection}/shares`],
      ['DELETE', `/api/collections/${collection}`],
    ] as const)
      expect([path, await status(eve, method, path, body)]).toEqual([path, 403]);
    expect((await take(eve, collection, file)).body.results[0]?.error).toBeNull();
    expect(await reads(eve, file)).toBe(false);
    expect(await reads(ada, file)).toBe(true);
  });

  it('belongs to administrators as files do', async () => {
    const { file, collection, share: id } = await sharedCollection();
    const admin = newUser('admin');
    expect((await read(admin, collection)).body).toMatchObject({ my_permission: 'owner', share_count: 1 });
    expect(await filesIn(admin, collection)).toEqual([[file, 'owner']]);
    expect(await status(admin, 'DELETE', `/api/collections/${collection}/shares/${id}`)).toBe(204);
  });
});

describe('counts of files by collection', () => {
  it('contain the collections and files that the reader may see, most frequent first', async () => {
    const [ada, eve] = [newUser(), newUser()];
    const [first, second, secret] = [await fileOf(ada), await fileOf(ada), await fileOf(ada)];
    const [one, both, unshared] = [
      await collectionOf(ada, 'One'),
      await collectionOf(ada, 'Both'),
      await collectionOf(ada, 'Unshared'),
    ];
    await add(ada, one, first);
    await add(ada, both, first, second);
    await add(ada, unshared, first, second, secret);
    for (const collection of [one, both]) await share(ada, collection, eve.userId);
    const counted = async ({ userId }: TestUser, ...fileIds: string[]) => {
      const reader = { userId, role: 'user' as const };
      return (await indexer.request(collectionRpc.countFiles, { fileIds, reader })).collections;
    };
    const shared = [
      { collectionId: both, name: 'Both', count: 2 },
      { collectionId: one, name: 'One', count: 1 },
    ];
    expect(await counted(ada, first, second, secret)).toEqual([
      { collectionId: unshared, name: 'Unshared', count: 3 },
      ...shared,
    ]);
    expect(await counted(eve, first, second, secret)).toEqual(shared);
    expect(await counted(newUser(), first, second, secret)).toEqual([]);
    // A collection that the reader sees does not tell of a file that the reader may not read.
    const own = await collectionOf(eve);
    await media.query('insert into collection_member (collection_id, media_file_id) values ($1, $2)', own, secret);
    expect(await counted(eve, secret)).toEqual([]);
  });

  it('are limited to 20 collections and 1000 files', async () => {
    const ada = newUser();
    const file = await fileOf(ada);
    await media.query(
      `with made as (
         insert into collection (user_id, name) select $1, 'c' || i from generate_series(1, 21) i returning uuid)
       insert into collection_member (collection_id, media_file_id) select uuid, $2 from made`,
      ada.userId,
      file,
    );
    const reader = { userId: ada.userId, role: 'user' as const };
    const request = (fileIds: string[]) => indexer.request(collectionRpc.countFiles, { fileIds, reader });
    expect((await request([file])).collections).toHaveLength(20);
    await expect(request(Array.from({ length: 1_001 }, () => file))).rejects.toMatchObject({ kind: 'invalid' });
  });
});

describe('sharing a collection', () => {
  it('gives its files to the members of a group while they are members', async () => {
    const [ada, eve, group] = [newUser(), newUser(), randomUUID()];
    const [file, collection] = [await fileOf(ada), await collectionOf(ada)];
    await add(ada, collection, file);
    await inGroup(ada, group);
    expect(await share(ada, collection, group, 'editor', 'group')).toMatchObject({
      status: 201,
      body: { target_type: 'group', target_uuid: group, target_name: null, permission: 'editor' },
    });
    expect(await reads(eve, file)).toBe(false);
    await inGroup(eve, group);
    expect(await rename(eve, file)).toBe(200);
    expect(await filesIn(eve, collection)).toEqual([[file, 'editor']]);
    await waitForAccess(file, [], [group]);
    await inGroup(eve);
    expect(await reads(eve, file)).toBe(false);
    expect((await read(eve, collection)).status).toBe(404);
  });

  it('has the highest of several permissions, of the file and of all its collections', async () => {
    const { ada, eve, file, collection, share: id } = await sharedCollection('viewer');
    const second = await collectionOf(ada);
    await add(ada, second, file);
    await share(ada, second, eve.userId, 'editor');
    expect(await rename(eve, file)).toBe(200);
    await status(ada, 'DELETE', `/api/collections/${second}`);
    expect(await rename(eve, file)).toBe(403);
    await status(ada, 'PUT', `/api/files/${file}/shares`, { user_uuid: eve.userId, permission: 'editor' });
    expect(await rename(eve, file)).toBe(200);
    await status(ada, 'DELETE', `/api/collections/${collection}/shares/${id}`);
    expect(await rename(eve, file)).toBe(200);
  });

  it('changes and ends with the share, the membership of the file and the collection', async () => {
    const { ada, eve, file, collection, share: id } = await sharedCollection();
    const one = `/api/collections/${collection}/shares/${id}`;
    expect(await media.json(ada, 'PUT', one, { permission: 'editor' })).toMatchObject({
      status: 200,
      body: { uuid: id, permission: 'editor' },
    });
    expect(await rename(eve, file)).toBe(200);
    await waitForAccess(file, [eve.userId]);
    expect([await status(ada, 'DELETE', one), await status(ada, 'DELETE', one)]).toEqual([204, 404]);
    expect(await status(ada, 'PUT', one, { permission: 'viewer' })).toBe(404);
    expect(await reads(eve, file)).toBe(false);
    await waitForAccess(file, []);
    await share(ada, collection, eve.userId);
    await waitForAccess(file, [eve.userId]);
    await take(ada, collection, file);
    expect(await reads(eve, file)).toBe(false);
    await waitForAccess(file, []);
    await add(ada, collection, file);
    await waitForAccess(file, [eve.userId]);
    await status(ada, 'DELETE', `/api/collections/${collection}`);
    expect(await reads(eve, file)).toBe(false);
    await waitForAccess(file, []);
  });

  it('is rejected with an unknown user, with its owner, and with a group of others', async () => {
    const [ada, collection] = [newUser(), await collectionOf(newUser())];
    const mine = await collectionOf(ada);
    const unknownUser = randomUUID();
    media.strangers.add(unknownUser);
    expect((await share(ada, collection, ada.userId)).status).toBe(404);
    const attempts = [
      share(ada, mine, unknownUser),
      share(ada, mine, ada.userId),
      share(ada, mine, randomUUID(), 'viewer', 'group'),
      share(ada, mine, 'x'),
      share(ada, mine, newUser().userId, 'owner'),
      share(ada, mine, newUser().userId, 'viewer', 'everyone'),
    ];
    for (const attempt of await Promise.all(attempts))
      expect(attempt).toMatchObject({ status: 422, body: { code: 'invalid_body' } });
    expect((await media.json(ada, 'GET', `/api/collections/${mine}/shares`)).body).toEqual([]);
  });

  it('shows and publishes each person once, however many collections give the file', async () => {
    const { ada, eve, file, collection } = await sharedCollection();
    const again = await share(ada, collection, eve.userId, 'editor');
    const { body } = await media.json<CollectionShareObject[]>(ada, 'GET', `/api/collections/${collection}/shares`);
    expect(body).toEqual([again.body]);
    const second = await collectionOf(ada);
    await add(ada, second, file);
    await share(ada, second, eve.userId);
    await waitFor(async () => (await media.query('select 1 from access_change')).length === 0);
    await waitForAccess(file, [eve.userId]);
    expect((await media.json(ada, 'GET', `/api/files/${file}/shares`)).body).toEqual([]);
  });

  it('is recorded in the audit trail with its end', async () => {
    const { ada, eve, collection, share: id } = await sharedCollection();
    await status(ada, 'DELETE', `/api/collections/${collection}/shares/${id}`);
    await status(ada, 'DELETE', `/api/collections/${collection}`);
    const recorded = await media.query(
      `select data->>'action' as action, data->'details'->>'user' as person from media_outbox
       where data->'details'->>'collection' = $1 order by id`,
      collection,
    );
    expect(recorded).toEqual([
      { action: 'collection_files_added', person: null },
      { action: 'collection_shared', person: eve.userId },
      { action: 'collection_unshared', person: eve.userId },
      { action: 'collection_deleted', person: null },
    ]);
  });
});

describe('a change of a shared collection', () => {
  const changesOf = async (collection: string) =>
    (
      (await media.query(
        `select data->'userIds' as people from media_outbox
         where data ? 'userIds' and data->>'collectionId' = $1 order by id`,
        collection,
      )) as { people: string[] }[]
    ).map(({ people }) => people.toSorted());

  it('of its files is recorded with the person, and is published to all who see it', async () => {
    const { ada, eve, collection, file } = await sharedCollection('editor');
    const before = (await changesOf(collection)).length;
    expect((await take(eve, collection, file)).status).toBe(200);
    expect((await add(ada, collection, file)).status).toBe(200);
    // Nothing changes.
    await take(eve, collection, randomUUID());
    const recorded = await media.query(
      `select data->>'action' as action, data->>'actorId' as actor, data->'details'->'files' as files
       from media_outbox where data->'details'->>'collection' = $1 and data->>'action' like 'collection_files%' order by id`,
      collection,
    );
    expect(recorded.slice(-2)).toEqual([
      { action: 'collection_files_removed', actor: eve.userId, files: 1 },
      { action: 'collection_files_added', actor: ada.userId, files: 1 },
    ]);
    const people = [ada.userId, eve.userId].toSorted();
    expect((await changesOf(collection)).slice(before)).toEqual([people, people]);
  });

  it('of its name or of a permission, and its end, are published also to those who lose it', async () => {
    const { ada, eve, collection, share: id } = await sharedCollection('editor');
    const people = [ada.userId, eve.userId].toSorted();
    const before = (await changesOf(collection)).length;
    await status(eve, 'PUT', `/api/collections/${collection}`, { name: randomUUID() });
    await status(ada, 'PUT', `/api/collections/${collection}/shares/${id}`, { permission: 'viewer' });
    await status(ada, 'DELETE', `/api/collections/${collection}/shares/${id}`);
    await status(ada, 'DELETE', `/api/collections/${collection}`);
    expect((await changesOf(collection)).slice(before)).toEqual([people, people, people, [ada.userId]]);
  });
});

describe('the transcripts of a collection as one archive', () => {
  async function archive(person: TestUser, query: string): Promise<Record<string, string>> {
    const response = await media.call(person, 'GET', `/api/transcripts/export?format=txt&${query}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip']);
    const files = unzipSync(new Uint8Array(await response.arrayBuffer()));
    return Object.fromEntries(Object.entries(files).map(([name, content]) => [name, strFromU8(content)]));
  }

  it('has a file for each that the reader may read, with names that do not collide, and a table of contents', async () => {
    const [owner, reader] = [newUser(), newUser()];
    const runs = [await transcribed(media, owner), await transcribed(media, owner)];
    for (const { fileId } of runs) await media.json(owner, 'PUT', `/api/files/${fileId}`, { title: '../=Weekly' });
    const collection = await collectionOf(owner, 'Weekly calls');
    await add(owner, collection, ...runs.map(({ fileId }) => fileId));
    await share(owner, collection, reader.userId);
    const files = await archive(reader, `collection_uuid=${collection}`);
    expect(Object.keys(files)).toEqual(['=Weekly.txt', '=Weekly (2).txt', 'contents.csv']);
    expect(files['=Weekly.txt']).toContain('good morning everybody');
    const rows = files['contents.csv']?.trim().split('\r\n') ?? [];
    expect(rows).toHaveLength(3);
    // A spreadsheet must not take a name for a formula.
    expect(rows[1]).toMatch(/^'=Weekly\.txt,/);
    expect(rows[2]).toMatch(new RegExp(`,http://[^/,]+/files/${runs[1]?.fileId},`));
  });

  it('names files that are missing, and why, without what the reader may not know', async () => {
    const [owner, stranger] = [newUser(), newUser()];
    const [own, other] = [await transcribed(media, stranger), await transcribed(media, owner)];
    const files = await archive(stranger, `file_uuids=${other.fileId},${own.fileId},${randomUUID()}`);
    expect(Object.keys(files)).toHaveLength(2);
    const missing = files['contents.csv']
      ?.trim()
      .split('\r\n')
      .filter((row) => row.endsWith('There is no such file.'));
    expect(missing).toEqual([expect.stringMatching(/^,,,,,/), expect.stringMatching(/^,,,,,/)]);
  });

  it('names recordings without a transcript, and why, instead of an empty document', async () => {
    const owner = newUser();
    const [failed, waiting] = [await startRun(media, owner), await startRun(media, owner)];
    await failed.open();
    await failed.fail('media_unreadable', false);
    await failed.until(({ status }) => status === 'error');
    await waiting.open();
    await waiting.start('transcribe');
    await waiting.until(({ display_status }) => display_status === 'Transcribing');
    const silent = await transcribed(media, owner, { ...twoVoices([]), segments: [] });
    const again = await transcribed(media, owner);
    const repeated = await startRun(media, owner, again.fileId);
    await repeated.open();
    await repeated.fail('engine_crashed');
    await repeated.until(({ status }) => status === 'error');
    await media.json(owner, 'PUT', `/api/files/${again.fileId}`, { title: 'Again' });
    const uuids = [failed, waiting, silent, again].map(({ fileId }) => fileId);
    const files = await archive(owner, `file_uuids=${uuids.join(',')}`);
    expect(Object.keys(files)).toEqual(['Again.txt', 'contents.csv']);
    expect(files['Again.txt']).toContain('good morning everybody');
    const rows = files['contents.csv']?.trim().split('\r\n') ?? [];
    expect(rows.slice(1)).toEqual([
      expect.stringMatching(/^,.+,There is no transcript: It went wrong\.$/),
      expect.stringMatching(/^,.+,There is no transcript yet: Transcribing\.$/),
      expect.stringMatching(/^,.+,There is no transcript: No speech found\.$/),
      expect.stringMatching(/^Again\.txt,.+,$/),
    ]);
  });

  it('is refused for a collection that the caller may not read, and without files', async () => {
    const collection = await collectionOf(newUser());
    const path = '/api/transcripts/export?format=txt';
    expect(await status(newUser(), 'GET', `${path}&collection_uuid=${collection}`)).toBe(404);
    expect(await status(newUser(), 'GET', path)).toBe(400);
  });
});

describe('the transcripts that a search finds', () => {
  const path = '/api/transcripts/export/search?format=txt';
  const asked: RequestOf<typeof foundRpc.foundFiles>[] = [];
  let found: ReplyOf<typeof foundRpc.foundFiles> = { fileIds: [], more: false };
  indexer.serve(foundRpc.foundFiles, async (request) => {
    asked.push(request);
    return found;
  });
  beforeAll(() => indexer.nc().flush());

  it('are all in one archive, in the order of the search, with those that are missing', async () => {
    const owner = newUser();
    const [first, second] = [await transcribed(media, owner), await transcribed(media, owner)];
    for (const [{ fileId }, title] of [
      [first, 'First'],
      [second, 'Second'],
    ] as const)
      await media.json(owner, 'PUT', `/api/files/${fileId}`, { title });
    const other = await transcribed(media, newUser());
    found = { fileIds: [second.fileId, other.fileId, first.fileId], more: false };
    const query = 'q=the%20budget&search_mode=keyword&tags=board&names=none&times=none&exact=true';
    const response = await media.call(owner, 'GET', `${path}&${query}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip']);
    expect(response.headers.get('content-disposition')).toContain('the budget');
    const files = unzipSync(new Uint8Array(await response.arrayBuffer()));
    expect(Object.keys(files)).toEqual(['Second.txt', 'First.txt', 'contents.csv']);
    const text = strFromU8(files['First.txt'] ?? new Uint8Array());
    expect(text).toContain('good morning everybody');
    expect(text).not.toContain('Speaker');
    const rows = strFromU8(files['contents.csv'] ?? new Uint8Array())
      .trim()
      .split('\r\n');
    expect(rows).toHaveLength(4);
    expect(rows[2]).toMatch(/There is no such file\.$/);
    expect(asked.at(-1)).toMatchObject({
      search: { q: 'the budget', search_mode: 'keyword', tags: ['board'], exact: true },
      reader: { userId: owner.userId, role: 'user' },
    });
  });

  it('are refused when they are too many, instead of exported in part', async () => {
    for (const many of [
      { fileIds: [], more: true },
      { fileIds: Array.from({ length: maxFoundFiles + 1 }, () => randomUUID()), more: false },
    ]) {
      found = many;
      const { status, body } = await media.json(newUser(), 'GET', `${path}&q=budget`);
      expect([status, body.code]).toEqual([413, 'export_too_many']);
    }
  });
});

describe('a file in a shared collection of another person', () => {
  it('is not given to others by an editor who does not own it', async () => {
    const { ada, eve, collection } = await sharedCollection('editor');
    const [bob, cleo] = [newUser(), newUser()];
    const secret = await fileOf(bob);
    await status(bob, 'PUT', `/api/files/${secret}/shares`, { user_uuid: eve.userId });
    await share(ada, collection, cleo.userId);
    expect((await add(eve, collection, secret)).body.results[0]?.error).toBeNull();
    expect([await reads(ada, secret), await reads(cleo, secret), await reads(eve, secret)]).toEqual([
      false,
      false,
      true,
    ]);
    expect((await read(ada, collection)).body.media_count).toBe(1);
    expect((await read(eve, collection)).body.media_count).toBe(2);
    expect(await filesIn(ada, collection)).toHaveLength(1);
  });

  it('is not given to others when an editor adds a file of the owner, until the owner adds it', async () => {
    const { ada, eve, collection } = await sharedCollection('editor');
    const [cleo, secret] = [newUser(), await fileOf(ada)];
    await status(ada, 'PUT', `/api/files/${secret}/shares`, { user_uuid: eve.userId });
    await share(ada, collection, cleo.userId);
    await add(eve, collection, secret);
    expect(await filesIn(ada, collection)).toHaveLength(2);
    expect([await reads(cleo, secret), await rename(eve, secret)]).toEqual([false, 403]);
    await add(ada, collection, secret);
    expect([await reads(cleo, secret), await rename(eve, secret)]).toEqual([true, 200]);
    await waitForAccess(secret, [eve.userId, cleo.userId].sort());
    await add(eve, collection, secret);
    expect(await reads(cleo, secret)).toBe(true);
  });

  it('stays of its owner alone when an editor adds an own file', async () => {
    const { ada, eve, collection } = await sharedCollection('editor');
    const own = await fileOf(eve);
    await add(eve, collection, own);
    expect([await reads(ada, own), await reads(eve, own)]).toEqual([false, true]);
    expect(await filesIn(ada, collection)).toHaveLength(1);
    expect(await filesIn(eve, collection)).toHaveLength(2);
  });

  it('is not given by an administrator who adds a file of another person', async () => {
    const { ada, eve, collection } = await sharedCollection();
    const foreign = await fileOf(newUser());
    const unasked = await fileOf(ada);
    await add(newUser('admin'), collection, foreign, unasked);
    expect([await reads(ada, foreign), await reads(eve, foreign), await reads(eve, unasked)]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('is invisible while it is in the bin, and visible after it', async () => {
    const { ada, eve, file, collection } = await sharedCollection();
    await status(ada, 'DELETE', `/api/files/${file}`);
    expect([await reads(eve, file), (await read(eve, collection)).body.media_count]).toEqual([false, 0]);
    expect((await add(ada, collection, file)).body.results[0]?.error).toMatchObject({ code: 'not_found' });
    await status(ada, 'POST', `/api/files/${file}/restore`);
    expect([await reads(eve, file), (await read(eve, collection)).body.media_count]).toEqual([true, 1]);
    await status(ada, 'DELETE', `/api/files/${file}`);
  });

  it('is no longer given when the group or the account is deleted', async () => {
    const { ada, eve, file, collection } = await sharedCollection();
    const [cleo, group] = [newUser(), randomUUID()];
    await inGroup(ada, group);
    await inGroup(cleo, group);
    await share(ada, collection, group, 'viewer', 'group');
    await waitForAccess(file, [eve.userId], [group]);
    await media.emit(identityEvents.groupDeleted, { groupId: group });
    await media.emit(identityEvents.userDeleted, { userId: eve.userId });
    await waitForAccess(file, []);
    expect([await reads(eve, file), await reads(cleo, file)]).toEqual([false, false]);
    expect((await media.json(ada, 'GET', `/api/collections/${collection}/shares`)).body).toEqual([]);
  });

  it('is no longer given when the owner of the collection is erased, and nothing is left of an erased editor', async () => {
    const erase = async (person: TestUser) => {
      const erasureId = randomUUID();
      await media.emit(userErasureOrdered, { erasureId, round: 1, userId: person.userId });
      await waitFor(() =>
        media.messages.some(
          ({ subject, data }) =>
            subject === 'evt.media.user.erased.v1' && data['erasureId'] === erasureId && data['complete'] === true,
        ),
      );
    };
    const traces = async ({ userId }: TestUser) =>
      media.query(
        `select 'c' from collection c where to_jsonb(c)::text like '%' || $1 || '%'
         union all select 's' from collection_share s where to_jsonb(s)::text like '%' || $1 || '%'
         union all select 'm' from collection_member m where to_jsonb(m)::text like '%' || $1 || '%'`,
        userId,
      );
    const { ada, eve, file, collection } = await sharedCollection('editor');
    const kept = await fileOf(ada);
    await status(ada, 'PUT', `/api/files/${kept}/shares`, { user_uuid: eve.userId });
    await add(eve, collection, kept);
    await collectionOf(eve);
    await erase(eve);
    expect(await traces(eve)).toEqual([]);
    expect((await read(ada, collection)).body.media_count).toBe(2);
    await waitForAccess(file, []);
    const cleo = newUser();
    await share(ada, collection, cleo.userId);
    const hold = { file_uuid: file, reason: 'case 13' };
    await media.json(newUser('admin'), 'POST', '/api/admin/legal-holds', hold);
    expect(await reads(cleo, file)).toBe(true);
    await erase(ada);
    expect(await traces(ada)).toEqual([]);
    expect(await reads(cleo, file)).toBe(false);
    await waitForAccess(file, []);
  });
});

describe('concurrent changes', () => {
  it('of shares and files leave the published access list as the database has it', async () => {
    const ada = newUser();
    const mine = await collectionOf(ada);
    const files = [await fileOf(ada), await fileOf(ada), await fileOf(ada)];
    const people = Array.from({ length: 6 }, () => newUser());
    const rounds = people.map(async ({ userId }, i) => {
      const file = files[i % files.length] ?? '';
      const answers = await Promise.all([
        share(ada, mine, userId),
        add(ada, mine, ...files),
        i % 2 === 0 ? take(ada, mine, file) : add(ada, mine, file),
        share(ada, mine, userId, 'editor'),
      ]);
      expect(answers.map((answer) => answer.status)).toEqual([201, 200, 200, 201]);
    });
    await Promise.all(rounds);
    await waitFor(async () => (await media.query('select 1 from access_change')).length === 0);
    for (const file of files) {
      const rows = await media.query(
        'select distinct user_id from file_grant where media_file_id = $1 order by user_id',
        file,
      );
      await waitForAccess(
        file,
        rows.map((row) => String(row['user_id'])),
      );
    }
    expect(await media.query('select 1 from collection_share where collection_id = $1', mine)).toHaveLength(6);
  });

  it('of one name create one collection', async () => {
    const ada = newUser();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => status(ada, 'POST', '/api/collections', { name: 'Once' })),
    );
    expect(answers.toSorted((left, right) => left - right)).toEqual([201, 409, 409, 409, 409, 409]);
  });
});

import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { CodedPassage, CodeListObject, CodeObject, CodingObject, Problem } from '@overtone/contracts';
import { elementsIn, readProject } from '../../test/qda-project.ts';
import { transcribed, type Run } from '../../test/runs.ts';
import { newUser, startMedia, waitFor, type TestUser } from '../../test/start-media.ts';

const media = await startMedia();
const [owner, reader, coder, stranger, admin] = [newUser(), newUser(), newUser(), newUser(), newUser('admin')];
let run: Run;

beforeAll(async () => {
  media.names.set(owner.userId, 'Olga Owner').set(reader.userId, 'Rita Reader').set(coder.userId, 'Cora Coder');
  run = await transcribed(media, owner);
  await shareFile(run, reader);
  await shareFile(run, coder);
});

function messagesOf(subject: string) {
  return media.messages.filter((message) => message.subject === subject);
}
function shareFile({ fileId }: Run, { userId }: TestUser) {
  return media.json(owner, 'PUT', `/api/files/${fileId}/shares`, { user_uuid: userId });
}
async function newList(person: TestUser, shares: Partial<Record<'viewer' | 'editor', TestUser>> = {}): Promise<string> {
  const created = await media.json<CodeListObject>(person, 'POST', '/api/code-lists', { name: `list ${randomUUID()}` });
  expect(created.status).toBe(201);
  const path = `/api/code-lists/${created.body.uuid}`;
  for (const [permission, { userId }] of Object.entries(shares))
    expect(
      (await media.json(person, 'POST', `${path}/shares`, { target_type: 'user', target_uuid: userId, permission }))
        .status,
    ).toBe(201);
  return path;
}
function addCode(person: TestUser, list: string, body: object = {}) {
  return media.json<CodeObject & Problem>(person, 'POST', `${list}/codes`, {
    name: `code ${randomUUID()}`,
    color: 'red',
    ...body,
  });
}
function give(person: TestUser, code: CodeObject, place: object = {}, fileId: string = run.fileId) {
  const body = { code_uuid: code.uuid, start_time: 0, end_time: 1, ...place };
  return media.json<CodingObject & Problem>(person, 'POST', `/api/files/${fileId}/codings`, body);
}
async function codingsOf(person: TestUser, list: string, fileId: string = run.fileId): Promise<CodingObject[]> {
  const { body } = await media.json<{ codings: CodingObject[] }>(person, 'GET', `/api/files/${fileId}/codings`);
  return body.codings.filter(({ list_uuid: id }) => list.endsWith(id));
}
async function passagesOf(person: TestUser, list: string, query = ''): Promise<CodedPassage[]> {
  return (await media.json<{ items: CodedPassage[] }>(person, 'GET', `${list}/passages${query}`)).body.items;
}

describe('lists of codes', () => {
  it('are seen by their owner, by those whom they are shared with, and by administrators', async () => {
    const list = await newList(owner, { viewer: reader, editor: coder });
    const seen = async (person: TestUser) => media.json<CodeListObject>(person, 'GET', list);
    for (const [person, permission] of [
      [owner, 'owner'],
      [reader, 'viewer'],
      [coder, 'editor'],
      [admin, 'owner'],
    ] as const)
      expect((await seen(person)).body.my_permission).toBe(permission);
    expect((await seen(stranger)).status).toBe(404);
    const listed = async (person: TestUser, ownership: string) =>
      (
        await media.json<{ items: CodeListObject[] }>(
          person,
          'GET',
          `/api/code-lists?ownership=${ownership}&page_size=100`,
        )
      ).body.items.some(({ uuid }) => list.endsWith(uuid));
    expect(await listed(owner, 'mine')).toBe(true);
    expect(await listed(coder, 'mine')).toBe(false);
    expect(await listed(coder, 'shared')).toBe(true);
    expect(await listed(admin, 'shared')).toBe(false);
    expect(await listed(stranger, 'all')).toBe(false);
  });

  it('are shared with the members of a group until the share is removed', async () => {
    const [member, group] = [newUser(), randomUUID()];
    await media.setGroups(owner, [group]);
    await media.setGroups(member, [group]);
    await waitFor(
      async () => (await media.query('select 1 from media_membership where user_id = $1', member.userId))[0],
    );
    const list = await newList(owner);
    const target = { target_type: 'group', target_uuid: group, permission: 'editor' };
    const shared = await media.json<{ uuid: string }>(owner, 'POST', `${list}/shares`, target);
    expect((await addCode(member, list)).status).toBe(201);
    expect((await media.json(member, 'GET', `${list}/shares`)).status).toBe(403);
    expect((await media.json(owner, 'DELETE', `${list}/shares/${shared.body.uuid}`)).status).toBe(204);
    expect((await media.json(member, 'GET', list)).status).toBe(404);
    const stranger_target = { ...target, target_uuid: randomUUID() };
    expect((await media.json(owner, 'POST', `${list}/shares`, stranger_target)).body).toMatchObject({
      code: 'invalid_body',
    });
  });

  it('keep their codes by name, with one level below', async () => {
    const list = await newList(owner, { viewer: reader, editor: coder });
    const { body: trust } = await addCode(coder, list, { name: 'Trust' });
    await addCode(coder, list, { name: 'Doubt', color: 'blue', description: 'Says that it may fail' });
    const { body: below } = await addCode(owner, list, { name: 'In people', parent_uuid: trust.uuid });
    const { body } = await media.json<CodeListObject>(reader, 'GET', list);
    expect(body.codes.map(({ name, parent_uuid: parent }) => [name, parent])).toEqual([
      ['Doubt', null],
      ['Trust', null],
      ['In people', trust.uuid],
    ]);
    expect(await addCode(owner, list, { parent_uuid: below.uuid })).toMatchObject({ status: 422 });
    expect((await addCode(owner, list, { name: 'trust' })).body.code).toBe('code_exists');
    expect(await addCode(reader, list)).toMatchObject({ status: 403, body: { code: 'permission_required' } });
    expect((await addCode(stranger, list)).status).toBe(404);
    const change = (code: CodeObject, change: object) =>
      media.json<CodeObject & Problem>(coder, 'PUT', `${list}/codes/${code.uuid}`, change);
    expect((await change(trust, { parent_uuid: trust.uuid })).status).toBe(422);
    expect((await change(below, { name: 'Doubt' })).body.code).toBe('code_exists');
    expect((await change(below, { parent_uuid: null, color: 'gray' })).body).toMatchObject({
      parent_uuid: null,
      color: 'gray',
      name: 'In people',
    });
    expect((await media.json(coder, 'DELETE', `${list}/codes/${trust.uuid}`)).status).toBe(204);
  });

  it('that are shared, no longer shared or deleted are audited', async () => {
    const list = await newList(owner, { viewer: reader });
    const id = list.split('/').at(-1);
    const [share] = (await media.json<{ uuid: string }[]>(owner, 'GET', `${list}/shares`)).body;
    await media.json(owner, 'DELETE', `${list}/shares/${share?.uuid}`);
    expect((await media.json(owner, 'DELETE', list)).status).toBe(204);
    const actions = await media.query(
      `select data->>'action' as action, data->'details'->>'user' as person from media_outbox
       where data->'details'->>'list' = $1 order by id`,
      id,
    );
    expect(actions).toEqual([
      { action: 'code_list_shared', person: reader.userId },
      { action: 'code_list_unshared', person: reader.userId },
      { action: 'code_list_deleted', person: null },
    ]);
  });
});

describe('a passage', () => {
  it('gets codes from those who may read the recording and edit the list, and quotes the text there', async () => {
    const list = await newList(owner, { viewer: reader, editor: coder });
    const { body: code } = await addCode(owner, list, { name: 'Greeting' });
    const given = await give(coder, code);
    expect(given).toMatchObject({
      status: 201,
      body: { name: 'Greeting', color: 'red', quote: 'good morning everybody', author: { name: 'Cora Coder' } },
    });
    expect((await give(coder, code)).body.uuid).toBe(given.body.uuid);
    expect(await give(reader, code)).toMatchObject({ status: 403 });
    expect((await give(stranger, code)).status).toBe(404);
    expect((await give(owner, { ...code, uuid: randomUUID() })).status).toBe(404);
    expect((await give(owner, code, { start_time: 1, end_time: 1 })).status).toBe(422);
    expect((await give(owner, code, { end_time: 3_601 })).status).toBe(422);
    expect((await codingsOf(reader, list)).map(({ uuid }) => uuid)).toEqual([given.body.uuid]);
    expect((await media.json(stranger, 'GET', `/api/files/${run.fileId}/codings`)).status).toBe(404);
    // The recording is shared with this person, and the list is not.
    const other = newUser();
    await shareFile(run, other);
    expect(await codingsOf(other, list)).toEqual([]);
    expect((await give(other, code)).status).toBe(404);
  });

  it('loses a code by its author and the owners of the recording and of the list; the act of others is audited', async () => {
    const list = await newList(coder, { editor: owner, viewer: reader });
    const { body: code } = await addCode(coder, list, { name: 'Odd' });
    const third = newUser();
    await shareFile(run, third);
    await media.json(coder, 'POST', `${list}/shares`, {
      target_type: 'user',
      target_uuid: third.userId,
      permission: 'editor',
    });
    const path = async (place: object) =>
      `/api/files/${run.fileId}/codings/${(await give(third, code, place)).body.uuid}`;
    const [first, second] = [await path({}), await path({ start_time: 2, end_time: 3 })];
    expect((await media.json(reader, 'DELETE', first)).status).toBe(403);
    expect((await media.json(stranger, 'DELETE', first)).status).toBe(404);
    expect((await media.json(owner, 'DELETE', first)).status).toBe(204);
    expect((await media.json(coder, 'DELETE', second)).status).toBe(204);
    expect((await media.json(coder, 'DELETE', second)).status).toBe(404);
    expect((await media.json(third, 'DELETE', await path({}))).status).toBe(204);
    const audited = await waitFor(() => {
      const found = media
        .eventsOf('evt.media.action.performed.v1', run.fileId)
        .map(({ data }) => data)
        .filter(({ action }) => action === 'coding_deleted');
      return found.length === 2 ? found : undefined;
    });
    expect(audited.map(({ actorId }) => actorId)).toEqual([owner.userId, coder.userId]);
    expect(audited[0]).toMatchObject({ details: { author: third.userId, code: 'Odd' } });
  });

  it('with a code is pushed to open pages when it changes, and so is the list', async () => {
    const list = await newList(owner, { editor: coder });
    const id = list.split('/').at(-1) ?? '';
    const { body: code } = await addCode(owner, list);
    const before = media.eventsOf('evt.media.coding.changed.v1', run.fileId).length;
    await give(owner, code);
    await waitFor(() => media.eventsOf('evt.media.coding.changed.v1', run.fileId).length === before + 1);
    const changes = await waitFor(() => {
      const found = messagesOf('evt.media.code-list.changed.v1').filter(({ data }) => data['listId'] === id);
      return found.length >= 2 ? found : undefined;
    });
    expect(changes.at(-1)?.data).toMatchObject({ userIds: [owner.userId, coder.userId], groupIds: [] });
  });
});

describe('the passages of a list', () => {
  it('are those of all recordings that the reader may read, by recording and time, and by code with those below it', async () => {
    const hidden = await transcribed(media, owner);
    const list = await newList(owner, { viewer: reader });
    const { body: above } = await addCode(owner, list, { name: 'Above' });
    const { body: below } = await addCode(owner, list, { name: 'Below', parent_uuid: above.uuid });
    const { body: other } = await addCode(owner, list, { name: 'Other' });
    await give(owner, other, { start_time: 4, end_time: 5.2 });
    await give(owner, below, { start_time: 2, end_time: 2.9 });
    await give(owner, above);
    await give(owner, above, {}, hidden.fileId);
    expect((await passagesOf(owner, list)).length).toBe(4);
    const read = await passagesOf(reader, list);
    expect(read.map(({ name, quote, start_time: start }) => [name, quote, start])).toEqual([
      ['Above', 'good morning everybody', 0],
      ['Below', 'hello and', 2],
      ['Other', 'let us begin', 4],
    ]);
    expect((await passagesOf(reader, list, `?code_uuid=${above.uuid}`)).map(({ name }) => name)).toEqual([
      'Above',
      'Below',
    ]);
    expect((await passagesOf(reader, list, '?page=2&page_size=2')).map(({ name }) => name)).toEqual(['Other']);
    const { body } = await media.json<CodeListObject>(reader, 'GET', list);
    expect(body.codes.map(({ name, passages }) => [name, passages])).toEqual([
      ['Above', 1],
      ['Below', 1],
      ['Other', 1],
    ]);
    expect((await media.json(reader, 'GET', `${list}/passages?code_uuid=${randomUUID()}`)).status).toBe(404);
    expect((await media.json(stranger, 'GET', `${list}/passages`)).status).toBe(404);
    await media.json(admin, 'POST', `/api/admin/files/${run.fileId}/quarantine`, { reason: 'check' });
    const quarantined = await passagesOf(reader, list);
    await media.json(admin, 'DELETE', `/api/admin/files/${run.fileId}/quarantine`);
    expect(quarantined).toEqual([]);
  });

  it('are exported as CSV, with formulas escaped and one audit record for each recording', async () => {
    const list = await newList(owner, { viewer: reader });
    const { body: above } = await addCode(owner, list, { name: 'Above' });
    const { body: code } = await addCode(owner, list, { name: '=1+1', parent_uuid: above.uuid });
    await give(owner, code);
    await give(owner, above, { start_time: 2, end_time: 3.2 });
    const exports = () =>
      media
        .eventsOf('evt.media.action.performed.v1', run.fileId)
        .filter(({ data }) => data['action'] === 'file_exported' && data['actorId'] === reader.userId).length;
    const before = exports();
    const response = await media.call(reader, 'GET', `${list}/export?format=csv`);
    expect(response.headers.get('content-type')).toContain('text/csv');
    // The decoder removes the mark that Excel needs.
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer());
    expect(text).toMatch(/^\uFEFFcode,/);
    const rows = text
      .slice(1)
      .trim()
      .split('\r\n')
      .map((row) => row.split(','));
    expect(rows[0]).toEqual([
      'code',
      'above',
      'recording',
      'start',
      'end',
      'speaker',
      'text',
      'coded by',
      'coded at',
      'link',
    ]);
    expect(rows.slice(1).map((row) => [row[0], row[1], row[3], row[6], row[7]])).toEqual([
      ["'=1+1", 'Above', '00:00:00.000', 'good morning everybody', 'Olga Owner'],
      ['Above', '', '00:00:02.000', 'hello and welcome', 'Olga Owner'],
    ]);
    expect(rows[1]?.[9]).toMatch(new RegExp(`^http://[^/]+/files/${run.fileId}\\?t=0$`));
    await waitFor(() => exports() === before + 1);
    expect((await media.call(reader, 'GET', `${list}/export?code_uuid=${randomUUID()}`)).status).toBe(404);
    expect((await media.call(stranger, 'GET', `${list}/export`)).status).toBe(404);
  });

  it('are exported as a REFI-QDA project with the transcripts around them', async () => {
    const [list, unread] = [await newList(owner, { viewer: reader }), await transcribed(media, owner)];
    const { body: above } = await addCode(owner, list, { name: 'A & B', color: 'blue', description: 'Says <so>' });
    const { body: code } = await addCode(owner, list, { name: 'Below', parent_uuid: above.uuid });
    await give(owner, code);
    const { body: coding } = await give(owner, above, { start_time: 2, end_time: 3.2 });
    await give(owner, code, { start_time: 2, end_time: 3.2 }, unread.fileId);
    const response = await media.call(reader, 'GET', `${list}/export?format=qdpx`);
    expect(response.headers.get('content-type')).toBe('application/zip');
    expect(response.headers.get('content-disposition')).toContain('.qdpx');
    const { sources, coded, root } = readProject(new Uint8Array(await response.arrayBuffer()));
    // Only of what the reader may read.
    expect(sources).toEqual([run.fileId]);
    expect(coded.map(({ text, code: id, by }) => [text, id, by])).toEqual([
      ['good morning everybody', code.uuid, owner.userId],
      ['hello and welcome', above.uuid, owner.userId],
    ]);
    expect(coded[1]).toMatchObject({ coding: coding.uuid, at: coding.created_at });
    const codes = elementsIn(root, 'Code').map(({ attributes }) => attributes);
    expect(codes).toEqual([
      { guid: above.uuid, name: 'A & B', isCodable: 'true', color: '#228be6' },
      { guid: code.uuid, name: 'Below', isCodable: 'true', color: '#fa5252' },
    ]);
    expect(elementsIn(root, 'User').map(({ attributes }) => attributes)).toEqual([
      { guid: reader.userId, name: 'Rita Reader' },
      { guid: owner.userId, name: 'Olga Owner' },
    ]);
    await waitFor(() =>
      media
        .eventsOf('evt.media.action.performed.v1', run.fileId)
        .some(({ data }) => data['actorId'] === reader.userId && JSON.stringify(data).includes('codes_qdpx')),
    );
    const one = await media.call(reader, 'GET', `${list}/export?format=qdpx&code_uuid=${code.uuid}`);
    expect(readProject(new Uint8Array(await one.arrayBuffer())).coded).toHaveLength(1);
    const empty = await media.call(owner, 'GET', `${await newList(owner)}/export?format=qdpx`);
    expect(readProject(new Uint8Array(await empty.arrayBuffer())).sources).toEqual([]);
    expect((await media.call(stranger, 'GET', `${list}/export?format=qdpx`)).status).toBe(404);
  });

  it('are masked like the transcript', async () => {
    const boss = newUser('super_admin');
    const list = await newList(owner, { viewer: reader });
    const { body: code } = await addCode(owner, list);
    await give(owner, code);
    await media.query(
      `update transcript_segment set redactions = '[{"uuid": "00000000-0000-4000-8000-000000000001", "kind": "phone", "start": 5, "end": 12}]'
       where media_file_id = $1 and position = 0`,
      run.fileId,
    );
    await media.json(boss, 'PUT', '/api/admin/redaction-policy', { masked_kinds: ['phone'], masked_for: ['viewer'] });
    const texts = async (person: TestUser) => [
      (await codingsOf(person, list))[0]?.quote,
      (await passagesOf(person, list))[0]?.quote,
      /good[^,]*/.exec(await (await media.call(person, 'GET', `${list}/export`)).text())?.[0],
      readProject(new Uint8Array(await (await media.call(person, 'GET', `${list}/export?format=qdpx`)).arrayBuffer()))
        .coded[0]?.text,
    ];
    const masked = await texts(reader);
    const whole = await texts(owner);
    await media.json(boss, 'PUT', '/api/admin/redaction-policy', { masked_kinds: [], masked_for: [] });
    expect(masked).toEqual(Array(4).fill('good [phone] everybody'));
    expect(whole).toEqual(Array(4).fill('good morning everybody'));
  });
});

describe('codes under a legal hold', () => {
  it('are neither renamed nor removed, and can still be given', async () => {
    const held = await transcribed(media, owner);
    const list = await newList(owner);
    const { body: code } = await addCode(owner, list);
    const { body: coding } = await give(owner, code, {}, held.fileId);
    await media.json(admin, 'POST', '/api/admin/legal-holds', { file_uuid: held.fileId, reason: 'case 2' });
    for (const [method, path, body] of [
      ['DELETE', `/api/files/${held.fileId}/codings/${coding.uuid}`],
      ['DELETE', `${list}/codes/${code.uuid}`],
      ['PUT', `${list}/codes/${code.uuid}`, { name: 'Else' }],
      ['DELETE', list],
    ] as const)
      expect(await media.json(owner, method, path, body)).toMatchObject({
        status: 409,
        body: { code: 'legal_hold' },
      });
    expect((await media.json(owner, 'PUT', `${list}/codes/${code.uuid}`, { color: 'blue' })).status).toBe(200);
    expect((await give(owner, code, { start_time: 2, end_time: 3 }, held.fileId)).status).toBe(201);
  });
});

import { describe, expect, it } from '@jest/globals';
import { labelRpc, type FileDetail, type LabelActor } from '@overtone/contracts';
import { newUser, startMedia, waitFor, wav, type TestUser } from '../../test/start-media.ts';

const media = await startMedia();
const insights = await media.connectAs('insights');

let seed = 0;

async function fileOf(person: TestUser): Promise<string> {
  return (await media.upload(person, wav(9000 + seed++))).body.uuid;
}

function actorOf(person: TestUser): NonNullable<LabelActor> {
  return { ...person, client: { ip: '192.0.2.1', userAgent: 'test', requestId: 'request' } };
}

function apply(fileId: string, names: string[], actor: LabelActor = null) {
  const labels = names.map((name) => ({ kind: 'tag' as const, name }));
  return insights.request(labelRpc.applyLabels, { fileId, actor, labels });
}

async function tagsOf(person: TestUser, fileId: string) {
  const { body } = await media.json<FileDetail>(person, 'GET', `/api/files/${fileId}`);
  return body.tags.map(({ name, source }) => [name, source]);
}

describe('labels applied by insights', () => {
  it('are tags of the owner with the source auto_ai', async () => {
    const ada = newUser();
    const fileId = await fileOf(ada);
    const reply = await apply(fileId, ['Budget', 'budget']);
    expect(reply.outcomes.map(({ outcome }) => outcome)).toEqual(['changed', 'present']);
    expect(await tagsOf(ada, fileId)).toEqual([['Budget', 'auto_ai']]);
    await waitFor(() => media.eventsOf('evt.media.action.performed.v1', fileId).find(isOf('labels_applied')));
  });

  it('are not attached again automatically after a person removed them', async () => {
    const ada = newUser();
    const fileId = await fileOf(ada);
    await apply(fileId, ['Budget']);
    await media.json(ada, 'DELETE', `/api/tags/files/${fileId}/tags/BUDGET`);
    expect((await apply(fileId, ['budget'])).outcomes[0]?.outcome).toBe('removed_before');
    expect(await tagsOf(ada, fileId)).toEqual([]);
    expect((await apply(fileId, ['budget'], actorOf(ada))).outcomes[0]?.outcome).toBe('changed');
    expect(await tagsOf(ada, fileId)).toEqual([['Budget', 'auto_ai']]);
  });

  it('do not replace the source of a tag that a person attached', async () => {
    const ada = newUser();
    const fileId = await fileOf(ada);
    await media.json(ada, 'POST', `/api/tags/files/${fileId}/tags`, { name: 'Plan' });
    expect((await apply(fileId, ['plan'])).outcomes[0]?.outcome).toBe('present');
    expect(await tagsOf(ada, fileId)).toEqual([['Plan', 'manual']]);
  });

  it('are removed by an undo and remembered as removed', async () => {
    const ada = newUser();
    const fileId = await fileOf(ada);
    await apply(fileId, ['Budget']);
    const labels = [{ kind: 'tag' as const, name: 'Budget' }];
    const undone = await insights.request(labelRpc.removeLabels, { fileId, actor: actorOf(ada), labels });
    expect(undone.outcomes[0]?.outcome).toBe('changed');
    expect((await apply(fileId, ['Budget'])).outcomes[0]?.outcome).toBe('removed_before');
  });

  it('stay after an undo when a person has attached them since', async () => {
    const ada = newUser();
    const fileId = await fileOf(ada);
    await apply(fileId, ['Budget']);
    await media.json(ada, 'POST', `/api/tags/files/${fileId}/tags`, { name: 'budget' });
    const labels = [{ kind: 'tag' as const, name: 'Budget' }];
    const undone = await insights.request(labelRpc.removeLabels, { fileId, actor: actorOf(ada), labels });
    expect(undone.outcomes[0]?.outcome).toBe('missing');
    expect(await tagsOf(ada, fileId)).toEqual([['Budget', 'manual']]);
  });

  it('leave the version of the transcript unchanged', async () => {
    const ada = newUser();
    const fileId = await fileOf(ada);
    await media.query('update media_file set transcript_version = 3 where uuid = $1', fileId);
    await apply(fileId, ['Budget']);
    expect(await media.query('select transcript_version from media_file where uuid = $1', fileId)).toEqual([
      { transcript_version: 3 },
    ]);
  });

  it('are refused to a person without the right to edit', async () => {
    const [ada, eve] = [newUser(), newUser()];
    const fileId = await fileOf(ada);
    await expect(apply(fileId, ['x'], actorOf(eve))).rejects.toMatchObject({ code: 'not_found' });
    await media.json(ada, 'PUT', `/api/files/${fileId}/shares`, { user_uuid: eve.userId, permission: 'viewer' });
    await expect(apply(fileId, ['x'], actorOf(eve))).rejects.toMatchObject({ code: 'permission_required' });
    expect(await tagsOf(ada, fileId)).toEqual([]);
  });

  it('are refused for a file in the bin', async () => {
    const ada = newUser();
    const fileId = await fileOf(ada);
    await media.query('update media_file set deleted_at = now() where uuid = $1', fileId);
    await expect(apply(fileId, ['x'])).rejects.toMatchObject({ code: 'not_found' });
    expect(await insights.request(labelRpc.labelContext, { fileId })).toEqual({ context: null });
  });
});

describe('speaker names accepted from suggestions', () => {
  async function fileWithSpeakers(ada: TestUser) {
    const fileId = await fileOf(ada);
    const rows = await media.query(
      `insert into speaker (media_file_id, name, display_name) values ($1, 'SPEAKER_01', null), ($1, 'SPEAKER_02', 'Grace')
       returning uuid`,
      fileId,
    );
    return { fileId, unnamed: String(rows[0]?.['uuid']), named: String(rows[1]?.['uuid']) };
  }

  it('never replace a name that a person gave', async () => {
    const ada = newUser();
    const { fileId, unnamed, named } = await fileWithSpeakers(ada);
    const changes = [unnamed, named].map((speakerUuid) => ({ speakerUuid, from: null, to: 'Ada Lovelace' }));
    const { changed } = await insights.request(labelRpc.nameSpeakers, { fileId, actor: actorOf(ada), changes });
    expect(changed).toEqual([unnamed]);
    const context = (await insights.request(labelRpc.labelContext, { fileId })).context;
    expect(context?.speakers.map(({ name }) => name)).toEqual(['Ada Lovelace', 'Grace']);
  });

  it('are taken back only while the name is still the accepted one', async () => {
    const ada = newUser();
    const { fileId, named } = await fileWithSpeakers(ada);
    const undo = (from: string) =>
      insights.request(labelRpc.nameSpeakers, {
        fileId,
        actor: actorOf(ada),
        changes: [{ speakerUuid: named, from, to: null }],
      });
    expect((await undo('Anna')).changed).toEqual([]);
    expect((await undo('Grace')).changed).toEqual([named]);
  });

  it('are refused for speakers of another file', async () => {
    const ada = newUser();
    const [one, other] = [await fileWithSpeakers(ada), await fileWithSpeakers(ada)];
    const changes = [{ speakerUuid: other.unnamed, from: null, to: 'Ada' }];
    const reply = await insights.request(labelRpc.nameSpeakers, { fileId: one.fileId, actor: actorOf(ada), changes });
    expect(reply.changed).toEqual([]);
  });
});

describe('the access of suggestions', () => {
  it('follows the shares of a file and leaves out what the reader may not read', async () => {
    const [ada, eve] = [newUser(), newUser()];
    const files = [await fileOf(ada), await fileOf(ada)];
    await media.json(ada, 'PUT', `/api/files/${files[0]}/shares`, { user_uuid: eve.userId, permission: 'viewer' });
    const of = async (reader: TestUser) =>
      (await insights.request(labelRpc.labelAccess, { fileIds: files, reader })).files.map(({ fileId, permission }) => [
        fileId,
        permission,
      ]);
    expect(await of(eve)).toEqual([[files[0], 'viewer']]);
    expect((await of(newUser('admin'))).map(([, permission]) => permission)).toEqual(['owner', 'owner']);
  });
});

describe('the context of suggestions', () => {
  it('names the people of the owner: speakers of the own library, not those of others', async () => {
    const [ada, eve] = [newUser(), newUser()];
    for (const [person, name] of [
      [ada, 'Grace Hopper'],
      [eve, 'Mallory'],
    ] as const)
      await media.query(
        `insert into speaker (media_file_id, name, display_name) values ($1, 'SPEAKER_01', $2)`,
        await fileOf(person),
        name,
      );
    const { context } = await insights.request(labelRpc.labelContext, { fileId: await fileOf(ada) });
    expect(context).toMatchObject({ ownerId: ada.userId, knownNames: ['Grace Hopper'], masksNames: false });
  });

  it('contains no names while names are masked', async () => {
    const ada = newUser();
    const fileId = await fileOf(ada);
    await media.query(
      `insert into speaker (media_file_id, name, display_name) values ($1, 'SPEAKER_01', 'Grace Hopper')`,
      fileId,
    );
    await media.json(ada, 'PUT', '/api/redaction', { masked_kinds: ['name'] });
    const { context } = await insights.request(labelRpc.labelContext, { fileId });
    expect(context).toMatchObject({ knownNames: [], masksNames: true });
    expect(JSON.stringify(context)).not.toContain('Grace');
  });

  it("lists the owner's files page by page", async () => {
    const ada = newUser();
    const files = [await fileOf(ada), await fileOf(ada), await fileOf(newUser())];
    await media.query('update media_file set transcript_version = 1 where uuid = any($1)', files);
    const request = { ownerId: ada.userId, after: null, limit: 1 };
    const [first] = (await insights.request(labelRpc.listOwned, request)).fileIds;
    const second = await insights.request(labelRpc.listOwned, { ...request, after: first ?? null, limit: 10 });
    expect([first, ...second.fileIds]).toEqual(files.slice(0, 2).sort());
  });
});

function isOf(action: string) {
  return ({ data }: { data: Record<string, unknown> }) => data['action'] === action;
}

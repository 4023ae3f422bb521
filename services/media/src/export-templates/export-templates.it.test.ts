import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { maxExportTemplates, type ExportTemplateObject, type Problem } from '@overtone/contracts';
import { defaultExportOptions } from '@overtone/contracts/export-formats';
import { newUser, startMedia, waitFor, type TestUser } from '../../test/start-media.ts';

const media = await startMedia();
const [owner, reader, editor, stranger, admin] = [newUser(), newUser(), newUser(), newUser(), newUser('admin')];
for (const [{ userId }, name] of [
  [owner, 'Olga Owner'],
  [reader, 'Rita Reader'],
  [editor, 'Ed Editor'],
] as const)
  media.names.set(userId, name);

const path = '/api/export-templates';
const court = { format: 'pdf', options: { ...defaultExportOptions, names: 'each', line_numbers: true } };

function create(person: TestUser, name: string, choice: object = court) {
  return media.json<ExportTemplateObject & Problem>(person, 'POST', path, { name, ...choice });
}
async function newTemplate(person: TestUser): Promise<string> {
  const { body, status } = await create(person, `template ${randomUUID()}`);
  expect(status).toBe(201);
  return body.uuid;
}
function share(person: TestUser, id: string, { userId }: TestUser, permission: string) {
  const body = { target_type: 'user', target_uuid: userId, permission };
  return media.json<{ uuid: string } & Problem>(person, 'POST', `${path}/${id}/shares`, body);
}
function change(person: TestUser, id: string, body: object) {
  return media.json<ExportTemplateObject & Problem>(person, 'PUT', `${path}/${id}`, body);
}
async function found(person: TestUser, id: string): Promise<ExportTemplateObject | undefined> {
  const { body } = await media.json<{ items: ExportTemplateObject[] }>(person, 'GET', `${path}?page_size=100`);
  return body.items.find(({ uuid }) => uuid === id);
}
function auditOf(id: string) {
  return media.query(
    `select data->>'action' as action, coalesce(data->'details'->>'user', data->'details'->>'with') as target
     from media_outbox where data->'details'->>'template' = $1 order by id`,
    id,
  );
}

describe('export templates', () => {
  it('keep a format with its options, by name', async () => {
    const { body: created } = await create(owner, 'Court');
    expect(created).toMatchObject({ name: 'Court', ...court, my_permission: 'owner', owner_name: null });
    expect(await found(owner, created.uuid)).toEqual(created);
    expect((await create(owner, 'court')).body.code).toBe('export_template_exists');
    expect((await create(stranger, 'Court')).status).toBe(201);
    expect((await create(owner, 'Bad', { ...court, format: 'exe' })).status).toBe(422);
    expect((await create(owner, 'Bad', { format: 'pdf', options: { names: 'each' } })).status).toBe(422);
    const second = await newTemplate(owner);
    expect((await change(owner, second, { name: 'Court' })).body.code).toBe('export_template_exists');
    const changed = await change(owner, second, { name: 'Press', format: 'txt', options: defaultExportOptions });
    expect(changed.body).toMatchObject({ name: 'Press', format: 'txt', options: defaultExportOptions });
  });

  it('are seen by their owner and by those whom they are shared with, and changed by editors', async () => {
    const id = await newTemplate(owner);
    expect((await share(owner, id, reader, 'viewer')).status).toBe(201);
    expect((await share(owner, id, editor, 'editor')).status).toBe(201);
    expect(await found(reader, id)).toMatchObject({ my_permission: 'viewer', owner_name: 'Olga Owner' });
    expect(await found(stranger, id)).toBeUndefined();
    expect(await found(admin, id)).toBeUndefined();
    expect(await change(reader, id, { name: 'Mine' })).toMatchObject({
      status: 403,
      body: { code: 'permission_required' },
    });
    expect((await change(stranger, id, { name: 'Mine' })).status).toBe(404);
    expect((await change(editor, id, { format: 'docx' })).body.format).toBe('docx');
    expect((await change(editor, id, { for_everybody: true })).status).toBe(403);
    expect((await media.json(editor, 'DELETE', `${path}/${id}`)).status).toBe(403);
    expect((await media.json(editor, 'GET', `${path}/${id}/shares`)).status).toBe(403);
    expect((await share(owner, id, owner, 'viewer')).status).toBe(422);
    const shares = await media.json<{ uuid: string; target_uuid: string; target_name: string }[]>(
      owner,
      'GET',
      `${path}/${id}/shares`,
    );
    expect(shares.body.map(({ target_name: name }) => name)).toEqual(['Rita Reader', 'Ed Editor']);
    const removed = shares.body.find(({ target_uuid: target }) => target === reader.userId)?.uuid;
    expect((await media.json(owner, 'DELETE', `${path}/${id}/shares/${removed}`)).status).toBe(204);
    expect(await found(reader, id)).toBeUndefined();
    expect((await media.json(admin, 'DELETE', `${path}/${id}`)).status).toBe(204);
    expect(await found(owner, id)).toBeUndefined();
    expect(await auditOf(id)).toEqual([
      { action: 'export_template_shared', target: reader.userId },
      { action: 'export_template_shared', target: editor.userId },
      { action: 'export_template_unshared', target: reader.userId },
      { action: 'export_template_deleted', target: null },
    ]);
  });

  it('are offered to everybody, and withdrawn', async () => {
    const id = await newTemplate(owner);
    expect((await change(owner, id, { for_everybody: true })).body.for_everybody).toBe(true);
    expect(await found(stranger, id)).toMatchObject({ my_permission: 'viewer', ...court });
    expect((await change(stranger, id, { name: 'Mine' })).status).toBe(403);
    await change(owner, id, { for_everybody: false });
    expect(await found(stranger, id)).toBeUndefined();
    expect((await change(stranger, id, { name: 'Mine' })).status).toBe(404);
    expect(await auditOf(id)).toEqual([
      { action: 'export_template_shared', target: 'everybody' },
      { action: 'export_template_unshared', target: 'everybody' },
    ]);
  });

  it('are shared with the members of a group', async () => {
    const [member, group] = [newUser(), randomUUID()];
    for (const person of [owner, member]) await media.setGroups(person, [group]);
    for (const { userId } of [owner, member])
      await waitFor(async () => (await media.query('select 1 from media_membership where user_id = $1', userId))[0]);
    const id = await newTemplate(owner);
    const target = { target_type: 'group', target_uuid: group, permission: 'editor' };
    expect((await media.json(owner, 'POST', `${path}/${id}/shares`, target)).status).toBe(201);
    expect((await change(member, id, { format: 'srt' })).body.format).toBe('srt');
    const foreign = { ...target, target_uuid: randomUUID() };
    expect((await media.json(owner, 'POST', `${path}/${id}/shares`, foreign)).status).toBe(422);
  });

  it('have a limit for each person', async () => {
    const person = newUser();
    await media.query(
      `insert into export_template (user_id, name, format, options)
       select $1::uuid, 'template ' || n, 'docx', '{}' from generate_series(1, $2::int) n`,
      person.userId,
      maxExportTemplates - 1,
    );
    const answers = await Promise.all(['One', 'Two'].map((name) => create(person, name)));
    expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([201, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('export_templates_full');
  });

  it('of another version have the defaults of what this one does not offer', async () => {
    const id = randomUUID();
    await media.query(
      `insert into export_template (uuid, user_id, name, format, options) values ($1::uuid, $2::uuid, 'Later', 'exe', $3::jsonb)`,
      id,
      owner.userId,
      JSON.stringify({ names: 'none', times: 'sometimes', colour: 'red' }),
    );
    expect(await found(owner, id)).toMatchObject({
      format: 'docx',
      options: { ...defaultExportOptions, names: 'none' },
    });
  });
});

import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { maxWordTemplates, type Problem, type WordTemplateObject } from '@overtone/contracts';
import { strFromU8, unzipSync } from 'fflate';
import mammoth from 'mammoth';
import { transcribed } from '../../test/runs.ts';
import { newUser, startMedia, type TestUser } from '../../test/start-media.ts';
import { letterheadFiles, zipped } from '../../test/word-templates.ts';

const media = await startMedia();
const [admin, person] = [newUser('admin'), newUser()];
const admins = '/api/admin/word-templates';
const letterhead = zipped(letterheadFiles());
const other = zipped(letterheadFiles('<w:p><w:r><w:t>New letterhead</w:t></w:r></w:p>'));

beforeEach(() => media.query('delete from word_template'));

async function send(by: TestUser, method: string, path: string, document: Uint8Array, name = 'letterhead.docx') {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(document)]), name);
  const response = await media.call(by, method, path, { body: form });
  return { status: response.status, body: (await response.json()) as WordTemplateObject & Problem };
}
function add(name: string, document = letterhead, by = admin) {
  return send(by, 'POST', `${admins}?name=${encodeURIComponent(name)}`, document);
}
async function list(): Promise<WordTemplateObject[]> {
  return (await media.json<WordTemplateObject[]>(person, 'GET', '/api/word-templates')).body;
}
async function textOf(path: string, by: TestUser): Promise<string> {
  const response = await media.call(by, 'GET', path);
  expect(response.status).toBe(200);
  return (await mammoth.extractRawText({ buffer: Buffer.from(await response.arrayBuffer()) })).value;
}

describe('Word templates', () => {
  it('are added, renamed, replaced, downloaded and deleted by administrators, with records of it', async () => {
    const { status, body } = await add('Letterhead');
    expect([status, body]).toEqual([201, (await list())[0]]);
    expect(body).toMatchObject({
      name: 'Letterhead',
      placeholders: ['title', 'date', 'other', 'participants'],
      is_default: false,
    });
    const path = `${admins}/${body.uuid}`;
    expect((await media.json<WordTemplateObject>(admin, 'PUT', path, { name: 'Letter' })).body.name).toBe('Letter');
    expect((await send(admin, 'PUT', `${path}/content`, other)).status).toBe(200);
    expect(await textOf(`/api/word-templates/${body.uuid}/content`, person)).toContain('New letterhead');
    expect((await media.json(admin, 'PUT', path, { is_default: true })).status).toBe(200);
    expect((await media.json(admin, 'DELETE', path)).status).toBe(204);
    expect(await list()).toEqual([]);
    const records = await media.query(
      `select data->>'action' as action, data->'details'->>'name' as name, data->'details'->>'change' as change
       from media_outbox where data->'details'->>'template' = $1 order by id`,
      body.uuid,
    );
    expect(records.map(({ action, name, change }) => [action, name, change])).toEqual([
      ['word_template_added', 'Letterhead', null],
      ['word_template_changed', 'Letter', 'name'],
      ['word_template_changed', 'Letter', 'document'],
      ['word_template_changed', 'Letter', 'default'],
      ['word_template_deleted', 'Letter', null],
    ]);
  });

  it('have one name each, one default, and a limit', async () => {
    const [first, second] = [await add('One'), await add('Two')];
    expect((await add('ONE')).body.code).toBe('word_template_exists');
    const rename = await media.json(admin, 'PUT', `${admins}/${second.body.uuid}`, { name: 'one' });
    expect(rename.body.code).toBe('word_template_exists');
    for (const { body } of [first, second])
      await media.json(admin, 'PUT', `${admins}/${body.uuid}`, { is_default: true });
    expect((await list()).map((one) => one.is_default)).toEqual([false, true]);
    await media.query(
      `insert into word_template (name, content, placeholders) select 'n' || n, '', '{}' from generate_series(3, $1::int) n`,
      maxWordTemplates,
    );
    expect((await add('More')).body.code).toBe('word_templates_full');
  });

  it('are managed by administrators only', async () => {
    const { uuid } = (await add('Letterhead')).body;
    expect((await add('Mine', letterhead, person)).status).toBe(403);
    expect((await media.json(person, 'PUT', `${admins}/${uuid}`, { name: 'Mine' })).status).toBe(403);
    expect((await send(person, 'PUT', `${admins}/${uuid}/content`, other)).status).toBe(403);
    expect((await media.json(person, 'DELETE', `${admins}/${uuid}`)).status).toBe(403);
    expect((await media.json(admin, 'DELETE', `${admins}/${randomUUID()}`)).status).toBe(404);
  });

  it('are refused with a code, and nothing is stored', async () => {
    const refused = await add('Text', new TextEncoder().encode('no archive'));
    expect([refused.status, refused.body.code]).toEqual([400, 'word_template_invalid']);
    // It says what a person can do, not what the format is made of.
    expect(refused.body).toMatchObject({ detail: expect.stringMatching(/save it as a Word Document \(\.docx\)\.$/) });
    expect(refused.body).not.toMatchObject({ detail: expect.stringMatching(/ZIP|XML/) });
    const large = await add('Large', new Uint8Array(5 * 1024 * 1024 + 1));
    expect([large.status, large.body.code]).toEqual([413, 'word_template_too_large']);
    expect(await list()).toEqual([]);
  });
});

describe('an export as a Word document', () => {
  it('has the chosen template, that of the organisation, or none', async () => {
    const { owner, fileId } = await transcribed(media);
    const path = `/api/files/${fileId}/export?format=docx`;
    const { uuid } = (await add('Letterhead')).body;
    expect(await textOf(path, owner)).not.toContain('Our reference');
    expect(await textOf(`${path}&word_template=${uuid}`, owner)).toMatch(/^Our reference[^]*good morning everybody/);
    await media.json(admin, 'PUT', `${admins}/${uuid}`, { is_default: true });
    expect(await textOf(path, owner)).toMatch(/^Our reference/);
    expect(await textOf(`${path}&word_template=none`, owner)).not.toContain('Our reference');
    expect((await media.call(owner, 'GET', `${path}&word_template=some`)).status).toBe(400);
  });

  it('has the template in an archive, too', async () => {
    const { owner, fileId } = await transcribed(media);
    const { uuid } = (await add('Letterhead')).body;
    const path = `/api/transcripts/export?format=docx&word_template=${uuid}&file_uuids=${fileId}`;
    const response = await media.call(owner, 'GET', path);
    const files = unzipSync(new Uint8Array(await response.arrayBuffer()));
    const [name = ''] = Object.keys(files);
    const parts = unzipSync(files[name] ?? new Uint8Array());
    expect(strFromU8(parts['word/header.xml'] ?? new Uint8Array())).toContain('ACME');
  });

  it('is made without a template that was deleted, and says so', async () => {
    const { owner, fileId } = await transcribed(media);
    const text = await textOf(`/api/files/${fileId}/export?format=docx&word_template=${randomUUID()}`, owner);
    expect(text).toMatch(/^The Word template that was chosen for this export no longer exists\./);
    expect(text).toContain('good morning everybody');
  });
});

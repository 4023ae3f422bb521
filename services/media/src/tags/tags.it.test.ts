import { describe, expect, it } from '@jest/globals';
import type { FileDetail } from '@overtone/contracts';
import { newUser, startMedia, waitFor, wav, type TestUser } from '../../test/start-media.ts';

type Tag = { uuid: string; name: string; source: string | null; usage_count?: number };
const media = await startMedia();

let seed = 0;

async function fileOf(person: TestUser): Promise<string> {
  return (await media.upload(person, wav(5000 + seed++))).body.uuid;
}

function attach(person: TestUser, file: string, name: unknown) {
  return media.json<Tag & { code: string }>(person, 'POST', `/api/tags/files/${file}/tags`, { name });
}

function detach(person: TestUser, file: string, name: string) {
  return media.json(person, 'DELETE', `/api/tags/files/${file}/tags/${encodeURIComponent(name)}`);
}

async function tagsOf(person: TestUser): Promise<Tag[]> {
  return (await media.json<Tag[]>(person, 'GET', '/api/tags')).body;
}

describe('tags', () => {
  it('are created once for different spellings', async () => {
    const ada = newUser();
    const made = await media.json<Tag>(ada, 'POST', '/api/tags', { name: 'Team-Meeting' });
    expect(made).toMatchObject({ status: 200, body: { name: 'Team-Meeting', source: 'manual' } });
    const again = await media.json<Tag>(ada, 'POST', '/api/tags', { name: 'team  meeting' });
    expect(again.body).toEqual(made.body);
    expect(await Promise.all(['x', 'X', 'x '].map((name) => media.json(ada, 'POST', '/api/tags', { name })))).toEqual(
      Array.from({ length: 3 }, () => expect.objectContaining({ status: 200 })),
    );
    expect(await tagsOf(ada)).toHaveLength(2);
  });

  it('are attached and detached by name', async () => {
    const ada = newUser();
    const file = await fileOf(ada);
    const put = await attach(ada, file, 'Q1/2026 plan');
    expect(put).toMatchObject({ status: 200, body: { name: 'Q1/2026 plan', source: 'manual' } });
    expect((await attach(ada, file, 'q1/2026 PLAN')).body.uuid).toBe(put.body.uuid);
    const { body } = await media.json<FileDetail>(ada, 'GET', `/api/files/${file}`);
    expect(body.tags).toEqual([put.body]);
    await waitFor(() => media.eventsOf('evt.media.file.updated.v1', file)[0]);
    const found = await media.json<{ total: number }>(ada, 'GET', '/api/files?tag=q1%2F2026%20plan');
    expect(found.body.total).toBe(1);
    expect((await detach(ada, file, 'Q1/2026-Plan')).status).toBe(204);
    expect((await detach(ada, file, 'Q1/2026 plan')).status).toBe(404);
    expect((await media.json<Tag[]>(ada, 'GET', '/api/tags/unused')).body.map(({ name }) => name)).toEqual([
      'Q1/2026 plan',
    ]);
  });

  it('of which auto-labeling attached one are of a person who attaches it, too', async () => {
    const ada = newUser();
    const file = await fileOf(ada);
    const shown = async () => (await media.json<FileDetail>(ada, 'GET', `/api/files/${file}`)).body.tags;
    for (const source of ['auto_ai', null]) {
      const { body } = await attach(ada, file, 'budget');
      await media.query('update file_tag set source = $1 where media_file_id = $2', source, file);
      expect(await shown()).toEqual([{ ...body, source }]);
      expect((await attach(ada, file, 'Budget')).body).toEqual({ ...body, source: 'manual' });
      expect(await shown()).toEqual([{ ...body, source: 'manual' }]);
    }
  });

  it('are listed with their usage count, most used first', async () => {
    const ada = newUser();
    const files = [await fileOf(ada), await fileOf(ada)];
    for (const file of files) await attach(ada, file, 'often');
    await attach(ada, files[0] as string, 'once');
    await media.json(ada, 'POST', '/api/tags', { name: 'never' });
    expect((await tagsOf(ada)).map(({ name, usage_count }) => [name, usage_count])).toEqual([
      ['often', 2],
      ['once', 1],
      ['never', 0],
    ]);
  });

  it('are invisible to other users', async () => {
    const [ada, eve] = [newUser(), newUser()];
    const file = await fileOf(ada);
    await attach(ada, file, 'secret plan');
    expect(await tagsOf(eve)).toEqual([]);
    expect((await attach(eve, file, 'x')).status).toBe(404);
    expect((await detach(eve, file, 'secret plan')).status).toBe(404);
    await attach(newUser('admin'), file, 'reviewed');
    expect((await tagsOf(ada)).map(({ name }) => name).sort()).toEqual(['reviewed', 'secret plan']);
  });

  it.each(['', '   ', '--', '.', '..', '.\u200B.', 'x'.repeat(51), null, 'a\0b'])(
    'cannot be named %j',
    async (name) => {
      const ada = newUser();
      expect(await attach(ada, await fileOf(ada), name)).toMatchObject({ status: 422, body: { code: 'invalid_body' } });
      expect((await media.json(ada, 'POST', '/api/tags', { name })).status).toBe(422);
    },
  );
});

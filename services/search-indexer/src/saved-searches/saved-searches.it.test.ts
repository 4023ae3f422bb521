import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { savedSearchLimits, savedSearchRoutes } from '@overtone/contracts';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { startWorld } from '../../test/world.ts';

const world = await stopAfterFile(startWorld());
const search = { q: 'budget tag:board', speakers: ['Ann'], from: '2026-01-01' };
const path = '/api/search/saved';

function as(userId: string) {
  const save = (name: string, given: unknown = search) =>
    world.call(path, { userId, method: 'POST', body: { name, search: given } });
  const list = async () =>
    savedSearchRoutes.savedSearches.answer.parse((await world.call(path, { userId })).body).items;
  return { userId, save, list };
}

describe('saved searches', () => {
  it('are saved under a name, listed by name, renamed, replaced and deleted', async () => {
    const { userId, save, list } = as(randomUUID());
    const { status, body } = await save('Second');
    expect(status).toBe(201);
    expect(savedSearchRoutes.saveSearch.answer.parse(body)).toMatchObject({
      name: 'Second',
      search: { ...search, search_mode: 'hybrid', tags: [], collection: null, to: null, sort_by: 'relevance' },
    });
    await save('First', { q: 'plan' });
    const [first, second] = await list();
    expect([first?.name, second?.name]).toEqual(['First', 'Second']);
    const change = (changes: unknown) =>
      world.call(`${path}/${second?.uuid}`, { userId, method: 'PUT', body: changes });
    expect((await change({ name: 'first' })).body).toMatchObject({ code: 'saved_search_exists' });
    expect((await change({ name: 'Renamed' })).body).toMatchObject({ name: 'Renamed', search: { q: search.q } });
    expect((await change({ search: { q: 'other' } })).body).toMatchObject({ search: { q: 'other', speakers: [] } });
    expect((await world.call(`${path}/${first?.uuid}`, { userId, method: 'DELETE' })).status).toBe(204);
    expect((await list()).map(({ name }) => name)).toEqual(['Renamed']);
  });

  it('are not seen, changed or deleted by other accounts, not even by administrators', async () => {
    const [owner, other] = [as(randomUUID()), as(randomUUID())];
    const { body } = await owner.save('Private');
    expect(await other.list()).toEqual([]);
    for (const method of ['PUT', 'DELETE'])
      for (const role of ['user', 'admin'] as const) {
        const changed = await world.call(`${path}/${String(body['uuid'])}`, {
          userId: other.userId,
          role,
          method,
          body: method === 'PUT' ? { name: 'Taken' } : undefined,
        });
        expect(changed.status).toBe(404);
      }
    expect((await other.save('Private')).status).toBe(201);
    expect((await owner.list())[0]?.name).toBe('Private');
  });

  it('are refused without words, with a wrong day, with a known name, and above the limit', async () => {
    const { save } = as(randomUUID());
    expect((await save('Empty', { q: ' ' })).status).toBe(422);
    expect((await save('Wrong', { q: 'x', from: '2026-02-31' })).status).toBe(422);
    for (let i = 1; i < savedSearchLimits.own; i++) await save(`Name ${i}`);
    expect((await save('name 1')).body).toMatchObject({ code: 'saved_search_exists' });
    const attempts = await Promise.all(['Last', 'Late'].map((name) => save(name)));
    expect(new Set(attempts.map(({ status }) => status))).toEqual(new Set([201, 409]));
  });
});

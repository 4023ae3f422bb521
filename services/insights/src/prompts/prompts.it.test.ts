import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  erasureEvents,
  operationsEvents,
  promptContentTypes,
  promptLimits,
  userErasureOrdered,
  type AnswerOf,
  type PromptObject,
  type promptRoutes,
} from '@overtone/contracts';
import { createSettingsStore } from '@overtone/database';
import { settingsByKey, waitFor } from '@overtone/testkit';
import { newUser, startWorld, type TestUser } from '../../test/world.ts';
import { createInstructions } from './active-prompts.service.ts';
import { builtInPrompts } from './built-in.ts';

type Routes = typeof promptRoutes;
type Page = AnswerOf<Routes['prompts']>;
type Active = AnswerOf<Routes['activePrompts']>;

const world = await startWorld();
const fields = { name: 'Weekly', text: 'Name every risk.', content_type: 'meeting', tags: ['risk'] };
let count = 0;

async function create(person: TestUser, more: object = {}): Promise<PromptObject> {
  const reply = await world.call<PromptObject>(person, 'POST', '/api/prompts', {
    ...fields,
    name: `Prompt ${count++}`,
    ...more,
  });
  expect(reply.status).toBe(201);
  return reply.body;
}

async function share(person: TestUser, uuid: string): Promise<PromptObject> {
  return (await world.call<PromptObject>(person, 'POST', `/api/prompts/shared/${uuid}/toggle`)).body;
}

async function list(person: TestUser, query = ''): Promise<string[]> {
  const { body } = await world.call<Page>(person, 'GET', `/api/prompts?page_size=100${query}`);
  return body.items.map(({ uuid }) => uuid);
}

async function activate(person: TestUser, prompt_uuid: string) {
  return world.call<Active['items'][number]>(person, 'POST', '/api/prompts/active/set', { prompt_uuid });
}

async function activeFor(person: TestUser, contentType: string) {
  const { body } = await world.call<Active>(person, 'GET', '/api/prompts/active/current');
  const { prompt, is_fallback: isFallback } = body.items.find((item) => item.content_type === contentType)!;
  return { uuid: prompt.uuid, isFallback };
}

const builtInIds = Object.values(builtInPrompts).map(({ id }) => id);

describe('prompts', () => {
  it('are created with trimmed fields and without repeated tags, and read with their text', async () => {
    const ada = newUser();
    const made = await create(ada, { name: '  Weekly  ', tags: ['Risk', 'risk', 'Team'], description: ' d ' });
    expect(made).toMatchObject({
      name: 'Weekly',
      description: 'd',
      text: 'Name every risk.',
      content_type: 'meeting',
      tags: ['Risk', 'Team'],
      is_own: true,
      is_shared: false,
      is_active: false,
      is_system: false,
      owner_name: `Name of ${ada.userId}`,
    });
    expect((await world.call(ada, 'GET', `/api/prompts/${made.uuid}`)).body).toEqual(made);
    const { body } = await world.call<Page>(ada, 'GET', '/api/prompts');
    expect(body.items.every((item) => !('text' in item))).toBe(true);
  });

  it('are listed page by page: built-in, own, then those of others', async () => {
    const [ada, eve] = [newUser(), newUser()];
    const own = [await create(ada, { name: 'B' }), await create(ada, { name: 'A' })]
      .toReversed()
      .map(({ uuid }) => uuid);
    const other = await create(eve, { name: '0 first of all' });
    await share(eve, other.uuid);
    const all = await list(ada);
    expect(all.slice(0, 8)).toEqual([...builtInIds, ...own]);
    expect(all).toContain(other.uuid);
    const pages: string[] = [];
    for (let page = 1; pages.length < all.length; page++) {
      const { body } = await world.call<Page>(ada, 'GET', `/api/prompts?page=${page}&page_size=3`);
      expect(body.total).toBe(all.length);
      pages.push(...body.items.map(({ uuid }) => uuid));
    }
    expect(pages).toEqual(all);
    expect(await list(ada, '&include_system=false&include_shared=false')).toEqual(own);
    expect(await list(ada, '&include_user=false&include_shared=false')).toEqual(builtInIds);
    expect(await list(ada, '&include_system=false&include_user=false&q=FIRST%20of')).toEqual([other.uuid]);
  });

  it('are listed by content type', async () => {
    const ada = newUser();
    const podcast = await create(ada, { content_type: 'podcast' });
    const path = '/api/prompts/by-content-type';
    const { body } = await world.call<Page>(ada, 'GET', `${path}/podcast`);
    expect(body.items.map(({ uuid }) => uuid)).toEqual([builtInPrompts.podcast.id, podcast.uuid]);
    expect((await world.call(ada, 'GET', `${path}/opera`)).status).toBe(400);
  });

  it('are invisible to others until they are shared, and again when they are withdrawn', async () => {
    const [ada, eve, admin] = [newUser(), newUser(), newUser('super_admin')];
    const { uuid } = await create(ada);
    const path = `/api/prompts/${uuid}`;
    const statuses = async () =>
      Promise.all([eve, admin].map(async (person) => (await world.call(person, 'GET', path)).status));
    expect(await statuses()).toEqual([404, 404]);
    expect(await share(ada, uuid)).toMatchObject({ is_shared: true });
    expect(await statuses()).toEqual([200, 200]);
    const { body } = await world.call<Page>(eve, 'GET', '/api/prompts/shared/library');
    expect(body.items.find((item) => item.uuid === uuid)).toMatchObject({
      is_own: false,
      is_shared: true,
      owner_name: `Name of ${ada.userId}`,
    });
    expect(await share(ada, uuid)).toMatchObject({ is_shared: false });
    expect(await statuses()).toEqual([404, 404]);
    expect(await list(eve)).not.toContain(uuid);
  });

  it('are changed, shared and deleted by their owner only, and built-in ones cannot be changed', async () => {
    const [ada, eve] = [newUser(), newUser('super_admin')];
    const shared = await create(ada);
    await share(ada, shared.uuid);
    const hidden = await create(ada);
    for (const [uuid, status, code] of [
      [shared.uuid, 403, 'prompt_read_only'],
      [builtInPrompts.meeting.id, 403, 'prompt_read_only'],
      [hidden.uuid, 404, 'not_found'],
      [randomUUID(), 404, 'not_found'],
    ] as const)
      for (const [method, path, body] of [
        ['PUT', `/api/prompts/${uuid}`, { name: 'Mine' }],
        ['DELETE', `/api/prompts/${uuid}`],
        ['POST', `/api/prompts/shared/${uuid}/toggle`],
      ] as const)
        expect(await world.call(eve, method, path, body)).toMatchObject({ status, body: { code } });
    expect((await world.call(ada, 'GET', `/api/prompts/${shared.uuid}`)).body).toMatchObject({
      name: shared.name,
      is_shared: true,
    });
    const changed = await world.call(ada, 'PUT', `/api/prompts/${shared.uuid}`, { name: 'New', tags: [] });
    expect(changed).toMatchObject({ status: 200, body: { name: 'New', tags: [], text: shared.text } });
    expect((await world.call(ada, 'DELETE', `/api/prompts/${shared.uuid}`)).status).toBe(204);
    expect((await world.call(ada, 'GET', `/api/prompts/${shared.uuid}`)).status).toBe(404);
  });

  it.each([
    ['no text', { text: '  ' }],
    ['a text above the limit', { text: 'x'.repeat(promptLimits.text + 1) }],
    ['no name', { name: '' }],
    ['too many tags', { tags: Array.from({ length: 21 }, (_, i) => `tag ${i}`) }],
    ['a tag above the limit', { tags: ['x'.repeat(51)] }],
    ['an unknown content type', { content_type: 'opera' }],
    ['a NUL', { text: 'a\0b' }],
    ['an unknown field', { is_shared: true }],
  ])('are refused with %s', async (_, more) => {
    const reply = await world.call(newUser(), 'POST', '/api/prompts', { ...fields, ...more });
    expect(reply).toMatchObject({ status: 422, body: { code: 'invalid_body' } });
  });

  it('are limited per person, also when they are created at the same time', async () => {
    const ada = newUser();
    await world.sql(
      `insert into insight_prompt (user_id, name, text, content_type)
       select $1, 'filler', 'x', 'general' from generate_series(1, $2)`,
      [ada.userId, promptLimits.own - 1],
    );
    const replies = await Promise.all([1, 2, 3].map(() => world.call(ada, 'POST', '/api/prompts', fields)));
    expect(replies.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([201, 409, 409]);
    expect(replies.find(({ status }) => status === 409)?.body['code']).toBe('too_many_prompts');
  });
});

describe('the active prompt', () => {
  it('is the built-in one of each content type until another is chosen, for its type and person only', async () => {
    const [ada, eve] = [newUser(), newUser()];
    for (const contentType of promptContentTypes)
      expect(await activeFor(ada, contentType)).toEqual({ uuid: builtInPrompts[contentType].id, isFallback: false });
    const { uuid } = await create(ada);
    expect((await activate(ada, uuid)).body).toMatchObject({ content_type: 'meeting', prompt: { uuid } });
    expect(await activeFor(ada, 'meeting')).toEqual({ uuid, isFallback: false });
    expect(await activeFor(ada, 'general')).toEqual({ uuid: builtInPrompts.general.id, isFallback: false });
    expect(await activeFor(eve, 'meeting')).toEqual({ uuid: builtInPrompts.meeting.id, isFallback: false });
    const { body } = await world.call<Page>(ada, 'GET', '/api/prompts/by-content-type/meeting');
    expect(body.items.filter((item) => item.is_active).map((item) => item.uuid)).toEqual([uuid]);
    await activate(ada, builtInPrompts.meeting.id);
    expect(await activeFor(ada, 'meeting')).toEqual({ uuid: builtInPrompts.meeting.id, isFallback: false });
  });

  it('cannot be one that is unknown or not shared', async () => {
    const [ada, eve] = [newUser(), newUser()];
    const { uuid } = await create(ada);
    expect(await activate(eve, uuid)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect((await activate(eve, randomUUID())).status).toBe(404);
  });

  it.each([
    ['withdrawn', (owner: TestUser, uuid: string) => share(owner, uuid)],
    ['deleted', (owner: TestUser, uuid: string) => world.call(owner, 'DELETE', `/api/prompts/${uuid}`)],
    [
      'given another content type',
      (owner: TestUser, uuid: string) => world.call(owner, 'PUT', `/api/prompts/${uuid}`, { content_type: 'podcast' }),
    ],
  ])('is replaced by the built-in one, and says so, when it was %s', async (_, end) => {
    const [ada, eve] = [newUser(), newUser()];
    const { uuid } = await create(ada);
    await share(ada, uuid);
    await activate(eve, uuid);
    expect(await activeFor(eve, 'meeting')).toEqual({ uuid, isFallback: false });
    await end(ada, uuid);
    expect(await activeFor(eve, 'meeting')).toEqual({ uuid: builtInPrompts.meeting.id, isFallback: true });
  });
});

describe('the instructions for a language model', () => {
  const keyRing = () => {
    throw new Error('no setting of prompts is sealed');
  };
  const settings = createSettingsStore({ table: 'insights_settings', keyRing });
  const resolve = createInstructions({ db: world.db, settings });
  const instructionsFor = (
    person: TestUser | null,
    promptUuid: string | null = null,
    contentType: (typeof promptContentTypes)[number] = 'meeting',
  ) => resolve({ userId: person?.userId ?? null, promptUuid, contentType });

  it('are those of the requested prompt, then of the active one, then of the built-in one', async () => {
    const ada = newUser();
    const [active, requested] = [await create(ada, { text: 'Active.' }), await create(ada, { text: 'Requested.' })];
    expect(await instructionsFor(ada)).toMatchObject({ promptUuid: builtInPrompts.meeting.id, isFallback: false });
    await activate(ada, active.uuid);
    expect(await instructionsFor(ada)).toMatchObject({ promptUuid: active.uuid, text: 'Active.' });
    expect(await instructionsFor(ada, null, 'general')).toMatchObject({ promptUuid: builtInPrompts.general.id });
    expect(await instructionsFor(ada, requested.uuid, 'general')).toMatchObject({
      promptUuid: requested.uuid,
      text: 'Requested.',
      isFallback: false,
    });
    expect(await instructionsFor(null)).toMatchObject({ promptUuid: builtInPrompts.meeting.id });
  });

  it('are the built-in ones for a prompt of another person that is not shared', async () => {
    const [ada, eve] = [newUser(), newUser()];
    const { uuid } = await create(ada, { text: 'A secret of Ada.' });
    expect(await instructionsFor(eve, uuid)).toEqual({
      promptUuid: builtInPrompts.meeting.id,
      name: builtInPrompts.meeting.name,
      text: builtInPrompts.meeting.text,
      organisationContext: '',
      isFallback: true,
    });
  });

  it('contain what a super administrator wrote about the organisation, which is audited without its text', async () => {
    const boss = newUser('super_admin');
    const path = '/api/admin/organisation-context';
    const organisation_context = 'Acme makes anvils.\nQX means quality.';
    const { body } = await world.call(boss, 'PUT', path, { organisation_context });
    expect(settingsByKey(body)['organisation_context']).toMatchObject({
      value: organisation_context,
      source: 'stored',
    });
    expect(await instructionsFor(newUser())).toMatchObject({ organisationContext: organisation_context });
    const [event] = await waitFor(() => {
      const events = world.eventsOf(operationsEvents.performed.subject);
      return events.length > 0 ? events : undefined;
    });
    expect(event).toMatchObject({
      action: 'organisation_context_changed',
      actorId: boss.userId,
      details: { changed: 'organisation_context', organisation_context: '36 characters' },
    });
    expect(JSON.stringify(event)).not.toContain('anvils');
    for (const role of ['user', 'admin'] as const) {
      expect(await world.call(newUser(role), 'GET', path)).toMatchObject({
        status: 403,
        body: { code: 'role_required' },
      });
      expect((await world.call(newUser(role), 'PUT', path, { organisation_context: 'x' })).status).toBe(403);
    }
    const tooLong = { organisation_context: 'x'.repeat(promptLimits.organisationContext + 1) };
    expect((await world.call(boss, 'PUT', path, tooLong)).status).toBe(422);
    expect((await world.call(boss, 'PUT', path, { organisation_context: null })).status).toBe(200);
    expect(await instructionsFor(newUser())).toMatchObject({ organisationContext: '' });
  });
});

describe('an ordered erasure', () => {
  it('deletes the prompts and choices of the person; who used one gets the built-in prompt', async () => {
    const [ada, eve] = [newUser(), newUser()];
    const { uuid } = await create(ada);
    await share(ada, uuid);
    await activate(ada, uuid);
    await activate(eve, uuid);
    const kept = await create(eve);
    const erasureId = randomUUID();
    await world.emit(userErasureOrdered, { erasureId, round: 1, userId: ada.userId });
    const report = await waitFor(() =>
      world.eventsOf(erasureEvents.insights.subject).find((data) => data['erasureId'] === erasureId),
    );
    expect(report).toMatchObject({ complete: true, counts: { prompts: 1 } });
    const left = await world.sql(
      `select user_id from insight_prompt where user_id = $1 union all
       select user_id from insight_active_prompt where user_id = $1`,
      [ada.userId],
    );
    expect(left).toEqual([]);
    expect(await activeFor(eve, 'meeting')).toEqual({ uuid: builtInPrompts.meeting.id, isFallback: true });
    expect((await world.call(eve, 'GET', `/api/prompts/${kept.uuid}`)).status).toBe(200);
  });
});

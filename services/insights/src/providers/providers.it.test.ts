import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { identityEvents, mediaEvents, operationsEvents, userErasureOrdered } from '@overtone/contracts';
import { parseKeyRing } from '@overtone/service-kit/sealing';
import { settingsByKey, waitFor } from '@overtone/testkit';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { startLanguageModelServer } from '@overtone/testkit/language-model';
import { newUser, startWorld, type TestUser } from '../../test/world.ts';
import { createProviderStore, resealProviders } from './providers.store.ts';

type Body = Record<string, unknown>;

const key = 'sk-secret-of-the-server';
const server = await stopAfterFile(startLanguageModelServer({ contextTokens: 16_384, key }));
const world = await startWorld();
const admin = newUser('super_admin');

type Audited = { action: string; actorId: string; details: Body };

/** Of one person: records of an earlier test may arrive late. */
function auditedOf(person: TestUser): Audited[] {
  const all = world.eventsOf(operationsEvents.performed.subject) as Audited[];
  return all.filter(({ actorId }) => actorId === person.userId);
}

function ask(person: TestUser, method: string, path: string, body?: unknown) {
  return world.call(person, method, `/api${path}`, body);
}

function input(more: Body = {}): Body {
  return {
    name: 'Model',
    kind: 'openai-compatible',
    base_url: server.urls.openai,
    model: 'scripted-model',
    context_tokens: null,
    max_parallel: 4,
    timeout_seconds: 30,
    api_key: key,
    ...more,
  };
}

const system = '/admin/llm-settings';
const own = '/llm-settings';

async function create(person: TestUser, path: string, more: Body = {}): Promise<Body & { uuid: string }> {
  const { status, body } = await ask(person, 'POST', path, input(more));
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body as Body & { uuid: string };
}

async function list(person: TestUser, path: string): Promise<Body[]> {
  return (await ask(person, 'GET', path)).body['providers'] as Body[];
}

afterEach(async () => {
  server.reset();
  world.messages.length = 0;
  await world.sql('delete from llm_provider');
  await world.sql('delete from insights_settings');
  await world.sql('delete from llm_usage');
});

describe('language models of everyone', () => {
  it('are added, with the context window that the server reports, and the first one becomes active', async () => {
    const first = await create(admin, system);
    const second = await create(admin, system, { name: 'Second', context_tokens: 4_096 });
    expect(first).toMatchObject({ is_active: true, effective_context_tokens: 16_384, context_source: 'server' });
    expect(second).toMatchObject({ is_active: false, effective_context_tokens: 4_096, context_source: 'entered' });
    const { body } = await ask(admin, 'GET', system);
    expect(settingsByKey(body)).toMatchObject({
      automatic: { value: true, source: 'default' },
      own_providers: { value: false, source: 'default' },
    });
  });

  it('never return a key, and store it sealed', async () => {
    const created = await create(admin, system);
    const answers = [created, (await ask(admin, 'GET', system)).body];
    expect(created).toMatchObject({ api_key: null, api_key_is_set: true });
    expect(JSON.stringify(answers)).not.toContain(key);
    const rows = await world.sql<{ text: string }>('select llm_provider::text as text from llm_provider');
    expect(rows[0]!.text).not.toContain(key);
  });

  it('keep their key without a new one, drop it with null, and require it again for another server', async () => {
    const { uuid } = await create(admin, system);
    const path = `${system}/config/${uuid}`;
    const { api_key: _, ...without } = input({ max_parallel: 2 });
    expect((await ask(admin, 'PUT', path, without)).body).toMatchObject({ api_key_is_set: true, max_parallel: 2 });
    const elsewhere = await ask(admin, 'PUT', path, { ...without, base_url: 'http://127.0.0.1:9999/v1' });
    expect([elsewhere.status, elsewhere.body['code']]).toEqual([400, 'secret_required']);
    const test = await ask(admin, 'POST', `${system}/test`, { ...without, uuid, base_url: 'http://127.0.0.1:9999/v1' });
    expect(test.body['code']).toBe('secret_required');
    expect((await ask(admin, 'PUT', path, { ...without, api_key: null })).body['api_key_is_set']).toBe(false);
  });

  it('are chosen, also none of them, and removed', async () => {
    const first = await create(admin, system);
    const second = await create(admin, system, { name: 'Second' });
    const activate = async (id: string | null) =>
      (await ask(admin, 'POST', `${system}/set-active`, { configuration_id: id })).body['providers'] as Body[];
    expect((await activate(second.uuid)).map((row) => row['is_active'])).toEqual([false, true]);
    expect((await activate(null)).map((row) => row['is_active'])).toEqual([false, false]);
    expect((await ask(admin, 'DELETE', `${system}/config/${first.uuid}`)).status).toBe(204);
    expect((await ask(admin, 'DELETE', `${system}/config/${first.uuid}`)).status).toBe(404);
    expect((await list(admin, system)).map((row) => row['uuid'])).toEqual([second.uuid]);
  });

  it('leave an audit record of every change, without the key', async () => {
    const person = newUser('super_admin');
    const { uuid } = await create(person, system);
    await ask(person, 'PUT', `${system}/config/${uuid}`, input({ name: 'Renamed' }));
    await ask(person, 'POST', `${system}/set-active`, { configuration_id: null });
    await ask(person, 'PUT', system, { own_providers: true });
    await ask(person, 'DELETE', `${system}/config/${uuid}`);
    await waitFor(() => (auditedOf(person).length === 5 ? true : undefined));
    expect(auditedOf(person).map(({ action }) => action)).toEqual([
      'model_provider_created',
      'model_provider_changed',
      'model_provider_activated',
      'insights_settings_changed',
      'model_provider_deleted',
    ]);
    expect(auditedOf(person)[0]!.details).toMatchObject({
      provider: 'Model',
      host: new URL(server.url).host,
      scope: 'system',
    });
    expect(JSON.stringify(auditedOf(person))).not.toContain(key);
  });

  it.each([
    ['an address of a private network', { base_url: 'http://10.1.2.3/v1' }, 400, 'settings_invalid'],
    ['no address', { base_url: '' }, 400, 'settings_invalid'],
    ['an address with a password', { base_url: 'https://user:pass@example.org/v1' }, 422, 'invalid_body'],
    ['a window that is too small', { context_tokens: 100 }, 422, 'invalid_body'],
    ['an unknown kind', { kind: 'other' }, 422, 'invalid_body'],
    ['no name', { name: ' ' }, 422, 'invalid_body'],
  ])('are refused with %s', async (_, more, status, code) => {
    const answer = await ask(admin, 'POST', system, input(more));
    expect([answer.status, answer.body['code']]).toEqual([status, code]);
    expect(await list(admin, system)).toEqual([]);
  });

  it('have different names', async () => {
    const { uuid } = await create(admin, system);
    await create(admin, system, { name: 'Other' });
    const answers = [
      await ask(admin, 'POST', system, input({ name: 'mODEL' })),
      await ask(admin, 'PUT', `${system}/config/${uuid}`, input({ name: 'Other' })),
    ];
    expect(answers.map(({ status, body }) => [status, body['code']])).toEqual([
      [409, 'provider_name_taken'],
      [409, 'provider_name_taken'],
    ]);
  });

  it('are limited in number, also when many are added at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 23 }, (_, i) => ask(admin, 'POST', system, input({ name: `Model ${i}` }))),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(new Set(answers.filter(({ status }) => status !== 201).map(({ body }) => body['code']))).toEqual(
      new Set(['provider_limit']),
    );
    const rows = await list(admin, system);
    expect(rows.filter((row) => row['is_active'])).toHaveLength(1);
  });

  it('can be added while their server does not respond', async () => {
    const created = await create(admin, system, { base_url: 'http://127.0.0.1:9/v1'.replace(':9/', ':9998/') });
    expect(created).toMatchObject({ effective_context_tokens: 8_192, context_source: 'usual' });
  });

  it('belong to a super administrator', async () => {
    const people = [newUser('admin'), newUser('user')];
    for (const person of people) {
      expect((await ask(person, 'GET', system)).status).toBe(403);
      expect((await ask(person, 'POST', system, input())).status).toBe(403);
    }
  });
});

describe('the connection test', () => {
  it('measures the time of an answer and stores the result of a saved language model', async () => {
    const { uuid } = await create(admin, system);
    const { api_key: _, ...without } = input();
    const { body } = await ask(admin, 'POST', `${system}/test`, { ...without, uuid });
    expect(body).toMatchObject({ ok: true, error_code: null, context_tokens: 16_384 });
    expect(body['response_time_ms']).toBeGreaterThanOrEqual(0);
    expect((await list(admin, system))[0]).toMatchObject({ test_ok: true, last_tested: expect.any(String) });
  });

  it.each([
    ['a wrong key', { api_key: 'wrong' }, 'provider_refused_key'],
    ['a wrong model', { model: 'unknown' }, 'provider_model_unknown'],
    ['a server that is down', { base_url: 'http://127.0.0.1:9998/v1' }, 'provider_unreachable'],
  ])('names %s, and stores nothing', async (_, more, code) => {
    const { status, body } = await ask(admin, 'POST', `${system}/test`, input(more));
    expect([status, body['ok'], body['error_code']]).toEqual([200, false, code]);
    expect(await list(admin, system)).toEqual([]);
  });

  it('ends soon for a server that accepts a connection and sends nothing, whatever the time limit of its model is', async () => {
    const silent = createServer(() => undefined);
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/v1`;
    const { body } = await ask(admin, 'POST', `${system}/test`, input({ base_url: url, timeout_seconds: 3_600 }));
    expect(body).toMatchObject({ ok: false, error_code: 'provider_timeout' });
    silent.closeAllConnections();
    silent.close();
  }, 60_000);

  it('says why a server cannot be reached, not only that a request failed', async () => {
    const { body } = await ask(admin, 'POST', `${system}/models`, input({ base_url: 'http://127.0.0.1:9998/v1' }));
    expect(body['message']).toContain('ECONNREFUSED');
  });

  it('refuses an address that is none in the words of the person who enters it', async () => {
    const { status, body } = await ask(admin, 'POST', `${system}/models`, input({ base_url: 'ollama' }));
    expect(status).toBe(422);
    expect(body['errors']).toEqual([
      { path: 'base_url', message: 'Enter an address that begins with http:// or https://.' },
    ]);
  });

  it('lists the models of the server', async () => {
    const { body } = await ask(admin, 'POST', `${system}/models`, input({ model: '' }));
    expect(body['models']).toEqual([{ id: 'scripted-model', context_tokens: 16_384 }]);
    const refused = await ask(admin, 'POST', `${system}/models`, input({ model: '', api_key: 'wrong' }));
    expect([refused.status, refused.body['error_code'], refused.body['models']]).toEqual([
      200,
      'provider_refused_key',
      [],
    ]);
  });
});

describe('a new encryption key', () => {
  it('seals every key again, and reports those that no key can open', async () => {
    const { uuid } = await create(admin, system);
    const lost = await create(admin, system, { name: 'Lost' });
    await world.sql(`update llm_provider set api_key = '{"key_id": "gone", "text": "AAAA"}' where uuid = $1`, [
      lost.uuid,
    ]);
    const [old, fresh] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)].map((bytes) => bytes.toString('base64'));
    const reseal = () => world.db.$transaction((tx) => resealProviders(tx, parseKeyRing(`${fresh},${old}`)));
    expect(await reseal()).toEqual({ resealed: 1, unreadable: ['key of the language model Lost'] });
    expect((await reseal()).resealed).toBe(0);
    const row = await world.db.llmProvider.findUniqueOrThrow({ where: { uuid } });
    expect(createProviderStore(() => parseKeyRing(fresh!)).keyOf(row)).toBe(key);
    expect(createProviderStore(() => parseKeyRing(old!)).keyOf(row)).toBeNull();
  });
});

it('a key that cannot be decrypted is reported, and nothing is sent without it', async () => {
  const { uuid } = await create(admin, system);
  await world.sql(`update llm_provider set api_key = '{"key_id": "gone", "text": "AAAA"}' where uuid = $1`, [uuid]);
  const { api_key: _, ...unchanged } = input();
  const tested = await ask(admin, 'POST', `${system}/test`, { ...unchanged, uuid });
  expect([tested.status, tested.body['code']]).toEqual([503, 'provider_key_unreadable']);
  expect((await ask(admin, 'POST', `${system}/test`, { ...input(), uuid })).body['ok']).toBe(true);
});

describe('accounted tokens', () => {
  const add = (userId: string, fileId: string | null) =>
    world.sql(
      `insert into llm_usage (day, user_id, file_id, provider, model, purpose, requests, input_tokens, output_tokens)
       values (current_date, $1, $2, 'House', 'small', 'section', 2, 100, 10)`,
      [userId, fileId],
    );
  const usage = async (by: 'user' | 'file') =>
    (await ask(admin, 'GET', `${system}/usage?group_by=${by}`)).body['items'] as Body[];

  it('are listed by person with the name, and by file', async () => {
    const person = newUser();
    const [first, second] = [randomUUID(), randomUUID()];
    await add(person.userId, first);
    await add(person.userId, second);
    const sums = { provider: 'House', model: 'small', requests: 4, input_tokens: 200, output_tokens: 20 };
    expect(await usage('user')).toEqual([{ uuid: person.userId, name: `Name of ${person.userId}`, ...sums }]);
    expect(new Set((await usage('file')).map(({ uuid }) => uuid))).toEqual(new Set([first, second]));
  });

  it('of a deleted file stay with its person, without the file', async () => {
    const person = newUser();
    const fileId = randomUUID();
    await add(person.userId, fileId);
    await add(person.userId, null);
    await world.emit(mediaEvents.deleted, { fileId, ownerId: person.userId });
    await waitFor(async () => ((await usage('file')).every(({ uuid }) => uuid === null) ? true : undefined));
    expect(await usage('user')).toMatchObject([{ uuid: person.userId, requests: 4, input_tokens: 200 }]);
  });
});

describe('language models of one person', () => {
  it('are refused until the administrator allows them', async () => {
    const person = newUser();
    const refused = await ask(person, 'POST', own, input());
    expect([refused.status, refused.body['code']]).toEqual([403, 'own_providers_not_allowed']);
    await ask(admin, 'PUT', system, { own_providers: true });
    expect((await ask(person, 'POST', own, input())).status).toBe(201);
    expect((await ask(person, 'GET', own)).body).toMatchObject({ allowed: true, providers: [{ name: 'Model' }] });
  });

  it('cannot be seen, changed or tested by others, not even by an administrator', async () => {
    await ask(admin, 'PUT', system, { own_providers: true });
    const person = newUser();
    const { uuid } = await create(person, own);
    const stranger = newUser();
    for (const [other, path] of [
      [stranger, own],
      [admin, own],
      [admin, system],
    ] as const) {
      expect(await list(other, path)).toEqual([]);
      const { api_key: _, ...without } = input();
      expect((await ask(other, 'PUT', `${path}/config/${uuid}`, without)).status).toBe(404);
      expect((await ask(other, 'POST', `${path}/test`, { ...without, uuid })).status).toBe(404);
      expect((await ask(other, 'POST', `${path}/set-active`, { configuration_id: uuid })).status).toBe(404);
      expect((await ask(other, 'DELETE', `${path}/config/${uuid}`)).status).toBe(404);
    }
    expect(await list(person, own)).toHaveLength(1);
  });

  it('are used in place of the one of the system, only while they are allowed', async () => {
    const person = newUser();
    const status = async () => (await ask(person, 'GET', '/llm/status')).body;
    expect(await status()).toMatchObject({ available: false, source: null, host: null });
    await create(admin, system, { name: 'Everyone' });
    expect(await status()).toMatchObject({ available: true, source: 'system', provider: 'Everyone' });
    await ask(admin, 'PUT', system, { own_providers: true });
    await create(person, own, { name: 'Mine' });
    expect(await status()).toMatchObject({ source: 'own', provider: 'Mine', host: new URL(server.url).host });
    await ask(admin, 'PUT', system, { own_providers: false });
    expect(await status()).toMatchObject({ source: 'system', provider: 'Everyone', own_providers_allowed: false });
  });

  it('can be deleted while they are not allowed', async () => {
    await ask(admin, 'PUT', system, { own_providers: true });
    const person = newUser();
    const { uuid } = await create(person, own);
    await ask(admin, 'PUT', system, { own_providers: false });
    expect((await ask(person, 'DELETE', `${own}/config/${uuid}`)).status).toBe(204);
  });

  it('end with the account of their person: no recording is sent to them, and no key stays', async () => {
    await ask(admin, 'PUT', system, { own_providers: true });
    const [deleted, kept] = [newUser(), newUser()];
    for (const person of [deleted, kept]) await create(person, own);
    await create(admin, system, { name: 'Everyone' });
    await world.emit(identityEvents.userDeleted, { userId: deleted.userId });
    await waitFor(async () => ((await list(deleted, own)).length === 0 ? true : undefined));
    expect((await ask(deleted, 'GET', '/llm/status')).body).toMatchObject({ source: 'system' });
    expect(await list(kept, own)).toHaveLength(1);
    expect(await list(admin, system)).toHaveLength(1);
  });

  it('are erased with their person, with the accounted tokens', async () => {
    await ask(admin, 'PUT', system, { own_providers: true });
    const [erased, kept] = [newUser(), newUser()];
    for (const person of [erased, kept]) {
      await create(person, own);
      await world.sql(
        `insert into llm_usage (day, user_id, provider, model, purpose) values (current_date, $1, 'a', 'b', 'c')`,
        [person.userId],
      );
    }
    const order = { erasureId: randomUUID(), round: 1, userId: erased.userId };
    await world.emit(userErasureOrdered, order);
    await waitFor(async () => ((await list(erased, own)).length === 0 ? true : undefined));
    expect(await list(kept, own)).toHaveLength(1);
    const rows = await world.sql<{ user_id: string }>('select user_id from llm_usage');
    expect(rows).toEqual([{ user_id: kept.userId }]);
  });
});

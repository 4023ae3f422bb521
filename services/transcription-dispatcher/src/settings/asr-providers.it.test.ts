import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { asrRoutes, asrRpc, asrWorkerRpc, type AsrProviderInput, type AsrProviderWithKey } from '@overtone/contracts';
import { createBus } from '@overtone/service-kit';
import { assertionOf, log, password } from '../../test/harness.ts';
import { startTestWorld } from '../../test/test-world.ts';

const path = '/api/admin/asr-providers';
const server: AsrProviderInput = {
  id: randomUUID(),
  name: 'Office server',
  kind: 'openai-compatible',
  enabled: true,
  selectable: true,
  languages: ['de'],
  model: 'whisper-large-v3',
  base_url: 'https://speech.example.org/v1',
  vocabulary: ['Overtone'],
  parallel_requests: 2,
  timeout_seconds: 900,
  max_audio_seconds: null,
};
const local: AsrProviderInput = {
  ...server,
  id: randomUUID(),
  name: 'PocketSphinx',
  kind: 'pocketsphinx',
  selectable: false,
  model: '',
  base_url: '',
};

describe('ASR providers', () => {
  const world = startTestWorld();
  const admin = assertionOf(randomUUID(), 'super_admin');
  const show = async () => asrRoutes.asrProviders.answer.parse(await (await world.dispatcher.get(path, admin)).json());
  const save = async (...providers: AsrProviderInput[]) =>
    world.dispatcher.put(path, admin, { revision: (await show()).revision, providers });
  const workerBus = async () => {
    const bus = createBus({
      service: 'transcription-worker',
      url: world.nats.url,
      user: 'transcription-worker',
      password,
      log,
    });
    await bus.connect();
    return bus;
  };
  const codeOf = async (response: Response) => ((await response.json()) as { code?: string }).code;

  it('keep their order, and their keys are sealed and returned to workers only', async () => {
    expect((await save({ ...server, api_key: 'sk-one' }, local)).status).toBe(200);
    const { providers } = await show();
    expect(providers.map(({ name, api_key, api_key_is_set }) => ({ name, api_key, api_key_is_set }))).toEqual([
      { name: 'Office server', api_key: null, api_key_is_set: true },
      { name: 'PocketSphinx', api_key: null, api_key_is_set: false },
    ]);
    const rows = await world.sql<{ text: string }>(
      'select string_agg(value::text, $1) as text from dispatcher_settings',
      [' '],
    );
    expect(rows[0]?.text).not.toContain('sk-one');
    expect((await world.bus.request(asrRpc.providers, {})).providers[0]).toMatchObject({ api_key: 'sk-one' });
    expect((await save(local, server)).status).toBe(200);
    expect((await show()).providers.map(({ name }) => name)).toEqual(['PocketSphinx', 'Office server']);
  });

  it('require the key again when the address changes, and forget it with the provider', async () => {
    await save({ ...server, api_key: 'sk-one' });
    const elsewhere = { ...server, base_url: 'https://other.example.org/v1' };
    const refused = await save(elsewhere);
    expect([refused.status, await codeOf(refused)]).toEqual([400, 'secret_required']);
    expect((await save({ ...elsewhere, api_key: 'sk-two' })).status).toBe(200);
    await save();
    await save(server);
    expect((await show()).providers[0]).toMatchObject({ api_key_is_set: false });
  });

  it('are not overwritten by a change that is based on an older list', async () => {
    const { revision } = await show();
    await save({ ...server, name: 'Renamed' });
    const late = await world.dispatcher.put(path, admin, { revision, providers: [] });
    expect([late.status, await codeOf(late)]).toEqual([409, 'settings_changed']);
  });

  it.each([
    [{ ...server, base_url: '' }, 400],
    [{ ...server, model: '' }, 400],
    [{ ...local, base_url: 'https://speech.example.org' }, 400],
    [{ ...server, base_url: 'https://user:secret@speech.example.org/v1' }, 422],
    [{ ...server, base_url: 'file:///etc/passwd' }, 422],
  ])('are refused when they are not valid: %#', async (provider, status) => {
    expect((await save(provider)).status).toBe(status);
  });

  it.each([
    'http://127.0.0.1:8000/v1',
    'http://2130706433:8000/v1',
    'http://0x7f.1:8000/v1',
    'http://[::1]:8000/v1',
    'http://[::ffff:10.0.0.1]/v1',
    'http://localhost:8000/v1',
    'http://169.254.169.254/latest',
    'http://10.21.0.1/v1',
    'http://speech.example.org:6379/v1',
  ])('neither keep nor test an address that the guard refuses: %s', async (base_url) => {
    const refused = { ...server, base_url };
    for (const response of [
      await save(refused),
      await world.dispatcher.post(`${path}/test`, admin, { provider: refused }),
    ])
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { code: 'settings_invalid', errors: [{ path: 'providers.0.base_url', message: expect.any(String) }] },
      ]);
  });

  it('keep a private address in an allowed range, and a refused one while it is not used', async () => {
    const allowed = { ...server, base_url: 'http://10.20.0.7:8000/v1' };
    const unused = { ...server, id: randomUUID(), name: 'Old', base_url: 'http://10.21.0.7/v1', enabled: false };
    expect((await save(allowed, unused)).status).toBe(200);
  });

  it('are refused when a worker could use none of them, unless that is accepted', async () => {
    const bus = await workerBus();
    const checked: AsrProviderWithKey[][] = [];
    const state = { kind: 'x', model: '', translates: false };
    bus.serve(asrWorkerRpc.checkProviders, async ({ providers }) => {
      checked.push(providers);
      return {
        engines: providers.map(({ id, kind }) => {
          const ready = kind === 'pocketsphinx';
          return { ...state, id, ready, why: ready ? null : 'No model is installed' };
        }),
      };
    });
    await bus.nc().flush();
    const { revision } = await show();
    const missing: AsrProviderInput = { ...local, id: randomUUID(), name: 'Model', kind: 'sherpa-onnx' };
    for (const providers of [[missing], [{ ...local, enabled: false }]]) {
      const refused = await world.dispatcher.put(path, admin, { revision, providers });
      expect([refused.status, await codeOf(refused)]).toEqual([409, 'no_provider_ready']);
    }
    expect(await (await save(missing)).json()).toMatchObject({ detail: 'Model: No model is installed' });
    expect((await show()).revision).toBe(revision);
    expect((await save(missing, local)).status).toBe(200);
    const { revision: current } = await show();
    const accepted = { revision: current, providers: [missing], accept_not_ready: true };
    expect((await world.dispatcher.put(path, admin, accepted)).status).toBe(200);
    await bus.close();
    expect(checked.length).toBeGreaterThan(0);
    // While no worker replies, nothing is known.
    expect((await save(missing)).status).toBe(200);
  });

  it('are tested by a worker with the stored key', async () => {
    await save({ ...server, api_key: 'sk-three' });
    const bus = await workerBus();
    const received: AsrProviderWithKey[] = [];
    bus.serve(asrWorkerRpc.testProvider, async ({ provider }) => {
      received.push(provider);
      return { ok: true, error_code: null, error: null, text: 'good morning', language: 'en', seconds: 1 };
    });
    await bus.nc().flush();
    const response = await world.dispatcher.post(`${path}/test`, admin, { provider: { ...server, name: 'Unsaved' } });
    expect(await response.json()).toMatchObject({ ok: true, text: 'good morning' });
    expect(received).toEqual([{ ...server, name: 'Unsaved', api_key: 'sk-three' }]);
    await bus.close();
  });

  it('are for super administrators only', async () => {
    const other = assertionOf(randomUUID(), 'admin');
    expect((await world.dispatcher.get(path, other)).status).toBe(403);
    expect((await world.dispatcher.put(path, other, { revision: '', providers: [] })).status).toBe(403);
    expect((await world.dispatcher.post(`${path}/test`, other, { provider: server })).status).toBe(403);
  });
});

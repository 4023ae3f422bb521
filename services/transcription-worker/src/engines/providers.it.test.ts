import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { leaseValue, vocabularyRpc, type AsrProviderWithKey, type RunOptions } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { startSpeechServer } from '@overtone/testkit/speech-server';
import { slow } from '../../test/engine-contract.ts';
import { startWorld, type World } from '../../test/world.ts';

const sample = fileURLToPath(new URL('./sample.wav', import.meta.url));

function providerOf(baseUrl: string, more: Partial<AsrProviderWithKey> = {}): AsrProviderWithKey {
  return {
    id: randomUUID(),
    name: 'Server',
    kind: 'openai-compatible',
    enabled: true,
    selectable: false,
    languages: [],
    model: 'whisper-1',
    base_url: baseUrl,
    vocabulary: [],
    parallel_requests: 1,
    timeout_seconds: 60,
    max_audio_seconds: null,
    api_key: null,
    ...more,
  };
}

describe('ASR providers of a running worker', () => {
  let world: World;
  let audio = '';
  const servers: Server[] = [];
  let arrivals = 0;
  /** Listens on an address that the world does not allow. */
  const openTrap = async (): Promise<number> => {
    arrivals = 0;
    const trap = createServer();
    trap.on('connection', (socket) => {
      arrivals += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => trap.listen(0, '127.0.0.2', resolve));
    servers.push(trap);
    return (trap.address() as AddressInfo).port;
  };
  const start = async (status = 200) => {
    const started = await startSpeechServer(status);
    servers.push(started.server);
    return started;
  };
  beforeAll(async () => {
    world = await startWorld();
    audio = await world.upload(sample);
  }, slow);
  afterEach(() => {
    world.stored.providers = [];
    world.stored.settings = {};
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });
  afterAll(() => world.stop());

  const input = (more: Partial<RunOptions> = {}) => ({
    runId: randomUUID(),
    fileId: randomUUID(),
    ownerId: randomUUID(),
    earlier: {},
    audio,
    duration: 5,
    options: { language: 'en', minSpeakers: null, maxSpeakers: null, diarize: true, ...more },
  });
  const transcribe = (more: Partial<RunOptions> = {}) => world.order('transcribe', input(more));
  /** Whether each lease says that its task only waits for another server. */
  const leases = async (): Promise<string[]> => {
    const kv = await world.nc.jetstream({ timeout: 30_000 }).views.kv('LEASES');
    const found: string[] = [];
    for await (const key of await kv.keys()) {
      const lease = leaseValue.safeParse((await kv.get(key))?.json());
      if (lease.success) found.push(String(lease.data.remote));
    }
    return found;
  };
  const transcribed = async (more: Partial<RunOptions> = {}) => world.done('transcribe', await transcribe(more));

  it(
    'replace the engine of the environment at the next task, without a restart',
    async () => {
      expect((await transcribed()).engine.provider).toBe('scripted');
      const { baseUrl, received } = await start();
      world.stored.providers = [providerOf(baseUrl, { api_key: 'sk-one', vocabulary: ['Overtone', 'NATS'] })];
      expect((await transcribed()).engine).toMatchObject({ provider: 'openai-compatible', model: 'whisper-1' });
      expect(received[0]).toMatchObject({ path: '/v1/audio/transcriptions', key: 'Bearer sk-one' });
      expect(received[0]?.form.get('prompt')).toBe('Overtone, NATS');
      world.stored.providers = [];
      expect((await transcribed()).engine.provider).toBe('scripted');
    },
    slow,
  );

  it(
    'get the vocabulary of the owner of the recording in turn with their own',
    async () => {
      const { baseUrl, received } = await start();
      const media = await world.connectAs('media');
      const asked: string[] = [];
      media.serve(vocabularyRpc.readVocabulary, async ({ userId }) => {
        asked.push(userId);
        return { terms: ['Kubernetes', 'nats'] };
      });
      await media.nc().flush();
      world.stored.providers = [providerOf(baseUrl, { vocabulary: ['NATS', 'Overtone'] })];
      await transcribed();
      expect(received[0]?.form.get('prompt')).toBe('Kubernetes, NATS, Overtone');
      expect(asked).toHaveLength(1);
    },
    slow,
  );

  it(
    'are used in their order, the next one when the first one fails',
    async () => {
      const [broken, working] = [await start(404), await start()];
      world.stored.providers = [
        providerOf(broken.baseUrl, { model: 'first' }),
        providerOf(working.baseUrl, { model: 'second' }),
      ];
      expect((await transcribed()).engine.model).toBe('second');
      expect(broken.received).toHaveLength(1);
    },
    slow,
  );

  it(
    'are chosen by language and by the choice of a person',
    async () => {
      const { baseUrl } = await start();
      const [german, any] = [
        providerOf(baseUrl, { model: 'german', languages: ['de'] }),
        providerOf(baseUrl, { model: 'any' }),
      ];
      world.stored.providers = [german, any];
      expect((await transcribed()).engine.model).toBe('any');
      expect((await transcribed({ language: 'de' })).engine.model).toBe('german');
      expect((await transcribed({ language: 'de', provider: any.id })).engine.model).toBe('any');
      // Deleted since it was chosen.
      expect((await transcribed({ language: 'de', provider: randomUUID() })).engine.model).toBe('german');
    },
    slow,
  );

  it(
    'leave the place of a recording that only waits for them to other jobs, up to their limit',
    async () => {
      world.stored.settings['remote_concurrency'] = 1;
      const { baseUrl, received, hold } = await start();
      world.stored.providers = [providerOf(baseUrl)];
      const letGo = hold();
      const first = await transcribe();
      await waitFor(() => received.length === 1);
      const second = await transcribe();
      const local = await world.order('diarize', input());
      await world.done('diarize', local);
      await waitFor(async () => (await leases()).includes('true'));
      expect([world.ended.outputs.has(first), world.ended.outputs.has(second), received.length]).toEqual([
        false,
        false,
        1,
      ]);
      letGo();
      await world.done('transcribe', first);
      await world.done('transcribe', second);
    },
    slow,
  );

  it(
    'postpone a recording for which they have no room, so that one of an engine of this worker goes first',
    async () => {
      world.stored.settings['remote_concurrency'] = 1;
      const { baseUrl, received, hold } = await start();
      const remote = providerOf(baseUrl);
      const own = providerOf('', { kind: 'pocketsphinx', languages: ['en'] });
      world.stored.providers = [remote, own];
      const letGo = hold();
      const first = await transcribe();
      await waitFor(() => received.length === 1);
      const second = await transcribe();
      const local = await transcribe({ provider: own.id });
      expect((await world.done('transcribe', local)).engine.provider).toBe('pocketsphinx');
      expect(world.ended.releases).toContain(second);
      expect([world.ended.outputs.has(first), world.ended.outputs.has(second)]).toEqual([false, false]);
      letGo();
      await world.done('transcribe', first);
      expect((await world.done('transcribe', second)).engine.provider).toBe('openai-compatible');
    },
    slow,
  );

  it(
    'that fail give the recording a place of this worker again, for the next engine',
    async () => {
      const { baseUrl } = await start(404);
      world.stored.providers = [providerOf(baseUrl), providerOf('', { kind: 'pocketsphinx', languages: ['en'] })];
      expect((await transcribed()).engine.provider).toBe('pocketsphinx');
    },
    slow,
  );

  it(
    'translate with a model that can, and refuse it with another one',
    async () => {
      const { baseUrl, received } = await start();
      world.stored.providers = [providerOf(baseUrl)];
      expect(await transcribed({ language: 'de', task: 'translate' })).toMatchObject({ language: 'en' });
      expect(received.at(-1)?.path).toBe('/v1/audio/translations');
      world.stored.providers = [providerOf(baseUrl, { model: 'whisper-large-v3-turbo' })];
      const failure = await world.failed(await transcribe({ task: 'translate' }));
      expect(failure).toMatchObject({ code: 'translation_unsupported', retryable: false });
    },
    slow,
  );

  it(
    'are tested with the bundled sample, and a failure is named',
    async () => {
      const { baseUrl, received } = await start();
      expect(await world.testProvider(providerOf(baseUrl))).toMatchObject({ ok: true, text: 'good morning' });
      expect(received[0]?.form.get('file')).toMatchObject({ size: expect.any(Number) });
      expect(await world.testProvider(providerOf('http://127.0.0.1:1024/v1'))).toMatchObject({
        ok: false,
        error_code: 'engine_missing',
        error: expect.stringContaining('does not answer'),
      });
      const spoken = await world.testProvider(providerOf('', { kind: 'pocketsphinx' }));
      expect(spoken.text).toContain('letter');
    },
    slow,
  );

  it(
    'are checked without a recording, and only those in use',
    async () => {
      const { baseUrl, received } = await start();
      const [usable, missing] = [providerOf(baseUrl), providerOf('', { kind: 'sherpa-onnx', model: 'not-installed' })];
      const unused = providerOf(baseUrl, { enabled: false });
      const { engines } = await world.checkProviders(missing, usable, unused);
      expect(engines).toMatchObject([
        { id: missing.id, ready: false, why: expect.any(String) },
        { id: usable.id, ready: true, why: null },
      ]);
      expect(received.filter(({ path }) => path?.includes('transcriptions'))).toEqual([]);
    },
    slow,
  );

  it(
    'and the settings are reported with their sources in the heartbeat',
    async () => {
      const { baseUrl } = await start();
      world.stored.providers = [providerOf(baseUrl)];
      world.stored.settings['gpu_concurrency'] = 2;
      await transcribed();
      await waitFor(async () => {
        const [heartbeat] = await world.capabilities();
        return (
          heartbeat?.settings?.['gpu_concurrency']?.source === 'stored' &&
          heartbeat.gpu?.concurrency === 2 &&
          heartbeat.engines?.[0]?.id === world.stored.providers[0]?.id
        );
      });
    },
    slow,
  );

  it.each(['127.0.0.2', '127.2', '2130706434', '0x7f.2', '[::ffff:127.0.0.2]', '127.0.0.2.'])(
    'send nothing to a refused address: %s',
    async (host) => {
      const provider = providerOf(`http://${host}:${await openTrap()}/v1`, { api_key: 'sk-one' });
      expect(await world.testProvider(provider)).toMatchObject({
        ok: false,
        error: expect.stringContaining('private network'),
      });
      expect(arrivals).toBe(0);
    },
    slow,
  );

  it(
    'do not follow a redirect, also not to an allowed address',
    async () => {
      const { baseUrl, received } = await start();
      const redirecting = createServer((_, response) => void response.writeHead(307, { location: baseUrl }).end());
      await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve));
      servers.push(redirecting);
      const port = (redirecting.address() as AddressInfo).port;
      const provider = providerOf(`http://127.0.0.1:${port}/v1`, { api_key: 'sk-one' });
      expect(await world.testProvider(provider)).toMatchObject({ ok: false });
      expect(received).toEqual([]);
    },
    slow,
  );

  it(
    'with a refused address leave the recording to the next one',
    async () => {
      const { baseUrl } = await start();
      const refused = providerOf(`http://127.0.0.2:${await openTrap()}/v1`, { model: 'refused' });
      world.stored.providers = [refused, providerOf(baseUrl, { model: 'second' })];
      expect((await transcribed()).engine.model).toBe('second');
      expect(arrivals).toBe(0);
    },
    slow,
  );
});

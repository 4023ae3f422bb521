import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { modelJobs, modelRpc, operationsEvents, type ReplyOf } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { assertionOf } from '../../test/harness.ts';
import { startTestWorld } from '../../test/test-world.ts';

const world = startTestWorld();
const removed: string[] = [];
const overview: ReplyOf<typeof modelRpc.models> = {
  folder: '/models',
  installed: [
    {
      name: 'here',
      kind: 'vad',
      family: 'silero-vad',
      languages: [],
      licence: 'MIT',
      bytes: 10,
      origin: 'catalogue',
      verified_at: '2026-11-23T10:00:00.000Z',
      fault: null,
      evaluation: null,
    },
  ],
  catalogue: (['free', 'gated', 'busy'] as const).map((name) => ({
    name,
    title: name,
    kind: 'vad' as const,
    family: 'silero-vad',
    languages: [],
    licence: { name: 'MIT', url: 'https://example.org', acceptance: name === 'gated' },
    purpose: 'Tests',
    bytes: 10,
    download_bytes: 10,
    memory_mib: 1,
    cpu_real_time_factor: null,
  })),
  speech_setup: null,
  tasks: [
    {
      name: 'busy',
      state: 'running',
      received_bytes: 1,
      total_bytes: 10,
      error_code: null,
      error: null,
      at: '2026-11-23T10:00:00.000Z',
    },
  ],
  suggestion: { text: 'a small model', name: null },
};

function boss(): string {
  return assertionOf(randomUUID(), 'super_admin');
}

/** A verification has no body; a pull has one. */
async function post(path: string, body: unknown = path.endsWith('/pull') ? {} : undefined) {
  const response = await world.dispatcher.post(`/api/admin/models/${path}`, boss(), body);
  return { status: response.status, code: ((await response.json()) as { code?: string }).code };
}

async function waitingJobs(subject: string): Promise<unknown[]> {
  const jsm = await world.test.jetstreamManager();
  const { state } = await jsm.streams.info('JOBS', { subjects_filter: subject });
  const found: unknown[] = [];
  for (let index = state.first_seq; index <= state.last_seq; index++) {
    const message = await jsm.streams.getMessage('JOBS', { seq: index }).catch(() => undefined);
    if (message?.subject === subject) found.push(message.json<{ input: unknown }>().input);
  }
  return found;
}

describe('models without a worker', () => {
  it('are unavailable, and the answer says why', async () => {
    const response = await world.dispatcher.get('/api/admin/models', assertionOf(randomUUID(), 'admin'));
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: 'engine_missing' });
  });
});

describe('models of a worker', () => {
  beforeAll(async () => {
    world.bus.serve(modelRpc.models, async () => overview);
    world.bus.serve(modelRpc.removeModel, async ({ name }) => {
      removed.push(name);
      return { removed: name === 'here' };
    });
    await world.bus.nc().flush();
  });

  it('are shown to administrators', async () => {
    const response = await world.dispatcher.get('/api/admin/models', assertionOf(randomUUID(), 'admin'));
    expect(await response.json()).toEqual(overview);
  });

  it('are changed by super administrators only', async () => {
    const admin = assertionOf(randomUUID(), 'admin');
    const answers = [
      await world.dispatcher.post('/api/admin/models/free/pull', admin, {}),
      await world.dispatcher.post('/api/admin/models/here/verify', admin),
      await world.dispatcher.remove('/api/admin/models/here', admin),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(removed).toEqual([]);
  });

  it('are pulled by a job of the queue download, which is audited', async () => {
    expect(await post('free/pull')).toMatchObject({ status: 202 });
    expect(await waitingJobs(modelJobs.pull.subject)).toEqual([{ name: 'free', acceptLicence: false }]);
    const isAudited = async () =>
      (await world.events()).some(
        ({ subject, data }) =>
          subject === operationsEvents.performed.subject && (data as { action: string }).action === 'model_pulled',
      );
    await waitFor(isAudited);
  });

  it('need the acceptance of a licence that asks for it', async () => {
    expect(await post('gated/pull')).toEqual({ status: 400, code: 'licence_required' });
    expect(await post('gated/pull', { accept_licence: true })).toMatchObject({ status: 202 });
  });

  it('are not pulled twice at a time, and only when the catalogue has them', async () => {
    expect(await post('busy/pull')).toEqual({ status: 409, code: 'pull_running' });
    expect(await post('unknown/pull')).toEqual({ status: 404, code: 'not_found' });
    expect((await post('..%2Fevil/pull')).status).toBeGreaterThanOrEqual(400);
  });

  it('are verified by a job', async () => {
    expect(await post('here/verify')).toMatchObject({ status: 202 });
    expect(await waitingJobs(modelJobs.verify.subject)).toEqual([{ name: 'here' }]);
    expect(await post('free/verify')).toEqual({ status: 404, code: 'not_found' });
  });

  it('are removed by the worker', async () => {
    expect((await world.dispatcher.remove('/api/admin/models/here', boss())).status).toBe(200);
    expect((await world.dispatcher.remove('/api/admin/models/gone', boss())).status).toBe(404);
    expect(removed).toEqual(['here', 'gone']);
  });
});

import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  asrRpc,
  asrWorkerRpc,
  dispatcherRpc,
  engineSettingsRpc,
  gpuRpc,
  jobDurable,
  modelJobs,
  modelRpc,
  workerJobs,
  workerRpc,
  workerValue,
  type AsrProviderWithKey,
  type InputOf,
  type ReplyOf,
  type RequestOf,
  type ServiceName,
} from '@overtone/contracts';
import { createObjectStore } from '@overtone/object-store';
import { createBus, createLog, type Bus } from '@overtone/service-kit';
import { startNats, waitFor } from '@overtone/testkit';
import { busUsers, patient, provisionJobs } from '@overtone/testkit/bus';
import { connect } from 'nats';
import { z } from 'zod';
import { writeVectors } from '../src/embeddings/vector-file.ts';
import { ownJobs, workerVariables, type WorkerEnv } from '../src/env.ts';
import { createTranscriptionWorker } from '../src/transcription-worker.ts';

const log = createLog('test', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' });
const password = 'secret';
type Jobs = typeof workerJobs;
type Ended = {
  outputs: Map<string, unknown>;
  failures: Map<string, RequestOf<typeof dispatcherRpc.fail>>;
  profiles: RequestOf<typeof gpuRpc.recordProfile>[];
  releases: string[];
};
/** What administrators have stored; a test may change it while the worker runs. */
type Stored = { settings: Record<string, unknown>; providers: AsrProviderWithKey[] };
type Waiting = { durable: string; taskId: string; subject: string; input: unknown };

/** A fake of the dispatcher's claim RPCs. */
async function playDispatcher(
  url: string,
  { ended, waiting, stored }: { ended: Ended; waiting: Waiting[]; stored: Stored },
) {
  const bus = patient(
    createBus({ service: 'transcription-dispatcher', url, user: 'transcription-dispatcher', password, log }),
  );
  await bus.connect();
  const running = new Map<string, Waiting>();
  bus.serve(dispatcherRpc.claim, async ({ durable, subjects, except = [] }) => {
    const ofDurable = waiting.filter((task) => task.durable === durable);
    const task = ofDurable.find(({ subject, taskId }) => subjects.includes(subject) && !except.includes(taskId));
    if (!task) return ofDurable.length > 0 ? { outcome: 'wait' as const, retryInMs: 50 } : { outcome: 'gone' as const };
    waiting.splice(waiting.indexOf(task), 1);
    running.set(task.taskId, task);
    const { taskId, subject, input } = task;
    return { outcome: 'claimed' as const, taskId, subject, input, token: 7, attempt: 1, traceparent: null };
  });
  bus.serve(engineSettingsRpc.read, async () => ({ stored: stored.settings }));
  bus.serve(asrRpc.providers, async () => ({ providers: stored.providers }));
  bus.serve(gpuRpc.recordProfile, async (profile) => {
    ended.profiles.push(profile);
    return { outcome: 'recorded' as const };
  });
  bus.serve(dispatcherRpc.release, async ({ taskId }) => {
    const task = running.get(taskId);
    if (!task) return { outcome: 'stale' as const };
    waiting.unshift(task);
    ended.releases.push(taskId);
    await bus.publish(task.subject, JSON.stringify({ taskId }));
    return { outcome: 'released' as const };
  });
  bus.serve(dispatcherRpc.complete, async ({ taskId, output }) => {
    ended.outputs.set(taskId, output);
    return { outcome: 'accepted' as const };
  });
  bus.serve(dispatcherRpc.fail, async (failure) => {
    ended.failures.set(failure.taskId, failure);
    return { outcome: 'failed' as const };
  });
  await bus.nc().flush();
  return bus;
}

const words = 'the deadline is in march due date people letter'.split(' ');

async function tinyVectors(modelCacheDir: string): Promise<void> {
  const folder = join(modelCacheDir, 'word-vectors');
  await mkdir(folder, { recursive: true });
  const vectorOf = (rank: number): number[] =>
    Array.from({ length: 100 }, (_, dimension) => Math.sin((rank + 1) * (dimension + 1)));
  const entries = words.map((word, rank) => ({ word, rank: rank * 1000, vector: vectorOf(rank) }));
  await writeVectors(join(folder, 'wink-sg-100d-sif1.bin'), 100, entries);
}

/** Starts the service with a real broker and a folder as object store. */
export async function startWorld(more: Partial<WorkerEnv> = {}) {
  const nats = await startNats({ users: busUsers(password) });
  const nc = await connect({ servers: nats.url, user: 'test', pass: password });
  await provisionJobs(nc, ownJobs);
  const folder = await mkdtemp(join(tmpdir(), 'overtone-worker-'));
  const workDir = join(folder, 'work');
  await tinyVectors(join(folder, 'models'));
  const ended: Ended = { outputs: new Map(), failures: new Map(), profiles: [], releases: [] };
  const waiting: Waiting[] = [];
  const stored: Stored = { settings: {}, providers: [] };
  const connections: Bus[] = [];
  const dispatcher = await playDispatcher(nats.url, { ended, waiting, stored });
  const given = z.object(workerVariables).parse({
    API_PORT: 0,
    INTERNAL_PORT: 0,
    LOG_LEVEL: 'fatal',
    SHUTDOWN_GRACE_MS: 2_000,
    NATS_URL: nats.url,
    NATS_USER: 'transcription-worker',
    NATS_PASSWORD: password,
    OBJECT_STORE_DIR: join(folder, 'objects'),
    MODEL_CACHE_DIR: join(folder, 'models'),
    WORK_DIR: workDir,
    OT_SCRIPTED_ENGINE: '1',
    MAX_AUDIO_HOURS: 1,
    OT_OUTBOUND_ALLOWED_RANGES: '127.0.0.1',
  });
  const env: WorkerEnv = {
    ...given,
    engineVariables: { ASR_THREADS: 1 },
    concurrency: { gpu: 1, cpu: 2, download: 1 },
    ...more,
  };
  const store = createObjectStore(env);
  const service = createTranscriptionWorker(env);
  const { internalPort } = await service.start();
  const order = async <K extends keyof Jobs>(job: K, input: InputOf<Jobs[K]>): Promise<string> => {
    const taskId = randomUUID();
    const { subject } = workerJobs[job];
    waiting.push({ durable: jobDurable(workerJobs[job]), taskId, subject, input });
    await nc.jetstream({ timeout: 30_000 }).publish(subject, JSON.stringify({ taskId }));
    return taskId;
  };
  const done = async <K extends keyof Jobs>(job: K, taskId: string): Promise<z.infer<Jobs[K]['output']>> => {
    await waitFor(() => ended.outputs.has(taskId) || ended.failures.has(taskId));
    const failure = ended.failures.get(taskId);
    if (failure) throw new Error(`${failure.code}: ${failure.message}`);
    return workerJobs[job].output.parse(ended.outputs.get(taskId)) as z.infer<Jobs[K]['output']>;
  };
  return {
    store,
    nc,
    stored,
    checkProviders: (...providers: AsrProviderWithKey[]) =>
      dispatcher.request(asrWorkerRpc.checkProviders, { providers }),
    testProvider: (provider: AsrProviderWithKey) => dispatcher.request(asrWorkerRpc.testProvider, { provider }),
    modelFolder: env.MODEL_CACHE_DIR,
    models: () => dispatcher.request(modelRpc.models, {}),
    removeModel: (name: string) => dispatcher.request(modelRpc.removeModel, { name }),
    /** Publishes a job of the model folder, as the dispatcher does. */
    orderModel: <K extends keyof typeof modelJobs>(job: K, input: InputOf<(typeof modelJobs)[K]>) =>
      nc
        .jetstream({ timeout: 30_000 })
        .publish(modelJobs[job].subject, JSON.stringify({ taskId: randomUUID(), input })),
    ended,
    order,
    done,
    /** Waits for the output of a new task. */
    run: async <K extends keyof Jobs>(job: K, input: InputOf<Jobs[K]>) => done(job, await order(job, input)),
    metrics: async () => (await fetch(`http://127.0.0.1:${internalPort}/metrics`)).text(),
    failed: async (taskId: string) => {
      await waitFor(() => ended.failures.has(taskId));
      return ended.failures.get(taskId);
    },
    upload: async (path: string): Promise<string> => {
      const key = `media/${randomUUID()}/recording`;
      await store.put(key, await readFile(path));
      return key;
    },
    readJson: async (key: string): Promise<unknown> => {
      const parts: Buffer[] = [];
      for await (const part of (await store.get(key)).stream) parts.push(part as Buffer);
      return JSON.parse(Buffer.concat(parts).toString('utf8'));
    },
    /** Connects with the rights of another service, which the test stands for. */
    connectAs: async (name: ServiceName): Promise<Bus> => {
      const bus = patient(createBus({ service: name, url: nats.url, user: name, password, log }));
      await bus.connect();
      connections.push(bus);
      return bus;
    },
    embed: async (texts: string[]): Promise<ReplyOf<typeof workerRpc.embed>> => {
      const asker = patient(
        createBus({ service: 'search-indexer', url: nats.url, user: 'search-indexer', password, log }),
      );
      await asker.connect();
      try {
        return await asker.request(workerRpc.embed, { texts, kind: 'query' });
      } finally {
        await asker.close();
      }
    },
    /** The value of the first heartbeat. */
    capabilities: () =>
      waitFor(async () => {
        const kv = await nc.jetstream({ timeout: 30_000 }).views.kv('WORKERS');
        const found: z.infer<typeof workerValue>[] = [];
        for await (const key of await kv.keys()) found.push(workerValue.parse((await kv.get(key))?.json()));
        return found.length > 0 ? found : undefined;
      }),
    leftovers: () => readdir(workDir),
    stop: async () => {
      await Promise.all(connections.map((bus) => bus.close()));
      await service.stop();
      await dispatcher.close();
      await nc.close();
      await nats.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type World = Awaited<ReturnType<typeof startWorld>>;

import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import {
  assembleOutput,
  mediaEvents,
  natsUsers,
  queues,
  serviceNames,
  stageJobs,
  transcriptionEvents,
  type workerJobs,
  type DataOf,
  type EventDef,
  type OutputOf,
  type Queue,
  type RunOptions,
  type Stage,
} from '@overtone/contracts';
import { createAssertionSigner, createBus, createLog, worker, type Bus, type JobDelivery } from '@overtone/service-kit';
import { createDatabase, startNats, waitFor, type TestDatabase, type TestServer } from '@overtone/testkit';
import { connect, headers, type NatsConnection } from 'nats';
import { Client, type QueryResultRow } from 'pg';
import type { DispatcherEnv } from '../src/env.ts';
import { createTranscriptionDispatcher } from '../src/transcription-dispatcher.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
const signer = createAssertionSigner(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
export const assertionOf = (userId: string, role: 'user' | 'admin'): string =>
  signer('transcription-dispatcher', { userId, sessionId: randomUUID(), role, tokenExpiresAt: Date.now() + 60_000 });

export const log = createLog('test', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' });
export const password = 'secret';
export const busUsers = () => [
  ...serviceNames.map((user) => ({ user, password, ...natsUsers()[user] })),
  { user: 'test', password, publish: ['>'], subscribe: ['>'] },
];

/** A bus with the permissions of production, a database, and whatever the test puts between them. */
export type World = Awaited<ReturnType<typeof createWorld>>;
export const createWorld = async () => {
  const [nats, database] = await Promise.all([startNats({ users: busUsers() }), createDatabase()]);
  return worldOf(nats, database, database.urlFor('transcription_dispatcher'));
};

export const worldOf = async (nats: TestServer, database: Pick<TestDatabase, 'url'>, dispatcherUrl: string) => {
  const test = await connect({
    servers: nats.url,
    user: 'test',
    pass: password,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
  });
  const sql = async <R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<R[]> => {
    const client = new Client({ connectionString: database.url });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query<R>(text, values)).rows;
    } finally {
      await client.end();
    }
  };
  return { nats, database, dispatcherUrl, test, sql, emit: emitter(test), events: () => allEvents(test) };
};

const envFor = (w: Pick<World, 'nats' | 'dispatcherUrl'>): DispatcherEnv => ({
  SERVICE_HOST: '127.0.0.1',
  API_PORT: 0,
  INTERNAL_PORT: 0,
  LOG_LEVEL: 'fatal',
  LOG_FORMAT: 'text',
  DRAIN_DELAY_MS: 0,
  SHUTDOWN_GRACE_MS: 2_000,
  NATS_URL: w.nats.url,
  NATS_USER: 'transcription-dispatcher',
  NATS_PASSWORD: password,
  DATABASE_URL: w.dispatcherUrl,
  DB_POOL_SIZE: 5,
  DB_MAX_OVERFLOW: 5,
  ASSERTION_PUBLIC_KEY: publicPem,
  TRANSCRIPTION_MAX_INFRA_REQUEUES: 10,
  TRANSCRIPTION_INFRA_REQUEUE_ALERT_THRESHOLD: 1,
  ENABLE_VRAM_PROFILING: false,
  TRANSCRIPTION_EXPRESS_MAX_SECONDS: 300,
  TASK_MAX_DURATION_TRANSCRIPTION_SECONDS: 7_200,
});

/** The dispatcher in this process. */
export const startDispatcher = async (w: World, over: Partial<DispatcherEnv> = {}) => {
  const service = createTranscriptionDispatcher({ ...envFor(w), ...over });
  const ports = await service.start();
  // A connection each: on a slow machine one that is kept would be closed just as it is used again.
  const call = (method: string, path: string, assertion: string, body?: unknown) =>
    fetch(`http://127.0.0.1:${ports.apiPort}${path}`, {
      method,
      headers: { 'x-overtone-assertion': assertion, 'content-type': 'application/json', connection: 'close' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return {
    ...ports,
    stop: service.stop,
    get: (path: string, assertion: string) => call('GET', path, assertion),
    post: (path: string, assertion: string, body?: unknown) => call('POST', path, assertion, body),
    remove: (path: string, assertion: string) => call('DELETE', path, assertion),
    internal: async (path: string) =>
      (await fetch(`http://127.0.0.1:${ports.internalPort}${path}`, { headers: { connection: 'close' } })).text(),
  };
};

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
/** The dispatcher as a process of its own, to be killed. */
export const spawnDispatcher = async (w: World): Promise<{ kill9: () => Promise<void> }> => {
  const env = { ...envFor(w), LOG_LEVEL: 'info' };
  const child: ChildProcess = spawn(process.execPath, ['--no-warnings', main], {
    // No PATH is needed: it starts nothing.
    env: Object.fromEntries(Object.entries(env).map(([k, v]) => [k, String(v)])),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let output = '';
  child.stdout?.on('data', (part: Buffer) => {
    output += part.toString();
  });
  await waitFor(() => output.includes('ready'), { timeoutMs: 120_000 });
  return {
    kill9: async () => {
      child.kill('SIGKILL');
      await gone;
    },
  };
};

const emitter =
  (nc: NatsConnection) =>
  async <E extends EventDef>(
    event: E,
    data: DataOf<E>,
    id: string = randomUUID(),
    time = new Date(),
  ): Promise<string> => {
    const h = headers();
    h.set('ot-time', time.toISOString());
    h.set('ot-source', 'test');
    await waitFor(() => nc.jetstream().publish(event.subject, JSON.stringify(data), { msgID: id, headers: h }), {
      timeoutMs: 120_000,
    });
    return id;
  };

export type Said = { subject: string; data: Record<string, unknown> };
/** Everything the stream EVENTS holds, in order. */
const allEvents = async (nc: NatsConnection): Promise<Said[]> => {
  const jsm = await nc.jetstreamManager();
  const { state } = await jsm.streams.info('EVENTS');
  const out: Said[] = [];
  for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
    const msg = await jsm.streams.getMessage('EVENTS', { seq });
    out.push({ subject: msg.subject, data: msg.json() });
  }
  return out;
};

const noOptions: RunOptions = { language: null, minSpeakers: null, maxSpeakers: null, diarize: true };
/** A file as media tells of it. */
export const uploadedFile = (over: Partial<RunOptions> = {}) => ({
  fileId: randomUUID() as string,
  ownerId: randomUUID() as string,
  objectKey: 'original/x',
  contentType: 'audio/mpeg',
  bytes: 1_000,
  source: 'upload' as const,
  options: { ...noOptions, ...over },
});

const artefact = (stage: string, token: number) => `derived/${stage}-${token}.json`;
const engine = { provider: 'scripted', model: 'test', timing: 'engine' } as const;
/** Results that fit, by stage. */
export const outputs = {
  prepare: (token: number): OutputOf<typeof workerJobs.prepare> => ({
    artefact: artefact('prepare', token),
    audio: 'derived/audio.wav',
    waveform: 'derived/waveform.json',
    thumbnail: null,
    duration: 60,
    truncated: false,
    media: {
      format: 'mp3',
      audio_codec: 'mp3',
      video_codec: null,
      width: null,
      height: null,
      channels: 1,
      sample_rate: 16_000,
    },
    engine_seconds: 0.5,
  }),
  transcribe: (token: number): OutputOf<typeof workerJobs.transcribe> => ({
    artefact: artefact('transcribe', token),
    engine,
    language: 'en',
    words: 10,
    engine_seconds: 2,
  }),
  diarize: (token: number): OutputOf<typeof workerJobs.diarize> => ({
    artefact: artefact('diarize', token),
    provider: 'test',
    speakers: 2,
    degraded: null,
    engine_seconds: 1,
  }),
  assemble: (token: number) =>
    assembleOutput.parse({ artefact: artefact('assemble', token), segments: 3, speakers: 2, engine_seconds: 0 }),
  index: () => ({ artefact: null, chunks: 1, semantic: true, engine_seconds: 0.1 }),
};

type Done = { stage: Stage; input: Record<string, unknown>; token: number; attempt: number };
export type Script = Partial<
  Record<Stage, (d: JobDelivery, times: number, input: { fileId: string }) => Promise<void> | void>
>;
type WorkerKind = { workerId?: string; queues?: readonly Queue[]; express?: Partial<Record<Queue, number>> };

/** A worker that does every job at once and correctly, unless its script says otherwise. */
export const startWorker = async (w: World, script: Script = {}, kind: WorkerKind = {}) => {
  const { workerId = `test.${randomUUID()}`, queues: own = queues, express = {} } = kind;
  const concurrency = Object.fromEntries(queues.map((q) => [q, own.includes(q) ? 1 : 0]));
  const bus = createBus({ service: 'transcription-worker', url: w.nats.url, user: 'test', password, log });
  await bus.connect();
  const done: Done[] = [];
  const times = new Map<Stage, number>();
  const doing =
    <S extends Stage>(stage: S) =>
    async (input: unknown, d: JobDelivery) => {
      times.set(stage, (times.get(stage) ?? 0) + 1);
      await script[stage]?.(d, times.get(stage) ?? 0, input as { fileId: string });
      done.push({ stage, input: input as Record<string, unknown>, token: d.token, attempt: d.attempt });
      return outputs[stage](d.token) as ReturnType<(typeof outputs)[S]>;
    };
  const handlers = {
    prepare: doing('prepare'),
    transcribe: doing('transcribe'),
    diarize: doing('diarize'),
    assemble: doing('assemble'),
    index: doing('index'),
  };
  const running = worker(stageJobs, handlers, { workerId, concurrency, express }).start(bus);
  return {
    bus,
    done,
    workerId,
    stagesDone: () => done.map((d) => d.stage),
    stop: async () => {
      await running.stop();
      await bus.close();
    },
    /** As kill -9 would: nothing is said any more, nothing released, nothing acknowledged. */
    vanish: () => bus.nc().close(),
  };
};

/** Media's part: what was assembled is stored, and told of. */
export const startMedia = (w: World) => {
  const stored: string[] = [];
  const sub = w.test.subscribe(transcriptionEvents.stageCompleted.subject, {
    callback: (err, msg) => {
      if (err) return;
      const data = transcriptionEvents.stageCompleted.data.parse(msg.json());
      if (data.stage !== 'assemble') return;
      stored.push(data.runId);
      const { runId, fileId, ownerId } = data;
      void w.emit(mediaEvents.transcriptStored, { runId, fileId, ownerId, transcriptVersion: 1, provisional: false });
    },
  });
  return { stored, stop: () => sub.unsubscribe() };
};

export const statusOf = async (w: World, fileId: string): Promise<string | undefined> =>
  (
    await w.sql<{ status: string }>('select status from run where file_id = $1 order by created_at desc limit 1', [
      fileId,
    ])
  )[0]?.status;

export const announceWorker = async (
  bus: Bus,
  id: string,
  value: { pulls: string[]; engine: boolean; service?: string },
) => {
  const kv = await bus.kv('WORKERS');
  await kv.put(
    `worker.${id}`,
    JSON.stringify({
      service: value.service ?? 'transcription-worker',
      pulls: value.pulls,
      engine: value.engine ? engine : null,
      engineNote: null,
      expiresAt: Date.now() + 60_000,
    }),
  );
};

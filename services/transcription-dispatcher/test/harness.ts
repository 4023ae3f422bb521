import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { DataOf, EventDef, RunOptions } from '@overtone/contracts';
import { createAssertionSigner, createLog, parseKeyRing } from '@overtone/service-kit';
import { createDatabase, startNats, waitFor, type TestDatabase, type TestServer } from '@overtone/testkit';
import { busUsers } from '@overtone/testkit/bus';
import { connect, headers, type NatsConnection } from 'nats';
import { Client, type QueryResultRow } from 'pg';
import type { DispatcherEnv } from '../src/env.ts';
import { createTranscriptionDispatcher } from '../src/transcription-dispatcher.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
const signer = createAssertionSigner(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());

export function assertionOf(userId: string, role: 'user' | 'admin' | 'super_admin'): string {
  return signer('transcription-dispatcher', {
    userId,
    sessionId: randomUUID(),
    role,
    tokenExpiresAt: Date.now() + 60_000,
  });
}

export const log = createLog('test', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' });
export const password = 'secret';
const encryptionKey = randomBytes(32).toString('base64');

/** A broker with production permissions and a database; a test may put proxies in between. */
export type World = Awaited<ReturnType<typeof createWorld>>;

export async function createWorld() {
  const [nats, database] = await Promise.all([startNats({ users: busUsers(password) }), createDatabase()]);
  return createWorldOn(nats, database, database.urlFor('transcription_dispatcher'));
}

export async function createWorldOn(nats: TestServer, database: Pick<TestDatabase, 'url'>, dispatcherUrl: string) {
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
  const close = async () => {
    await test.close();
    await nats.stop();
  };
  return { nats, database, dispatcherUrl, test, sql, emit: emitter(test), events: () => allEvents(test), close };
}

function envFor(world: Pick<World, 'nats' | 'dispatcherUrl'>): DispatcherEnv {
  return {
    SERVICE_HOST: '127.0.0.1',
    API_PORT: 0,
    INTERNAL_PORT: 0,
    LOG_LEVEL: 'fatal',
    LOG_FORMAT: 'text',
    DRAIN_DELAY_MS: 0,
    SHUTDOWN_GRACE_MS: 2_000,
    NATS_URL: world.nats.url,
    NATS_USER: 'transcription-dispatcher',
    NATS_PASSWORD: password,
    DATABASE_URL: world.dispatcherUrl,
    DB_POOL_SIZE: 5,
    DB_MAX_OVERFLOW: 40,
    ASSERTION_PUBLIC_KEY: publicPem,
    TRANSCRIPTION_MAX_INFRA_REQUEUES: 10,
    TRANSCRIPTION_INFRA_REQUEUE_ALERT_THRESHOLD: 1,
    ENABLE_VRAM_PROFILING: false,
    OT_OUTBOUND_ALLOWED_RANGES: '10.20.0.0/16',
    TRANSCRIPTION_EXPRESS_MAX_SECONDS: 300,
    TASK_MAX_DURATION_TRANSCRIPTION_SECONDS: 7_200,
    keyRing: () => parseKeyRing(encryptionKey),
  };
}

/** Starts the dispatcher in the test's process. */
export type Dispatcher = Awaited<ReturnType<typeof startDispatcher>>;

export async function startDispatcher(world: World, over: Partial<DispatcherEnv> = {}) {
  const service = createTranscriptionDispatcher({ ...envFor(world), ...over });
  const ports = await service.start();
  // One connection per request: a kept one could be closed by the server while it is reused.
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
    put: (path: string, assertion: string, body: unknown) => call('PUT', path, assertion, body),
    remove: (path: string, assertion: string) => call('DELETE', path, assertion),
    internal: async (path: string) =>
      (await fetch(`http://127.0.0.1:${ports.internalPort}${path}`, { headers: { connection: 'close' } })).text(),
  };
}

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
/** Starts the dispatcher as a separate process that a test can kill. */
export async function spawnDispatcher(world: World): Promise<{ kill9: () => Promise<void> }> {
  const { keyRing: _, ...given } = envFor(world);
  const env = { ...given, ENCRYPTION_KEY: encryptionKey, LOG_LEVEL: 'info' };
  const child: ChildProcess = spawn(process.execPath, ['--no-warnings', main], {
    // Needs no PATH, because it starts no other process.
    env: Object.fromEntries(Object.entries(env).map(([key, value]) => [key, String(value)])),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let output = '';
  child.stdout?.on('data', (part: Buffer) => {
    output += part.toString();
  });
  await waitFor(() => output.includes('ready'));
  return {
    kill9: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function emitter(nc: NatsConnection) {
  return async <E extends EventDef>(
    event: E,
    data: DataOf<E>,
    id: string = randomUUID(),
    time = new Date(),
  ): Promise<string> => {
    const messageHeaders = headers();
    messageHeaders.set('ot-time', time.toISOString());
    messageHeaders.set('ot-source', 'test');
    await waitFor(() =>
      nc
        .jetstream({ timeout: 30_000 })
        .publish(event.subject, JSON.stringify(data), { msgID: id, headers: messageHeaders }),
    );
    return id;
  };
}

export type PublishedEvent = { subject: string; data: Record<string, unknown> };
/** All events of the stream EVENTS in order. */
async function allEvents(nc: NatsConnection): Promise<PublishedEvent[]> {
  const jsm = await nc.jetstreamManager();
  const { state } = await jsm.streams.info('EVENTS');
  const out: PublishedEvent[] = [];
  for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
    const msg = await jsm.streams.getMessage('EVENTS', { seq });
    out.push({ subject: msg.subject, data: msg.json() });
  }
  return out;
}

const noOptions: RunOptions = { language: null, minSpeakers: null, maxSpeakers: null, diarize: true };
/** The data of media's `file.uploaded` event. */
export function uploadedFile(over: Partial<RunOptions> = {}) {
  return {
    fileId: randomUUID() as string,
    ownerId: randomUUID() as string,
    objectKey: 'original/x',
    contentType: 'audio/mpeg',
    bytes: 1_000,
    source: 'upload' as const,
    options: { ...noOptions, ...over },
  };
}

export async function statusOf(world: World, fileId: string): Promise<string | undefined> {
  return (
    await world.sql<{ status: string }>('select status from run where file_id = $1 order by created_at desc limit 1', [
      fileId,
    ])
  )[0]?.status;
}

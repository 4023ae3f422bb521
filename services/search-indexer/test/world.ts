import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  dispatcherRpc,
  identityRpc,
  indexerJobs,
  indexOutput,
  mediaRpc,
  voiceJobs,
  workerRpc,
  type DataOf,
  type EventDef,
  type FileAccess,
  type ServiceName,
} from '@overtone/contracts';
import { createAssertionSigner, createBus, createLog, type Bus } from '@overtone/service-kit';
import { assertionKeys, createDatabase, startNats } from '@overtone/testkit';
import { busUsers, patient, provisionJobs } from '@overtone/testkit/bus';
import { connect, headers, type NatsConnection } from 'nats';
import { z } from 'zod';
import { indexerEnv } from '../src/env.ts';
import { createSearchIndexer } from '../src/search-indexer.ts';
import { createLibrary, dim, meaningOf, type Recording } from './library.ts';

const log = createLog('test', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' });
const password = 'secret';
const { publicKey, privateKey } = assertionKeys();
const sign = createAssertionSigner(privateKey);

/** Streams and consumers that the dispatcher creates at start. */
async function provision(nc: NatsConnection): Promise<void> {
  const jsm = await nc.jetstreamManager();
  await jsm.streams.add({ name: 'EVENTS', subjects: ['evt.>'] });
  await provisionJobs(nc, { ...indexerJobs, ...voiceJobs });
}

/** Shares and memberships from before the indexer's start. */
export type Known = { memberships: { userId: string; groupIds: string[]; version: number }[]; shared: FileAccess[] };

/** Fakes of the RPCs of identity, media, worker and dispatcher. */
async function startUpstreamFakes(url: string, library: ReturnType<typeof createLibrary>, known: Known) {
  const completed: z.infer<typeof indexOutput>[] = [];
  const buses: Bus[] = [];
  const as = async (service: ServiceName): Promise<Bus> => {
    const bus = patient(createBus({ service, url, user: service, password, log }));
    await bus.connect();
    buses.push(bus);
    return bus;
  };
  const media = await as('media');
  media.serve(mediaRpc.transcriptPage, async ({ fileId, offset, limit }) => {
    const found = library.files.get(fileId);
    const segments = (found?.segments ?? []).slice(offset, offset + limit);
    return {
      file: found?.file ?? null,
      segments: segments.map((segment) => ({
        ...segment,
        words: segment.words.map((word) => ({ ...word, confidence: null })),
      })),
      total: found?.segments.length ?? 0,
    };
  });
  media.serve(mediaRpc.listShared, async ({ after }) => ({ files: after === null ? known.shared : [] }));
  (await as('identity')).serve(identityRpc.memberships, async ({ after }) => ({
    users: after === null ? known.memberships : [],
  }));
  media.serve(mediaRpc.listTranscribed, async ({ after, limit }) => ({
    files: await library.transcripts.list(after, limit),
  }));
  (await as('transcription-worker')).serve(workerRpc.embed, async ({ texts }) => ({
    model: 'meanings-1',
    dim,
    vectors: texts.map((text) => Buffer.from((meaningOf(text) ?? new Float32Array(dim)).buffer).toString('base64')),
  }));
  const dispatcher = await as('transcription-dispatcher');
  const waiting: { taskId: string; input: unknown }[] = [];
  const { subject } = indexerJobs.index;
  dispatcher.serve(dispatcherRpc.claim, async () => {
    const task = waiting.shift();
    if (!task) return { outcome: 'gone' as const };
    return { outcome: 'claimed' as const, ...task, subject, token: 1, attempt: 1, traceparent: null };
  });
  dispatcher.serve(dispatcherRpc.complete, async ({ output }) => {
    completed.push(indexOutput.parse(output));
    return { outcome: 'accepted' as const };
  });
  await Promise.all(buses.map((bus) => bus.nc().flush()));
  return { completed, waiting, connectAs: as, close: () => Promise.all(buses.map((bus) => bus.close())) };
}

type Caller = { userId?: string; role?: 'user' | 'admin'; method?: string; body?: unknown };

/** What the service needs, without the service: a test starts it as a process of its own, or in this one. */
export async function startSurroundings(known: Known = { memberships: [], shared: [] }) {
  const [nats, database] = await Promise.all([startNats({ users: busUsers(password) }), createDatabase()]);
  const nc = await connect({ servers: nats.url, user: 'test', pass: password });
  await provision(nc);
  const library = createLibrary();
  const upstream = await startUpstreamFakes(nats.url, library, known);
  const directory = await mkdtemp(join(tmpdir(), 'overtone-indexer-'));
  const environment = {
    API_PORT: '0',
    INTERNAL_PORT: '0',
    LOG_LEVEL: 'fatal',
    SHUTDOWN_GRACE_MS: '2000',
    NATS_URL: nats.url,
    NATS_USER: 'search-indexer',
    NATS_PASSWORD: password,
    DATABASE_URL: database.urlFor('search_indexer'),
    DB_POOL_SIZE: '4',
    DB_MAX_OVERFLOW: '40',
    ASSERTION_PUBLIC_KEY: publicKey,
    LANCEDB_DIR: directory,
    ELASTICSEARCH_INDEX_PREFIX: 'test',
    SEARCH_SIMILARITY_FLOOR: '0.5',
  };
  return {
    library,
    upstream,
    nc,
    database,
    directory,
    environment,
    /** Connects to the broker as another service. */
    connectAs: upstream.connectAs,
    emit: async <E extends EventDef>(event: E, data: DataOf<E>): Promise<void> => {
      const messageHeaders = headers();
      messageHeaders.set('Nats-Msg-Id', randomUUID());
      await nc.jetstream({ timeout: 30_000 }).publish(event.subject, JSON.stringify(data), { headers: messageHeaders });
    },
    /** Sends a request to the service that listens on a port. */
    callAt: async (port: number, path: string, caller: Caller | null = {}) => {
      const { userId = randomUUID(), role = 'user', method = 'GET', body } = caller ?? {};
      const who = caller && { userId, sessionId: randomUUID(), role, tokenExpiresAt: Date.now() + 60_000 };
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { 'x-overtone-assertion': sign('search-indexer', who), 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> };
    },
    close: async () => {
      await upstream.close();
      await nc.close();
      await Promise.all([nats.stop(), database.drop(), rm(directory, { recursive: true, force: true })]);
    },
  };
}

/** Starts the service with its own bus user and database role. */
export async function startWorld(known?: Known) {
  const { upstream, close, callAt, environment, ...surroundings } = await startSurroundings(known);
  const { nc } = surroundings;
  const service = await createSearchIndexer(z.object(indexerEnv).parse(environment));
  const { apiPort, internalPort } = await service.start();
  return {
    ...surroundings,
    completed: upstream.completed,
    internal: `http://127.0.0.1:${internalPort}`,
    /** Sends an RPC to the service. */
    request: async (subject: string, request: unknown): Promise<unknown> =>
      (await nc.request(subject, JSON.stringify(request), { timeout: 10_000 })).json<{ ok: unknown }>().ok,
    order: async ({ file }: Recording): Promise<void> => {
      const { fileId, ownerId, transcriptVersion } = file;
      const input = { runId: randomUUID(), fileId, ownerId, earlier: {}, transcriptVersion };
      const taskId = randomUUID();
      upstream.waiting.push({ taskId, input });
      await nc.jetstream({ timeout: 30_000 }).publish(indexerJobs.index.subject, JSON.stringify({ taskId }));
    },
    call: (path: string, caller?: Caller | null) => callAt(apiPort, path, caller),
    stop: async () => {
      await service.stop();
      await close();
    },
  };
}

import { randomUUID } from 'node:crypto';
import {
  dispatcherRpc,
  identityRpc,
  insightsJobs,
  workerRpc,
  type DataOf,
  type EventDef,
  type Role,
} from '@overtone/contracts';
import { createDatabase as openDatabase, databaseEnv } from '@overtone/database';
import { assertionHeader, createAssertionSigner, createLog, createMetrics, readEnv } from '@overtone/service-kit';
import { assertionKeys, createDatabase, startNats } from '@overtone/testkit';
import { busUsers, provisionJobs } from '@overtone/testkit/bus';
import { cleanUpAfterFile } from '@overtone/testkit/cleanup';
import { connect, headers, type NatsConnection } from 'nats';
import { Client, type QueryResultRow } from 'pg';
import { env } from '../src/env.ts';
import { PrismaClient } from '../src/generated/client.ts';
import { createInsights } from '../src/insights.ts';

export type TestUser = { userId: string; role: Role };
export type Message = { subject: string; data: Record<string, unknown> };

const keys = assertionKeys();
const sign = createAssertionSigner(keys.privateKey);
const password = 'secret';

export function newUser(role: Role = 'user'): TestUser {
  return { userId: randomUUID(), role };
}

type Vectors = { areAvailable: boolean; requested: string[] };

/** Fakes identity, the dispatcher and a worker: every user but strangers has a name, and no queue is paused. */
function serveUpstreams(nats: NatsConnection, strangers: ReadonlySet<string>, vectors: Vectors): void {
  nats.subscribe(identityRpc.names.subject, {
    callback: (_, message) => {
      const { userIds } = message.json<{ userIds: string[] }>();
      const users = userIds
        .filter((userId) => !strangers.has(userId))
        .map((userId) => ({ userId, email: '', fullName: `Name of ${userId}` }));
      message.respond(JSON.stringify({ ok: { users } }));
    },
  });
  nats.subscribe(dispatcherRpc.paused.subject, {
    callback: (_, message) => void message.respond(JSON.stringify({ ok: { paused: false } })),
  });
  nats.subscribe(workerRpc.embed.subject, {
    callback: (_, message) => {
      const { texts } = message.json<{ texts: string[] }>();
      vectors.requested.push(...texts);
      const unavailable = { kind: 'unavailable', code: 'model_invalid', message: 'no vectors' };
      const encoded = texts.map((text) => Buffer.from(Float32Array.of(text.length, 1).buffer).toString('base64'));
      const ok = { model: 'lengths', dim: 2, vectors: encoded };
      message.respond(JSON.stringify(vectors.areAvailable ? { ok } : { error: unavailable }));
    },
  });
}

/** The service with its own database and broker, with the permissions of production, until the end of the file. */
export async function startWorld(more: Record<string, string> = {}) {
  const [database, server] = await Promise.all([createDatabase(), startNats({ users: busUsers(password) })]);
  const nats = await connect({ servers: server.url, user: 'test', pass: password });
  const jsm = await nats.jetstreamManager();
  await jsm.streams.add({ name: 'EVENTS', subjects: ['evt.>'] });
  await provisionJobs(nats, insightsJobs);
  const strangers = new Set<string>();
  const vectors: Vectors = { areAvailable: true, requested: [] };
  serveUpstreams(nats, strangers, vectors);
  const messages: Message[] = [];
  nats.subscribe('evt.>', {
    callback: (_, message) => void messages.push({ subject: message.subject, data: message.json() }),
  });
  const sqlClient = new Client({ connectionString: database.url });
  sqlClient.on('error', () => {});
  await sqlClient.connect();
  const environment = {
    API_PORT: '0',
    INTERNAL_PORT: '0',
    LOG_LEVEL: 'fatal',
    NATS_URL: server.url,
    NATS_USER: 'insights',
    NATS_PASSWORD: password,
    DATABASE_URL: database.urlFor('insights'),
    ASSERTION_PUBLIC_KEY: keys.publicKey,
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    // Scripted servers of language models.
    OT_OUTBOUND_ALLOWED_RANGES: '127.0.0.1/32',
    DRAIN_DELAY_MS: '0',
    ...more,
  };
  const service = createInsights(env(environment));
  const { apiPort, internalPort } = await service.start();
  const { db, part } = openDatabase(
    {
      env: readEnv(databaseEnv, { DATABASE_URL: database.urlFor('insights') }),
      name: 'insights',
      metrics: createMetrics(),
      log: createLog('insights', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'text' }),
    },
    (options) => new PrismaClient(options),
  );
  cleanUpAfterFile(async () => {
    await service.stop();
    await part.stop();
    await sqlClient.end();
    await nats.close();
    await Promise.all([database.drop(), server.stop()]);
  });
  return {
    nats,
    strangers,
    vectors,
    database,
    /** For another replica. */
    environment,
    base: `http://127.0.0.1:${apiPort}`,
    sign,
    /** A client with the role of the service, for what has no route. */
    db,
    messages,
    metrics: async () => await (await fetch(`http://127.0.0.1:${internalPort}/metrics`)).text(),
    call: async <T = Record<string, unknown>>(
      caller: TestUser,
      method: string,
      path: string,
      body?: unknown,
    ): Promise<{ status: number; body: T }> => {
      const assertion = sign('insights', {
        ...caller,
        sessionId: randomUUID(),
        tokenExpiresAt: Date.now() + 3_600_000,
      });
      const response = await fetch(`http://127.0.0.1:${apiPort}${path}`, {
        method,
        headers: {
          [assertionHeader]: assertion,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: (text ? JSON.parse(text) : {}) as T };
    },
    sql: async <R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<R[]> =>
      (await sqlClient.query<R>(text, values)).rows,
    eventsOf: (subject: string) => messages.filter((message) => message.subject === subject).map(({ data }) => data),
    /** Publishes an event of another service. */
    emit: async <E extends EventDef>(event: E, data: DataOf<E>): Promise<void> => {
      const messageHeaders = headers();
      messageHeaders.set('ot-time', new Date().toISOString());
      messageHeaders.set('Nats-Msg-Id', randomUUID());
      await nats
        .jetstream({ timeout: 30_000 })
        .publish(event.subject, JSON.stringify(data), { headers: messageHeaders });
    },
  };
}

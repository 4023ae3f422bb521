import { randomUUID } from 'node:crypto';
import {
  identityRpc,
  insightsJobs,
  type DataOf,
  type EventDef,
  type Role,
  type ServiceName,
} from '@overtone/contracts';
import { assertionHeader, createAssertionSigner, createBus, createLog, type Bus } from '@overtone/service-kit';
import { assertionKeys, createDatabase, startNats } from '@overtone/testkit';
import { busUsers, provisionJobs } from '@overtone/testkit/bus';
import { connect, headers, type NatsConnection } from 'nats';
import { Client, type QueryResultRow } from 'pg';
import { env } from '../src/env.ts';
import { createInsights } from '../src/insights.ts';

const log = createLog('test', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' });
const keys = assertionKeys();
const sign = createAssertionSigner(keys.privateKey);
const password = 'secret';
export const encryptionKey = Buffer.alloc(32, 7).toString('base64');

export type Person = { userId: string; role: Role; name: string };
export type Body = Record<string, unknown>;
export type Answer = { status: number; body: Body };

export function buildPerson(role: Role = 'user', name = `Person ${role}`): Person {
  return { userId: randomUUID(), role, name };
}

/** The client of one person at a running service. */
function clientOf(apiPort: number) {
  return async (person: Person, method: string, path: string, json?: unknown): Promise<Answer> => {
    const { userId, role } = person;
    const assertion = sign('insights', { userId, sessionId: userId, role, tokenExpiresAt: Date.now() + 3_600_000 });
    const response = await fetch(`http://127.0.0.1:${apiPort}/api${path}`, {
      method,
      headers: { [assertionHeader]: assertion, ...(json === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text ? JSON.parse(text) : {}) as Body };
  };
}

/** Streams and consumers that the dispatcher creates at start. */
async function provision(nats: NatsConnection): Promise<void> {
  const jsm = await nats.jetstreamManager();
  await jsm.streams.add({ name: 'EVENTS', subjects: ['evt.>'] });
  await provisionJobs(nats, insightsJobs);
}

/** Real PostgreSQL and NATS with the permissions of production. */
export async function createWorld() {
  const [database, server] = await Promise.all([createDatabase(), startNats({ users: busUsers(password) })]);
  const nats = await connect({ servers: server.url, user: 'test', pass: password });
  await provision(nats);
  const sqlClient = new Client({ connectionString: database.url });
  sqlClient.on('error', () => {});
  await sqlClient.connect();
  const buses: Bus[] = [];
  /** The bus of another service, to serve its RPCs in a test. */
  const busOf = async (service: ServiceName): Promise<Bus> => {
    const bus = createBus({ service, url: server.url, user: service, password, log });
    await bus.connect();
    buses.push(bus);
    return bus;
  };
  const people = new Map<string, Person>();
  (await busOf('identity')).serve(identityRpc.names, async ({ userIds }) => ({
    users: userIds.flatMap((userId) => {
      const person = people.get(userId);
      return person ? [{ userId, email: `${userId}@example.org`, fullName: person.name }] : [];
    }),
  }));
  const started: { stop: () => Promise<void> }[] = [];
  const variables = (more: Record<string, string> = {}): Record<string, string> => ({
    API_PORT: '0',
    INTERNAL_PORT: '0',
    LOG_LEVEL: 'fatal',
    NATS_URL: server.url,
    NATS_USER: 'insights',
    NATS_PASSWORD: password,
    DATABASE_URL: database.urlFor('insights'),
    ASSERTION_PUBLIC_KEY: keys.publicKey,
    ENCRYPTION_KEY: encryptionKey,
    OT_OUTBOUND_ALLOWED_RANGES: '127.0.0.1/32',
    DRAIN_DELAY_MS: '0',
    ...more,
  });

  return {
    nats,
    database,
    busOf,
    variables,
    /** A person whose name identity knows. */
    person: (role: Role = 'user', name?: string): Person => {
      const person = buildPerson(role, name);
      people.set(person.userId, person);
      return person;
    },
    /** As the owner of the database. */
    sql: async <R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<R[]> =>
      (await sqlClient.query<R>(text, values)).rows,
    /** Starts the service in this process. */
    start: async (more: Record<string, string> = {}) => {
      const service = createInsights(env(variables(more)));
      const { apiPort, internalPort } = await service.start();
      started.push(service);
      return {
        ask: clientOf(apiPort),
        metrics: async () => await (await fetch(`http://127.0.0.1:${internalPort}/metrics`)).text(),
        stop: service.stop,
      };
    },
    publish: async <E extends EventDef>(event: E, data: DataOf<E>): Promise<void> => {
      const extra = headers();
      extra.set('Nats-Msg-Id', randomUUID());
      await nats.jetstream().publish(event.subject, JSON.stringify(data), { headers: extra });
    },
    stop: async (): Promise<void> => {
      for (const service of started) await service.stop();
      await Promise.all(buses.map((bus) => bus.close()));
      await sqlClient.end();
      await nats.close();
      await Promise.all([database.drop(), server.stop()]);
    },
  };
}

export type World = Awaited<ReturnType<typeof createWorld>>;

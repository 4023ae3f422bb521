import { randomUUID } from 'node:crypto';
import {
  dispatcherRpc,
  identityEvents,
  identityRpc,
  maskedAudioJobs,
  redactionJobs,
  type DataOf,
  type EventDef,
  type FileObject,
  type Problem,
  type Role,
  type ServiceName,
} from '@overtone/contracts';
import { assertionHeader, createAssertionSigner, createBus, createLog, type Bus } from '@overtone/service-kit';
import { createDatabase, startNats, waitFor, assertionKeys, wavHeader } from '@overtone/testkit';
import { patient, provisionJobs } from '@overtone/testkit/bus';
import { cleanUpAfterFile, createFolder } from '@overtone/testkit/cleanup';
import { connect, headers, type NatsConnection } from 'nats';
import type { SpeechAbilities } from '../src/ports/languages.adapter.ts';
import { Pool } from 'pg';
import { env } from '../src/env.ts';
import { createMedia } from '../src/media.ts';
import { createTusClient } from './tus.ts';

export type TestUser = { userId: string; role: Role };
export type Reply<T> = { status: number; body: T };
/** The uploaded file, or the problem. */
type Uploaded = Omit<FileObject, 'status'> & Omit<Problem, 'status'> & { status: unknown; duplicate_file_uuid: string };
type Sent = { name?: string; fields?: Record<string, string>; type?: string };
export type Message = { subject: string; data: Record<string, unknown> };

export function newUser(role: Role = 'user'): TestUser {
  return { userId: randomUUID(), role };
}

const { publicKey, privateKey } = assertionKeys();
const sign = createAssertionSigner(privateKey);

type Membership = { userId: string; groupIds: string[]; version: number };

/** Fakes identity's RPCs: every user exists except `strangers`, with the names in `names`; accounts are found by those in `accounts`. */
function fakeIdentity(nc: NatsConnection, memberships: Membership[]) {
  const strangers = new Set<string>();
  const accounts = new Map<string, string>();
  const names = new Map<string, string>();
  const serve = <T>(subject: string, response: (request: T) => unknown) =>
    nc.subscribe(subject, {
      callback: (_, msg) => void msg.respond(JSON.stringify({ ok: response(msg.json<T>()) })),
    });
  serve<{ userIds: string[] }>(identityRpc.names.subject, ({ userIds }) => ({
    users: userIds
      .filter((id) => !strangers.has(id))
      .map((userId) => ({
        userId,
        email: '',
        fullName: names.get(userId) ?? '',
      })),
  }));
  serve<{ names: string[] }>(identityRpc.findAccounts.subject, ({ names }) => ({
    accounts: names.flatMap((name) => {
      const userId = accounts.get(name);
      return userId === undefined ? [] : [{ name, userId }];
    }),
  }));
  serve<{ after: string | null }>(identityRpc.memberships.subject, ({ after }) => ({
    users: memberships.filter(({ userId }) => userId > (after ?? '')).slice(0, 2),
  }));
  return { strangers, accounts, names };
}

/** Fakes the dispatcher's RPCs: what the speech engines can do, and that no queue is paused. */
function fakeDispatcher(nc: NatsConnection, speech: Speech): void {
  nc.subscribe(dispatcherRpc.languages.subject, {
    callback: (_, msg) => void msg.respond(JSON.stringify({ ok: speech })),
  });
  nc.subscribe(dispatcherRpc.paused.subject, {
    callback: (_, msg) => void msg.respond(JSON.stringify({ ok: { paused: false } })),
  });
}

type Speech = Partial<SpeechAbilities> & Pick<SpeechAbilities, 'languages'>;

/** The service with its own database, broker and folder until the end of the file. */
export async function startMedia(
  settings: Record<string, string> = {},
  memberships: Membership[] = [],
  languages: string[] | null = null,
  speech: Omit<Speech, 'languages'> = {},
) {
  const folder = await createFolder();
  const [database, nats] = await Promise.all([createDatabase(), startNats()]);
  const nc = await connect({ servers: nats.url });
  const jsm = await nc.jetstreamManager();
  await jsm.streams.add({ name: 'EVENTS', subjects: ['evt.>'] });
  await provisionJobs(nc, { ...redactionJobs, ...maskedAudioJobs });
  const { strangers, accounts, names } = fakeIdentity(
    nc,
    memberships.toSorted((left, right) => (left.userId < right.userId ? -1 : 1)),
  );
  fakeDispatcher(nc, { languages, ...speech });
  const messages: Message[] = [];
  nc.subscribe('evt.media.>', {
    callback: (_, msg) => void messages.push({ subject: msg.subject, data: msg.json() }),
  });
  const environment: Record<string, string> = {
    API_PORT: '0',
    INTERNAL_PORT: '0',
    LOG_LEVEL: 'fatal',
    NATS_URL: nats.url,
    DATABASE_URL: database.urlFor('media'),
    ASSERTION_PUBLIC_KEY: publicKey,
    OBJECT_STORE_DIR: folder,
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    ...settings,
  };
  const service = createMedia(env(environment));
  const { apiPort, internalPort } = await service.start();
  const pool = new Pool({ connectionString: database.url, max: 2 });
  const base = `http://127.0.0.1:${apiPort}`;

  const call = (person: TestUser | null, method: string, path: string, init: RequestInit = {}): Promise<Response> => {
    const caller = person && { ...person, sessionId: randomUUID(), tokenExpiresAt: Date.now() + 60_000 };
    const requestHeaders = new Headers(init.headers);
    requestHeaders.set(assertionHeader, sign('media', caller));
    return fetch(base + path, { ...init, method, headers: requestHeaders });
  };

  /** Publishes an event of another service. */
  const emit = async <E extends EventDef>(event: E, data: DataOf<E>, time = new Date()): Promise<void> => {
    const messageHeaders = headers();
    messageHeaders.set('ot-time', time.toISOString());
    messageHeaders.set('Nats-Msg-Id', randomUUID());
    await nc.jetstream({ timeout: 30_000 }).publish(event.subject, JSON.stringify(data), { headers: messageHeaders });
  };
  let version = 0;
  const buses: Bus[] = [];
  cleanUpAfterFile(async () => {
    await Promise.all(buses.map((bus) => bus.close()));
    await service.stop();
    await pool.end();
    await nc.close();
    await nats.stop();
    await database.drop();
  });

  return {
    strangers,
    /** Active accounts by name. */
    accounts,
    /** Full names by id. */
    names,
    base,
    internal: `http://127.0.0.1:${internalPort}`,
    folder,
    environment,
    pool,
    messages,
    nats,
    call,
    tus: createTusClient(call),
    /** Connects to the broker as another service. */
    connectAs: async (name: ServiceName): Promise<Bus> => {
      const log = createLog('test', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' });
      const bus = patient(createBus({ service: name, url: nats.url, user: 'test', password: 'test', log }));
      await bus.connect();
      buses.push(bus);
      return bus;
    },
    assertion: (person: TestUser) =>
      sign('media', { ...person, sessionId: randomUUID(), tokenExpiresAt: Date.now() + 60_000 }),
    json: async <T = Problem>(person: TestUser, method: string, path: string, body?: unknown): Promise<Reply<T>> => {
      const init =
        body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
      const response = await call(person, method, path, init);
      const text = await response.text();
      return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as T };
    },
    upload: async (
      person: TestUser,
      bytes: Uint8Array,
      { name = 'talk.wav', fields = {}, type = 'audio/wav' }: Sent = {},
    ): Promise<Reply<Uploaded>> => {
      const form = new FormData();
      for (const [field, value] of Object.entries(fields)) form.set(field, value);
      form.set('file', new Blob([new Uint8Array(bytes)], { type }), name);
      const response = await call(person, 'POST', '/api/files', { body: form });
      return {
        status: response.status,
        body: (await response.json()) as Uploaded,
      };
    },
    emit,
    /** Publishes the user's groups as identity does. */
    setGroups: ({ userId }: TestUser, groupIds: string[]): Promise<void> =>
      emit(identityEvents.membershipChanged, { userId, groupIds, version: (version += 1) }),
    eventsOf: (subject: string, fileId: string) =>
      messages.filter((message) => message.subject === subject && message.data['fileId'] === fileId),
    databaseUrl: database.url,
    query: async (sql: string, ...values: unknown[]) =>
      (await pool.query(sql, values)).rows as Record<string, unknown>[],
  };
}

export type Media = Awaited<ReturnType<typeof startMedia>>;
export { waitFor };

/** Status and error code of a refused request. */
export async function problemOf(response: Response): Promise<[status: number, code: string]> {
  return [response.status, ((await response.json()) as Problem).code];
}

/** One second of silence as WAV; `seed` makes the bytes unique. */
export function wav(seed = 0, samples = 16_000): Buffer {
  const data = Buffer.alloc(samples * 2);
  data.writeUInt32LE(seed, 0);
  return Buffer.concat([wavHeader(data.length, { rate: 16_000, channels: 1 }), data]);
}

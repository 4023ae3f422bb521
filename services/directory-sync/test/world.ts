import { randomUUID } from 'node:crypto';
import {
  identityRpc,
  directorySyncRpc,
  type ReplyOf,
  type RequestOf,
  type RpcDef,
  type DirectoryChange,
} from '@overtone/contracts';
import { assertionHeader, createAssertionSigner, unavailable } from '@overtone/service-kit';
import { assertionKeys, createDatabase, startNats, waitFor } from '@overtone/testkit';
import { busUsers } from '@overtone/testkit/bus';
import { AckPolicy, connect, RetentionPolicy, type NatsConnection } from 'nats';
import { Client, type QueryResultRow } from 'pg';
import { createDirectorySync } from '../src/directory-sync.ts';
import { directorySyncEnv } from '../src/env.ts';
import type { Account, Person } from '../src/plan/plan.ts';
import type { TakeSnapshot } from '../src/snapshot/snapshot.ts';
import { z } from 'zod';
import { rulesFor } from './rules.ts';

const keys = assertionKeys();
const sign = createAssertionSigner(keys.privateKey);
const admin = {
  userId: randomUUID(),
  sessionId: randomUUID(),
  role: 'super_admin',
  tokenExpiresAt: Date.now() + 3_600_000,
} as const;
const password = 'secret';

/** A fake directory: its people and its fault. */
export type FakeDirectory = {
  people: Person[];
  fault: string | null;
  /** Results of the recheck that differ from the snapshot, by user id. */
  recheckResults: Map<string, Person | null>;
  /** Runs while the snapshot is taken. */
  duringSnapshot: () => Promise<void>;
};
/** A fake identity service: its accounts and the changes that were requested. */
export type FakeIdentity = {
  accounts: Account[];
  applied: { passId: string; changes: DirectoryChange[] }[];
  /** The number of the batch that is applied, but whose reply is an error. */
  failingBatch: number | null;
};

async function createStreams(nats: NatsConnection): Promise<void> {
  const jsm = await nats.jetstreamManager();
  await jsm.streams.add({ name: 'EVENTS', subjects: ['evt.>'] });
  await jsm.streams.add({ name: 'JOBS', subjects: ['job.>'], retention: RetentionPolicy.Workqueue });
  await jsm.consumers.add('JOBS', {
    durable_name: 'cpu-directory',
    filter_subject: 'job.cpu.directory.*',
    ack_policy: AckPolicy.Explicit,
    // Longer than the five seconds after which a worker renews a delivery.
    ack_wait: 12_000_000_000,
  });
  await nats.jetstream({ timeout: 30_000 }).views.kv('LEASES', { history: 1 });
}

export function withChanges(account: Account, changes: readonly DirectoryChange[]): Account {
  const change = changes.find(({ userId }) => userId === account.userId);
  if (!change) return account;
  return change.disable
    ? { ...account, active: false, disabledBy: 'directory' }
    : { ...account, role: change.role ?? account.role };
}

export function doneOf({ userId, disable, role, expected, add, remove, adopt }: DirectoryChange) {
  return {
    userId,
    email: `${userId}@example.org`,
    login: null,
    disabled: disable && { ...disable, sessionsRevoked: 1 },
    role: role && { from: expected.role, to: role },
    added: add,
    removed: remove,
    adopted: adopt,
  };
}

export function columnsOf(accounts: readonly Account[]): ReplyOf<typeof directorySyncRpc.accounts> {
  return {
    userId: accounts.map((account) => account.userId),
    email: accounts.map((account) => account.email),
    login: accounts.map((account) => account.login),
    directoryId: accounts.map((account) => account.directoryId),
    authType: accounts.map((account) => account.authType),
    role: accounts.map((account) => account.role),
    active: accounts.map((account) => account.active),
    disabledBy: accounts.map((account) => account.disabledBy),
    fromDirectory: accounts.map((account) => [...account.fromDirectory]),
    byHand: accounts.map((account) => [...account.byHand]),
  };
}

function serveIdentity(nats: NatsConnection, identity: FakeIdentity): void {
  const serve = <R extends RpcDef>(def: R, handler: (request: RequestOf<R>) => ReplyOf<R>): void => {
    nats.subscribe(def.subject, {
      callback: (_err, msg) => {
        try {
          msg.respond(JSON.stringify({ ok: handler(def.request.parse(msg.json()) as RequestOf<R>) }));
        } catch (thrown) {
          const error = { kind: 'unavailable', code: 'internal_error', message: String(thrown) };
          msg.respond(JSON.stringify({ error }));
        }
      },
    });
  };
  serve(directorySyncRpc.accounts, ({ after, limit }) =>
    columnsOf(
      identity.accounts
        .filter(({ userId }) => after === null || userId > after)
        .sort((x, y) => (x.userId < y.userId ? -1 : 1))
        .slice(0, limit),
    ),
  );
  serve(directorySyncRpc.rules, () => rulesFor({}));
  serve(directorySyncRpc.apply, (request) => {
    identity.applied.push(request);
    identity.accounts = identity.accounts.map((account) => withChanges(account, request.changes));
    if (identity.applied.length === identity.failingBatch) throw new Error('the reply is lost');
    const results = request.changes.map(({ userId }) => ({ userId, outcome: 'applied' as const, sessionsRevoked: 1 }));
    return { results };
  });
  serve(directorySyncRpc.done, ({ passId, after, limit }) => ({
    done: identity.applied
      .filter((request) => request.passId === passId)
      .flatMap(({ changes }) => changes)
      .filter(({ userId }) => after === null || userId > after)
      .sort((x, y) => (x.userId < y.userId ? -1 : 1))
      .slice(0, limit)
      .map(doneOf),
  }));
  serve(identityRpc.names, ({ userIds }) => ({
    users: identity.accounts
      .filter((account) => userIds.includes(account.userId))
      .map(({ userId, email }) => ({ userId, email, fullName: email })),
  }));
  serve(directorySyncRpc.undo, ({ userIds }) => ({
    results: userIds.map((userId, i) => ({ userId, restored: i === 0, why: i === 0 ? '' : 'changed since' })),
  }));
}

function createTakeSnapshot(directory: FakeDirectory): TakeSnapshot {
  return async () => {
    await directory.duringSnapshot();
    if (directory.fault) throw unavailable('directory_unavailable', directory.fault);
    const people = {
      byId: (id: string) => directory.people.find((person) => person.id === id),
      byLogin: (login: string) => directory.people.find((person) => person.login === login),
    };
    return {
      people,
      seen: directory.people.length,
      proof: [{ code: 'pages', evidence: 'closed' }],
      recheck: async function* (accounts) {
        for (const account of accounts) {
          const result = directory.recheckResults.get(account.userId);
          yield result === undefined ? (people.byId(account.directoryId ?? '') ?? null) : result;
        }
      },
      requests: () => 3,
    };
  };
}

/** Real PostgreSQL and NATS with the permissions of production, a fake identity and a fake directory. */
export async function createWorld() {
  const [database, server] = await Promise.all([createDatabase(), startNats({ users: busUsers(password) })]);
  const nats = await connect({ servers: server.url, user: 'test', pass: password });
  await createStreams(nats);
  const identity: FakeIdentity = { accounts: [], applied: [], failingBatch: null };
  const directory: FakeDirectory = {
    people: [],
    fault: null,
    recheckResults: new Map(),
    duringSnapshot: async () => {},
  };
  serveIdentity(nats, identity);

  const start = async () => {
    const env = z.object(directorySyncEnv).parse({
      API_PORT: 0,
      INTERNAL_PORT: 0,
      LOG_LEVEL: 'fatal',
      NATS_URL: server.url,
      NATS_USER: 'directory-sync',
      NATS_PASSWORD: password,
      DATABASE_URL: database.urlFor('directory_sync'),
      ASSERTION_PUBLIC_KEY: keys.publicKey,
      DRAIN_DELAY_MS: 0,
    });
    const service = createDirectorySync(env, createTakeSnapshot(directory));
    const ports = await service.start();
    return {
      stop: service.stop,
      base: `http://127.0.0.1:${ports.apiPort}/api/admin/directory-sync`,
      metrics: async () => (await fetch(`http://127.0.0.1:${ports.internalPort}/metrics`)).text(),
    };
  };
  const first = await start();
  const sqlClient = new Client({ connectionString: database.url });
  sqlClient.on('error', () => {});
  await sqlClient.connect();
  const sql = async <R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<R[]> =>
    (await sqlClient.query<R>(text, values)).rows;

  const ask = async (method: string, path = '', json?: unknown, role: 'super_admin' | 'admin' = 'super_admin') => {
    const response = await fetch(first.base + path, {
      method,
      headers: {
        [assertionHeader]: sign('directory-sync', { ...admin, role }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text ? JSON.parse(text) : {}) as Record<string, unknown> };
  };
  const isFree = async (): Promise<boolean> =>
    (await sql<{ free: boolean }>('select until <= now() as free from directory_lease'))[0]?.free ?? false;
  /** Waits for the report of a sync run and for the release of its lease, so that the next sync run can start. */
  const report = async (passId: string): Promise<Record<string, unknown>> => {
    await waitFor(async () => (await ask('GET', `/passes/${passId}`)).status === 200);
    await waitFor(isFree);
    return (await ask('GET', `/passes/${passId}`)).body;
  };
  return {
    ask,
    sql,
    nats,
    identity,
    directory,
    start,
    metrics: first.metrics,
    report,
    /** Enqueues a sync run and waits for its report. */
    run: async (json: unknown = {}) => report(String((await ask('POST', '/run', json)).body['task_id'])),
    stop: async () => {
      await first.stop();
      await sqlClient.end();
      await nats.close();
      await Promise.all([database.drop(), server.stop()]);
    },
  };
}

/** A directory account and its person, with matching values except for the given fields. */
export function member(value: number, account: Partial<Account> = {}, person: Partial<Person> = {}) {
  const id = `entryUUID:${value}`;
  return {
    account: {
      userId: `00000000-0000-4000-8000-${String(value).padStart(12, '0')}`,
      email: `${value}@example.org`,
      login: `login-${value}`,
      directoryId: id,
      authType: 'ldap',
      role: 'user' as const,
      active: true,
      disabledBy: null,
      fromDirectory: [],
      byHand: [],
      ...account,
    } satisfies Account,
    person: {
      id,
      login: `login-${value}`,
      disabled: 'no' as const,
      admitted: 'yes' as const,
      admin: 'no' as const,
      claims: { known: true as const, values: [] },
      evidence: {},
      ...person,
    } satisfies Person,
  };
}

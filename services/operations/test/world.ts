import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { jobDurable, operationsJobs } from '@overtone/contracts';
import { createObjectStore } from '@overtone/object-store';
import { assertionHeader, createAssertionSigner } from '@overtone/service-kit';
import { assertionKeys, createDatabase, freePort, startNats, waitFor } from '@overtone/testkit';
import { busUsers } from '@overtone/testkit/bus';
import { createFolder } from '@overtone/testkit/cleanup';
import { AckPolicy, connect, RetentionPolicy, type NatsConnection } from 'nats';
import { Client, type QueryResultRow } from 'pg';
import { env } from '../src/env.ts';
import { createOperations } from '../src/operations.ts';

const keys = assertionKeys();
const sign = createAssertionSigner(keys.privateKey);
const password = 'secret';
const mainFile = join(import.meta.dirname, '../src/main.ts');
export const adminId = randomUUID();
export const encryptionKey = Buffer.alloc(32, 7).toString('base64');

export type Body = Record<string, unknown>;
export type Run = Body & { uuid: string; status: string; error_code: string | null };

/** The assertion of the edge about the caller of a request. */
function assertionOf(role: 'super_admin' | 'admin'): string {
  return sign('operations', { userId: adminId, sessionId: adminId, role, tokenExpiresAt: Date.now() + 3_600_000 });
}

/** What tests ask a running service. */
function clientOf(apiPort: number, internalPort: number) {
  const ask = async (
    method: string,
    path: string,
    json?: unknown,
    role: 'super_admin' | 'admin' = 'super_admin',
  ): Promise<{ status: number; body: Body }> => {
    const response = await fetch(`http://127.0.0.1:${apiPort}/api/admin${path}`, {
      method,
      headers: {
        [assertionHeader]: assertionOf(role),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text ? JSON.parse(text) : {}) as Body };
  };
  const runs = async (panel: string): Promise<Run[]> => (await ask('GET', `/${panel}/runs`)).body['items'] as Run[];
  /** Waits for the end of a run. */
  const ended = async (panel: string, runId: string): Promise<Run> =>
    await waitFor(async () =>
      (await runs(panel)).find(({ uuid, status }) => uuid === runId && ['success', 'failed'].includes(status)),
    );
  return {
    ask,
    runs,
    ended,
    url: `http://127.0.0.1:${apiPort}`,
    /** Requests a run and waits for its end. */
    run: async (panel: string): Promise<Run> =>
      await ended(panel, String((await ask('POST', `/${panel}/run`)).body['run_id'])),
    readiness: async () => {
      const response = await fetch(`http://127.0.0.1:${internalPort}/health/ready`);
      const { checks } = (await response.json()) as { checks: Record<string, string> };
      return { status: response.status, checks };
    },
    metrics: async () => await (await fetch(`http://127.0.0.1:${internalPort}/metrics`)).text(),
  };
}

/** An edge that knows one access token; commands of the documentation address it. */
export async function startEdge(serviceUrl: string) {
  const server = createServer((request, response) => {
    const answer = (status: number, body: string): void => void response.writeHead(status).end(body);
    if (request.url === '/api/auth/token')
      return answer(200, JSON.stringify({ access_token: 'token', token_type: 'bearer' }));
    if (request.headers.authorization !== 'Bearer token') return answer(401, '{"code":"not_authenticated"}');
    const headers = { [assertionHeader]: assertionOf('super_admin') };
    fetch(`${serviceUrl}${request.url}`, { method: request.method!, headers }).then(
      async (upstream) => answer(upstream.status, await upstream.text()),
      (error: unknown) => answer(502, String(error)),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => void (await new Promise((resolve) => server.close(resolve))),
  };
}

async function createStreams(nats: NatsConnection): Promise<void> {
  const jsm = await nats.jetstreamManager();
  await jsm.streams.add({ name: 'EVENTS', subjects: ['evt.>'] });
  await jsm.streams.add({ name: 'JOBS', subjects: ['job.>'], retention: RetentionPolicy.Workqueue });
  for (const job of Object.values(operationsJobs))
    await jsm.consumers.add('JOBS', {
      durable_name: jobDurable(job),
      filter_subject: `job.${job.queue}.${job.domain}.*`,
      ack_policy: AckPolicy.Explicit,
      ack_wait: 12_000_000_000,
    });
  await nats.jetstream({ timeout: 30_000 }).views.kv('LEASES', { history: 1 });
}

/** Real PostgreSQL and NATS with the permissions of production, and a folder for objects and one for backups. */
export async function createWorld() {
  const [database, server, folder] = await Promise.all([
    createDatabase(),
    startNats({ users: busUsers(password) }),
    createFolder(),
  ]);
  const nats = await connect({ servers: server.url, user: 'test', pass: password });
  await createStreams(nats);
  const objectsFolder = join(folder, 'objects');
  const objects = createObjectStore({ OBJECT_STORE_DIR: objectsFolder, OBJECT_STORE_RESERVE_BYTES: 0, S3_REGION: '' });
  const sqlClient = new Client({ connectionString: database.url });
  sqlClient.on('error', () => {});
  await sqlClient.connect();
  const sql = async <R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<R[]> =>
    (await sqlClient.query<R>(text, values)).rows;

  const variables = (more: Record<string, string> = {}): Record<string, string> => ({
    PATH: '/usr/local/bin:/usr/bin:/bin',
    OBJECT_STORE_RESERVE_BYTES: '0',
    API_PORT: '0',
    INTERNAL_PORT: '0',
    LOG_LEVEL: 'fatal',
    NATS_URL: server.url,
    NATS_USER: 'operations',
    NATS_PASSWORD: password,
    DATABASE_URL: database.urlFor('operations'),
    ASSERTION_PUBLIC_KEY: keys.publicKey,
    ENCRYPTION_KEY: encryptionKey,
    OBJECT_STORE_DIR: objectsFolder,
    DRAIN_DELAY_MS: '0',
    OT_BACKUP_ROOTS: `${folder}:/dev/shm`,
    OT_OUTBOUND_ALLOWED_RANGES: '127.0.0.1',
    ...more,
  });

  /** Starts the service in this process. */
  const start = async (more: Record<string, string> = {}) => {
    const service = createOperations(env(variables(more)));
    const { apiPort, internalPort } = await service.start();
    return { ...clientOf(apiPort, internalPort), stop: service.stop };
  };

  /** Starts the service in a process of its own, which can be killed. @param limit a command of the shell before it. */
  const startProcess = async (more: Record<string, string> = {}, limit = ':') => {
    const [apiPort, internalPort] = [await freePort(), await freePort()];
    const child = spawn('bash', ['-c', `${limit}; exec "$0" --no-warnings "$1"`, process.execPath, mainFile], {
      env: variables({ API_PORT: String(apiPort), INTERNAL_PORT: String(internalPort), ...more }),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const ended = once(child, 'exit');
    const client = clientOf(apiPort, internalPort);
    await waitFor(async () => (await client.ask('GET', '/backup/settings')).status === 200);
    return {
      ...client,
      pid: child.pid!,
      kill: async (signal: NodeJS.Signals = 'SIGKILL') => {
        child.kill(signal);
        await ended;
      },
    };
  };

  return {
    /** Of the owner of the database. */
    databaseUrl: database.url,
    sql,
    nats,
    objects,
    folder,
    variables,
    start,
    startProcess,
    /** A row of `media_file` that names an object. */
    nameObject: async (key: string): Promise<void> =>
      void (await sql(
        `insert into media_file (user_id, filename, title, object_key, content_type, file_size)
         values (gen_random_uuid(), 'a.wav', 'a', $1, 'audio/wav', 1)`,
        [key],
      )),
    stop: async () => {
      objects.close();
      await sqlClient.end();
      await nats.close();
      await Promise.all([database.drop(), server.stop()]);
    },
  };
}

export type OperationsClient = ReturnType<typeof clientOf>;

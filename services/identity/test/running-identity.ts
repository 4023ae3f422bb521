import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { createDatabase, startNats, type TestDatabase, type TestServer } from '@overtone/testkit';
import { cleanUpAfterFile, stopAfterFile } from '@overtone/testkit/cleanup';
import {
  assertionHeader,
  createAssertionSigner,
  createForwardedSigner,
  forwardedHeader,
  type Caller,
} from '@overtone/service-kit';
import { connect, type NatsConnection } from 'nats';
import { Client } from 'pg';
import { env as readEnv } from '../src/env.ts';
import { createIdentity } from '../src/identity.ts';

export const admin = { email: 'Ada.Admin@example.org', password: 'Correct-Horse-9' };
const secret = 'a secret of this test that is long enough';
export const encryptionKey = randomBytes(32).toString('base64');

const keys = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const sign = createAssertionSigner(keys.privateKey);
const signForwarded = createForwardedSigner(keys.privateKey);
/** The edge's statement that a proxy on this machine forwarded a client certificate. */
function forwardCertificate(pem: string): Record<string, string> {
  return {
    [forwardedHeader]: signForwarded({ peer: '127.0.0.1', headers: ['X-Client-Cert', encodeURIComponent(pem)] }),
  };
}

export type Answer = { status: number; body: Record<string, unknown>; cookies: string[]; headers: Headers };
type Ask = {
  method?: string;
  form?: Record<string, string>;
  json?: unknown;
  caller?: Caller | null;
  headers?: Record<string, string>;
};

/** A real database and a real broker until the end of the file. */
export async function startBackends() {
  const [database, nats] = await Promise.all([createDatabase(), startNats()]);
  const bus = await connect({ servers: nats.url });
  await (await bus.jetstreamManager()).streams.add({ name: 'EVENTS', subjects: ['evt.>'] });
  const sql = new Client({ connectionString: database.url });
  await sql.connect();
  cleanUpAfterFile(async () => {
    await sql.end();
    await bus.close();
    await Promise.all([database.drop(), nats.stop()]);
  });
  return { database, nats, bus, sql };
}

/** Identity and its servers until the end of the file. */
export async function setUpIdentity(overrides: Record<string, string> = {}) {
  const backends = await startBackends();
  return { backends, identity: await stopAfterFile(startIdentity(backends, overrides)) };
}

export async function startIdentity(
  backends: { database: TestDatabase; nats: TestServer },
  overrides: Record<string, string> = {},
) {
  const env = readEnv({
    API_PORT: '0',
    INTERNAL_PORT: '0',
    LOG_LEVEL: 'fatal',
    NATS_URL: backends.nats.url,
    DATABASE_URL: backends.database.urlFor('identity'),
    ASSERTION_PUBLIC_KEY: keys.publicKey,
    JWT_SECRET_KEY: secret,
    ENCRYPTION_KEY: encryptionKey,
    OT_ADMIN_EMAIL: admin.email,
    OT_ADMIN_PASSWORD: admin.password,
    ...overrides,
  });
  const service = createIdentity(env);
  const ports = await service.start();
  const base = `http://127.0.0.1:${ports.apiPort}`;

  const ask = async (path: string, ask: Ask = {}): Promise<Answer> => {
    const response = await fetch(base + path, {
      method: ask.method ?? (ask.form || ask.json !== undefined ? 'POST' : 'GET'),
      headers: {
        // The server could close a kept connection at the moment it is used again.
        connection: 'close',
        [assertionHeader]: sign('identity', ask.caller ?? null),
        ...(ask.json === undefined ? {} : { 'content-type': 'application/json' }),
        ...ask.headers,
      },
      ...(ask.form ? { body: new URLSearchParams(ask.form) } : {}),
      ...(ask.json === undefined ? {} : { body: JSON.stringify(ask.json) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: text ? (JSON.parse(text) as Record<string, unknown>) : {},
      cookies: response.headers.getSetCookie(),
      headers: response.headers,
    };
  };
  const signIn = (username: string, password: string, headers: Record<string, string> = {}): Promise<Answer> =>
    ask('/api/auth/token', { form: { username, password }, headers });

  const signInWithCertificate = (pem: string): Promise<Answer> =>
    ask('/api/auth/pki/authenticate', { method: 'POST', headers: forwardCertificate(pem) });

  const open = (path: string, caller: Caller, signal?: AbortSignal): Promise<Response> =>
    fetch(base + path, { headers: { [assertionHeader]: sign('identity', caller) }, ...(signal ? { signal } : {}) });

  return {
    ask,
    signIn,
    /** Through a proxy at 127.0.0.1; that address must be a trusted proxy. */
    signInWithCertificate,
    /** A response that is not JSON. */
    open,
    internal: `http://127.0.0.1:${ports.internalPort}`,
    /** Signs in. @returns the caller and the tokens of the session. */
    session: async (username = admin.email, password = admin.password) => {
      const { body, cookies } = await signIn(username, password);
      const csrfToken = /^csrf_token=([^;]+)/.exec(cookies[2] ?? '')?.[1] ?? '';
      const accessToken = String(body['access_token']);
      const claims = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString()) as {
        sub: string;
        sid: string;
        role: 'super_admin';
        exp: number;
      };
      const caller: Caller = {
        userId: claims.sub,
        sessionId: claims.sid,
        role: claims.role,
        tokenExpiresAt: claims.exp * 1000,
      };
      return { accessToken, refreshToken: String(body['refresh_token']), csrfToken, caller };
    },
    refresh: (refreshToken: string, headers: Record<string, string> = {}): Promise<Answer> =>
      ask('/api/auth/token/refresh', { json: { refresh_token: refreshToken }, headers }),
    resolve: async (accessToken: string): Promise<unknown> =>
      (await ask('/internal/sessions/resolve', { json: { accessToken } })).body['session'],
    stop: service.stop,
  };
}

export type RunningIdentity = Awaited<ReturnType<typeof startIdentity>>;

/** Collects the events of a subject. */
export function collectEvents(bus: NatsConnection, subject: string): Record<string, unknown>[] {
  const received: Record<string, unknown>[] = [];
  bus.subscribe(subject, { callback: (_err, msg) => void received.push(msg.json()) });
  return received;
}

/** An account like the first administrator's, with its password. */
export async function addUser(sql: Client, fields: Record<string, unknown> = {}) {
  const email = `user-${randomUUID().slice(0, 8)}@example.org`;
  const { rows } = await sql.query<{ uuid: string }>(
    `insert into "user" (email, full_name, password_hash)
     select $1, 'Una User', password_hash from "user" where role = 'super_admin' order by created_at limit 1 returning uuid`,
    [email],
  );
  const id = (rows[0] as { uuid: string }).uuid;
  for (const [column, value] of Object.entries(fields))
    await sql.query(`update "user" set ${column} = $1 where uuid = $2`, [value, id]);
  return { id, email, password: admin.password };
}

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, type ProcessSpec } from '@overtone/cli/servers';
import { createDatabase, type TestDatabase } from './database.ts';
import { start, startNats, type TestServer } from './servers.ts';

const services = fileURLToPath(new URL('../../../services', import.meta.url));

/** Identity as a process of its own, as it runs in an instance, on a database and a broker of its own. */
export type IdentityProcess = {
  readonly identity: TestServer;
  readonly database: TestDatabase;
  readonly nats: TestServer;
  /** The first administrator. */
  readonly admin: { readonly email: string; readonly password: string };
  readonly stop: () => Promise<void>;
};

/** Edge and identity, with nothing played. */
export type SignInProduct = {
  readonly edge: TestServer;
} & IdentityProcess;

/** @param env Settings of identity beyond what it needs to run. */
export async function startIdentity(env: Record<string, string> = {}): Promise<IdentityProcess> {
  const admin = { email: 'ada.admin@example.org', password: 'Correct-Horse-9' };
  const [database, nats] = await Promise.all([createDatabase(), startNats()]);
  const identity = await service('identity', {
    NATS_URL: nats.url,
    DATABASE_URL: database.urlFor('identity'),
    ASSERTION_PUBLIC_KEY: assertionKeys().publicKey,
    JWT_SECRET_KEY: randomBytes(32).toString('hex'),
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    RATE_LIMIT_ENABLED: 'false',
    OT_ADMIN_EMAIL: admin.email,
    OT_ADMIN_PASSWORD: admin.password,
    ...env,
  });
  return {
    identity,
    database,
    nats,
    admin,
    stop: async () => {
      await identity.stop();
      await Promise.all([database.drop(), nats.stop()]);
    },
  };
}

/**
 * Starts both on a database of their own.
 * @param env Settings of identity and of the edge beyond what they need to run.
 */
export async function startSignIn(env: {
  identity?: Record<string, string>;
  edge?: Record<string, string>;
}): Promise<SignInProduct> {
  const keys = assertionKeys();
  const inside = await startIdentity({ ASSERTION_PUBLIC_KEY: keys.publicKey, ...env.identity });
  const { url } = inside.identity;
  const edge = await service('edge-gateway', {
    NATS_URL: inside.nats.url,
    ASSERTION_PRIVATE_KEY: keys.privateKey,
    IDENTITY_URL: url,
    MEDIA_URL: url,
    TRANSCRIPTION_DISPATCHER_URL: url,
    SEARCH_INDEXER_URL: url,
    REALTIME_GATEWAY_URL: url,
    ...env.edge,
  });
  return {
    ...inside,
    edge,
    stop: async () => {
      await edge.stop();
      await inside.stop();
    },
  };
}

/** Another process may take a free port before the service does: then it is tried on others. */
function service(name: string, env: Record<string, string>): Promise<TestServer> {
  return attempt(name, env).catch(() => attempt(name, env));
}

/** PEM keys of the identity assertions. */
export function assertionKeys() {
  return generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
}

async function attempt(name: string, env: Record<string, string>): Promise<TestServer> {
  const [port, internal] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const spec = (): ProcessSpec => ({
    name,
    command: process.execPath,
    args: ['--no-warnings', join(services, name, 'src/main.ts')],
    env: {
      PATH: process.env['PATH'] ?? '',
      API_PORT: String(port),
      INTERNAL_PORT: String(internal),
      LOG_LEVEL: 'warn',
      ...env,
    },
    stopSignal: 'SIGTERM',
    probe: async () => (await status(`http://127.0.0.1:${internal}/health/ready`)) === 200 && (await status(url)) > 0,
  });
  return start(spec, { port, url });
}

function status(url: string): Promise<number> {
  return fetch(url).then(
    (response) => response.status,
    () => 0,
  );
}

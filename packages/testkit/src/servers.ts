import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  freePort,
  kill,
  natsServer,
  postgresServer,
  postgresUrl,
  redisServer,
  redisUrl,
  spawnProcess,
  stopProcess,
  waitUntilReady,
  writeNatsConfig,
  type NatsUser,
  type ProcessSpec,
  type RunningProcess,
} from '@overtone/cli/servers';

/** A real server that belongs to the caller. It ends with the process that started it at the latest. */
export type TestServer = {
  readonly url: string;
  readonly port: number;
  /** Its data and its log; removed when it is stopped. */
  readonly folder: string;
  readonly pid: () => number;
  /** Ends it at once, as a power cut would. */
  readonly kill9: () => Promise<void>;
  /** Starts it again on the same port and folder. */
  readonly restart: () => Promise<void>;
  /** Stops it in order and removes its folder. @throws when it has ended before, or logged `fatal`. */
  readonly stop: () => Promise<void>;
};

/** A line of a service at level fatal, as text or as JSON. */
const fatalPattern = /^([\d:.TZ-]{24} fatal |\{"level":"fatal").*$/m;
// A busy machine may need long; a server that exits is reported immediately.
const startMs = 300_000;
const stopMs = 60_000;

/** A PostgreSQL cluster of one's own; for a database of one's own, `createDatabase` is much cheaper. */
export async function startPostgres({ durable = false }: { durable?: boolean } = {}): Promise<TestServer> {
  const port = await freePort();
  const password = 'test';
  return await start((folder) => postgresServer({ folder: join(folder, 'cluster'), port, password, durable }), {
    port,
    url: postgresUrl({ port, password }, 'postgres'),
  });
}

/** A NATS server with JetStream; without users everybody may do everything. */
export async function startNats({ users }: { users?: readonly NatsUser[] } = {}): Promise<TestServer> {
  const port = await freePort();
  const configured = (folder: string) => ({
    ...natsServer({ folder, port }),
    prepare: async () => {
      writeNatsConfig({ folder, port, ...(users === undefined ? {} : { users }) });
      await Promise.resolve();
    },
  });
  return await start(configured, { port, url: `nats://127.0.0.1:${port}` });
}

/** An empty Redis server. */
export async function startRedis(): Promise<TestServer> {
  const port = await freePort();
  return await start((folder) => redisServer({ folder, port }), { port, url: redisUrl({ port }) });
}

/** Starts a server of a spec in a folder of its own. */
export async function start(
  specIn: (folder: string) => ProcessSpec,
  address: { url: string; port: number },
  readyMs = startMs,
): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'overtone-test-'));
  const spec = specIn(folder);
  const begin = async (): Promise<RunningProcess> => {
    const running = await spawnProcess(spec, { logFile: join(folder, 'log') });
    await waitUntilReady(spec, running, readyMs);
    return running;
  };
  await spec.prepare?.();
  let running = await begin();
  let killed = false;
  return {
    ...address,
    folder,
    pid: () => running.pid,
    kill9: async () => {
      killed = true;
      kill(running.pid, 'SIGKILL');
      await running.ended;
    },
    restart: async () => {
      await stopProcess(spec, running, stopMs);
      running = await begin();
      killed = false;
    },
    stop: async () => {
      const unasked = running.hasEnded() && !killed ? `${spec.name} ended without being asked to` : undefined;
      await stopProcess(spec, running, stopMs);
      const fatal = fatalPattern.exec(await readFile(join(folder, 'log'), 'utf8'))?.[0];
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
      if (unasked ?? fatal) throw new Error([unasked, fatal].filter(Boolean).join(': '));
    },
  };
}

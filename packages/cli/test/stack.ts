import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { busConfig, type Values } from '../src/container/container.ts';
import {
  natsServer,
  postgresServer,
  postgresUrl,
  redisServer,
  spawnProcess,
  stopProcess,
  waitUntilReady,
  type ProcessSpec,
  type RunningProcess,
} from '../src/servers/index.ts';
import { assignPorts } from '../src/setup/ports.ts';
import { composeFile } from './compose-file.ts';
import { imageEnvironment } from './dockerfile.ts';

/** A timeout for a loaded machine. */
const timeoutMs = 240_000;

/** The stack of compose.yaml as processes on this machine: real servers, and services from their assembled folders. */
export type Stack = {
  /** Address of a listener of a service. */
  readonly url: (service: string, listener: 'api' | 'internal') => string;
  /** The environment of a container in compose.yaml, with the addresses of this machine. */
  readonly environment: (container: string) => Record<string, string>;
  readonly start: (spec: ProcessSpec) => Promise<RunningProcess>;
  readonly service: (name: string, tree: string) => ProcessSpec;
  /** Stops everything in order. @returns the exit of each process. */
  readonly stop: () => Promise<Record<string, string>>;
  readonly log: (name: string) => string;
};

/** Starts the servers of compose.yaml, with the secrets of `values`. */
export async function startStack(folder: string, services: readonly string[], values: Values): Promise<Stack> {
  const names = [
    'postgres',
    'nats',
    'redis',
    'monitor',
    ...services.flatMap((service) => [`${service}.api`, `${service}.internal`]),
  ];
  const ports = await assignPorts(names, {});
  const port = (name: string) => ports[name]!;
  const running: { spec: ProcessSpec; process: RunningProcess }[] = [];
  const logFile = (name: string) => join(folder, 'logs', `${name}.log`);
  const start = async (spec: ProcessSpec) => {
    await spec.prepare?.();
    const process = await spawnProcess(spec, { logFile: logFile(spec.name) });
    running.push({ spec, process });
    return process;
  };
  const environment = (container: string) => {
    const given = { ...imageEnvironment(), ...composeFile(values).services[container]!.environment };
    const local = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, toLocal(value, port)]));
    return { ...local, ...ownPlaces(join(folder, 'places', container)), PATH: process.env['PATH'] ?? '' };
  };
  const url = (service: string, listener: 'api' | 'internal') => `http://127.0.0.1:${port(`${service}.${listener}`)}`;
  const servers = serverSpecs(folder, port, { values, bus: environment('nats') });
  await Promise.all(servers.map(async (spec) => await waitUntilReady(spec, await start(spec), timeoutMs)));
  await createDatabase(postgresUrl({ port: port('postgres'), password: values['POSTGRES_PASSWORD']! }, 'postgres'));
  return {
    url,
    environment,
    start,
    service: (name, tree) => ({
      name,
      command: process.execPath,
      args: ['src/main.ts'],
      cwd: join(tree, 'services', name),
      env: {
        ...environment(name),
        ...(name === 'edge-gateway' ? { UI_DIR: join(tree, 'ui') } : {}),
        SERVICE_HOST: '127.0.0.1',
        API_PORT: String(port(`${name}.api`)),
        INTERNAL_PORT: String(port(`${name}.internal`)),
      },
      stopSignal: 'SIGTERM',
      probe: async () => await answersOk(`${url(name, 'internal')}/health/ready`),
    }),
    stop: async () => {
      const ended = new Map<string, string>();
      for (const { spec, process } of running.toReversed()) {
        await stopProcess(spec, process, timeoutMs);
        const { code, signal } = await process.ended;
        // For a restarted service the last run counts, which is first in this list.
        if (!ended.has(spec.name)) ended.set(spec.name, signal ?? String(code));
      }
      return Object.fromEntries(ended);
    },
    log: (name) => readFileSync(logFile(name), 'utf8'),
  };
}

/** Starts a service and restarts it until it is ready, like a container with `restart: unless-stopped`. */
export async function startUntilReady(stack: Stack, spec: ProcessSpec): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const running = await stack.start(spec);
    try {
      return await waitUntilReady(spec, running, timeoutMs);
    } catch (cause) {
      if (running.hasEnded() && attempt < 5) continue;
      throw new Error(`${(cause as Error).message}\n${stack.log(spec.name).slice(-2000)}`, { cause });
    }
  }
}

/** Repeats the request until the expected response; the timeout is that of the test. */
export async function until<T>(ask: () => Promise<T>, isEnough: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (isEnough(answer)) return answer;
    await sleep(50);
  }
}

function ownPlaces(folder: string) {
  const places = { NODE_COMPILE_CACHE: 'compiled', MODEL_CACHE_DIR: 'models', WORK_DIR: 'work', TMPDIR: 'tmp' };
  const found = Object.entries(places).map(([key, name]) => [key, join(folder, name)] as const);
  for (const [, place] of found) mkdirSync(place, { recursive: true });
  return Object.fromEntries(found);
}

/** The address of missing servers: a port without a listener. */
function toLocal(value: string, port: (name: string) => number) {
  return value
    .replace(
      /(@|\/\/)(postgres|nats|redis):\d+/,
      (_all, before: string, name: string) => `${before}127.0.0.1:${port(name)}`,
    )
    .replace(/\/\/(objects|elasticsearch):\d+/, '//127.0.0.1:1')
    .replace(/\/\/([a-z-]+):8080$/, (_all, name: string) => `//127.0.0.1:${port(`${name}.api`)}`);
}

function serverSpecs(
  folder: string,
  port: (name: string) => number,
  { values, bus }: { values: Values; bus: Record<string, string> },
): ProcessSpec[] {
  const natsFolder = join(folder, 'nats');
  const nats = natsServer({ folder: natsFolder, port: port('nats') });
  return [
    postgresServer({
      folder: join(folder, 'postgres'),
      port: port('postgres'),
      password: values['POSTGRES_PASSWORD']!,
      durable: true,
      maxConnections: 320,
    }),
    {
      ...nats,
      env: { ...nats.env, ...bus },
      prepare: async () => {
        mkdirSync(natsFolder, { recursive: true });
        const local = busConfig()
          .replace('"0.0.0.0"', '"127.0.0.1"')
          .replace('port: 4222', `port: ${port('nats')}`)
          .replace('http_port: 8222', `http_port: ${port('monitor')}`)
          .replace('"/data/jetstream"', JSON.stringify(join(natsFolder, 'jetstream')));
        writeFileSync(join(natsFolder, 'nats.conf'), local);
        await Promise.resolve();
      },
    },
    redisServer({ folder: join(folder, 'redis'), port: port('redis'), password: values['REDIS_PASSWORD']! }),
  ];
}

async function createDatabase(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('create database overtone');
  } finally {
    await client.end();
  }
}

async function answersOk(url: string): Promise<boolean> {
  return await fetch(url).then(
    async (response) => {
      await response.body?.cancel();
      return response.ok;
    },
    () => false,
  );
}

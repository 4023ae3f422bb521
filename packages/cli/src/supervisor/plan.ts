import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { connectionsNeeded, specifiedConnections } from '@overtone/database/connections';
import { dataFolder, productFolder } from '../paths.ts';
import { natsServer } from '../servers/nats.ts';
import { postgresServer } from '../servers/postgres.ts';
import type { ProcessSpec } from '../servers/process.ts';
import { redisServer } from '../servers/redis.ts';
import { groupName, groupOf, packEnvironments } from './hosting.ts';
import { listenerUrl, poolLimits, serviceEnvironment, type EnvironmentSource } from './environment.ts';
import { scaledEnvironment, scaledNames, scaledService, type GpuScale } from './gpu-scale.ts';

/** The servers and services of an instance. */
export type Plan = {
  readonly servers: readonly ProcessSpec[];
  readonly services: readonly ProcessSpec[];
  /** Identifies how services are started, see `planMark`. */
  readonly mark: string;
};

/** The names of the services that can be started. */
export function serviceNames(folder = join(productFolder, 'services')): string[] {
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, 'src', 'main.ts')))
    .sort();
}

/** The names of the servers that services use. */
export const serverNames: readonly string[] = ['postgres', 'nats', 'redis'];

/** The names for port assignment: of services and of additional processes. */
export function portNames(services: readonly string[]): string[] {
  const listeners = services.flatMap((name) => [`${name}.api`, `${name}.internal`]);
  // The edge listens on the public port, which the user selects.
  return [...serverNames, ...listeners.filter((name) => name !== 'edge-gateway.api')];
}

/** The processes to run, from the stored settings of the instance. */
export function planInstance(source: EnvironmentSource, services = serviceNames(), scale?: GpuScale): Plan {
  const { folder, instance, secrets, caller } = source;
  const port = (name: string) => instance.ports[name]!;
  return {
    servers: [
      postgresServer({
        folder: folder.postgres,
        port: port('postgres'),
        password: secrets.read('db_overtone'),
        durable: true,
        maxConnections: maxConnections(caller),
      }),
      natsServer({
        folder: folder.nats,
        port: port('nats'),
        supervisor: { user: 'supervisor', password: secrets.read('nats_supervisor') },
      }),
      redisServer({ folder: folder.redis, port: port('redis'), password: secrets.read('redis') }),
    ],
    services: [
      ...groupedServices(services, source),
      ...scaledNames(scale).map((name) => scaledWorker(name, source, scale!)),
    ],
    mark: planMark(),
  };
}

/**
 * Equal for two versions that start the same services in the same way, independent of the instance. A supervisor starts
 * services like its own version, so it cannot start those of a version with another mark.
 */
export function planMark(names = serviceNames()): string {
  const source = anyInstance(names, {});
  const services = names.map((name) => planService(name, source)).map(({ args, env }) => ({ args, env }));
  return createHash('sha256').update(JSON.stringify(services)).digest('hex');
}

// As the liveness probe in k8s/base.
const livenessTimeoutMs = 5000;

function anyInstance(names: readonly string[], caller: EnvironmentSource['caller']): EnvironmentSource {
  const numbered = portNames(names).map((name, index) => [name, index + 1]);
  return {
    folder: dataFolder('/'),
    instance: { port: 8080, adminAnnounced: true, ports: Object.fromEntries(numbered) as Record<string, number> },
    secrets: { file: (name) => name, read: (name) => name },
    uiFolder: '/',
    caller,
  };
}

/** The variables of the caller that reach a service unchanged. */
export function passedOn(service: string, caller: EnvironmentSource['caller']): Record<string, string> {
  const given = serviceEnvironment(service, anyInstance(serviceNames(), caller));
  const isUnchanged = (name: string) =>
    given[name] === caller[name] && given[`${name}_FILE`] === caller[`${name}_FILE`];
  return Object.fromEntries(Object.entries(given).filter(([name]) => isUnchanged(name)));
}

/** 200 as specified; with larger pools, enough for all of them at their maximum and for administration. */
export function maxConnections(caller: Readonly<Record<string, string | undefined>>): number {
  const given = Number(caller['PG_MAX_CONNECTIONS']);
  if (given > 0) return given;
  return Math.max(specifiedConnections, connectionsNeeded(poolLimits(caller)));
}

function scaledWorker(name: string, source: EnvironmentSource, scale: GpuScale): ProcessSpec {
  const one = planService(scaledService, source);
  const port = (listener: 'api' | 'internal') => new URL(listenerUrl(source.instance, name, listener)).port;
  const readyUrl = `${listenerUrl(source.instance, name, 'internal')}/health/ready`;
  return {
    ...one,
    name,
    env: { ...one.env, API_PORT: port('api'), INTERNAL_PORT: port('internal'), ...scaledEnvironment(scale) },
    probe: async () => await answersOk(readyUrl),
    ...livenessOf(name, source),
  };
}

function groupedServices(services: readonly string[], source: EnvironmentSource): ProcessSpec[] {
  const group = groupOf(services, source.caller);
  const others = services.filter((name) => !group.includes(name)).map((name) => planService(name, source));
  return group.length === 0 ? others : [serviceGroup(group, source), ...others];
}

/** Several services as one process, each with its own ports, environment and log. */
function serviceGroup(names: readonly string[], source: EnvironmentSource): ProcessSpec {
  const all = names.map((name) => planService(name, source));
  const environments = all.map(({ name, env }) => [
    name,
    { ...env, OT_LOG_PATH: join(source.folder.logs, `${name}.log`) },
  ]);
  const every = async (asked: readonly Promise<boolean>[]) => (await Promise.all(asked)).every(Boolean);
  return {
    name: groupName,
    hosts: names,
    command: process.execPath,
    args: [...groupMemoryFlags, join(productFolder, 'packages', 'cli', 'src', 'services.main.ts'), ...names],
    env: packEnvironments(Object.fromEntries(environments) as Record<string, Record<string, string>>),
    cwd: productFolder,
    stopSignal: 'SIGTERM',
    probe: async () => await every(all.map(async ({ probe }) => await probe())),
    health: async () =>
      (await every(all.map(async ({ health }) => (await health?.()) === 'working'))) ? 'working' : 'unresponsive',
    restartsUnresponsive: true,
  };
}

/** The process of one service. */
export function planService(name: string, source: EnvironmentSource): ProcessSpec {
  const readyUrl = `${listenerUrl(source.instance, name, 'internal')}/health/ready`;
  return {
    name,
    command: process.execPath,
    args: [...memoryFlags(name), join(productFolder, 'services', name, 'src', 'main.ts')],
    env: serviceEnvironment(name, source),
    cwd: productFolder,
    stopSignal: 'SIGTERM',
    probe: async () => await answersOk(readyUrl),
    ...livenessOf(name, source),
  };
}

function livenessOf(
  name: string,
  { instance }: EnvironmentSource,
): Pick<ProcessSpec, 'health' | 'restartsUnresponsive'> {
  const url = `${listenerUrl(instance, name, 'internal')}/health`;
  return {
    health: async () => ((await answersOk(url, livenessTimeoutMs)) ? 'working' : 'unresponsive'),
    restartsUnresponsive: true,
  };
}

// Idle services should use little memory: a limited heap, and a young generation that fits the service. The two services
// that stream recordings have a small young generation, because only its collection frees their buffers, and a larger
// heap: streamed bytes count as external memory, so that a small heap would be fully collected after every few megabytes
// (measured with 1 GiB: half of the CPU time; with these values below 200 MiB each). The directory sync reads whole directories,
// which live for one sync run: a small young generation would copy all of them.
const semiSpaceMib: Record<string, number> = {
  'edge-gateway': 1,
  media: 1,
  operations: 1,
  identity: 8,
  'directory-sync': 16,
};
const heapGrowingPercent: Record<string, number> = { 'edge-gateway': 50, media: 120, operations: 20 };

// The heap of all of them: large results of several services may be in memory at one time.
const groupMemoryFlags = ['--max-semi-space-size=8', '--max-old-space-size=1536', '--heap-growing-percent=50'];

function memoryFlags(name: string): string[] {
  const semiSpace = semiSpaceMib[name] ?? 2;
  const heap = ['search-indexer', 'transcription-worker', 'directory-sync'].includes(name) ? 1024 : 384;
  return [
    `--max-semi-space-size=${semiSpace}`,
    `--max-old-space-size=${heap}`,
    ...(heapGrowingPercent[name] ? [`--heap-growing-percent=${heapGrowingPercent[name]}`] : []),
  ];
}

// Not with fetch: undici would occupy the supervisor's memory for one short request.
async function answersOk(url: string, timeout = 3000): Promise<boolean> {
  return await new Promise((resolve) => {
    const request = get(url, { agent: false, timeout }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.once('timeout', () => request.destroy(new Error('timeout')));
    request.on('error', () => resolve(false));
  });
}

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere, replaceFile } from '../files.ts';
import { requireProgram } from './binaries.ts';
import { firstLine } from './probe.ts';
import { plainEnvironment, type ProcessSpec } from './process.ts';

/** Options of a Redis server. */
export type RedisOptions = {
  readonly folder: string;
  readonly port: number;
  readonly password?: string;
};

/** The address clients of the server use. */
export function redisUrl({ port, password }: Pick<RedisOptions, 'port' | 'password'>): string {
  const credentials = password === undefined ? '' : `:${encodeURIComponent(password)}@`;
  return `redis://${credentials}127.0.0.1:${port}/0`;
}

/** A Redis server on loopback without persistence, for caches and counters only. */
export function redisServer(options: RedisOptions): ProcessSpec {
  const configFile = join(options.folder, 'redis.conf');
  return {
    name: 'redis',
    command: requireProgram('redis-server'),
    args: [configFile],
    env: plainEnvironment(),
    stopSignal: 'SIGTERM',
    prepare: async () => {
      await mkdir(options.folder, { recursive: true, mode: 0o700 });
      const config = redisConfig(options);
      // Not rewritten: on a full disk an empty file would start a server without a password.
      if (readIfThere(configFile) !== config) replaceFile(configFile, config);
    },
    probe: async () => isAlive(await firstLine(options.port, 'PING\r\n')),
  };
}

// A request for the password counts as a response, too.
function isAlive(answer: string | undefined) {
  return answer === '+PONG' || answer?.startsWith('-NOAUTH') === true;
}

function redisConfig({ folder, port, password }: RedisOptions): string {
  return `${[
    'bind 127.0.0.1',
    `port ${port}`,
    'save ""',
    'appendonly no',
    'maxmemory 64mb',
    'maxmemory-policy allkeys-lru',
    `dir ${JSON.stringify(folder)}`,
    ...(password === undefined ? [] : [`requirepass ${JSON.stringify(password)}`]),
  ].join('\n')}\n`;
}

export { findPostgresBin, findProgram, requireProgram, unprivilegedUser } from './binaries.ts';
export { natsServer, writeNatsConfig, type NatsUser } from './nats.ts';
export { freePort, freePorts, isPortFree } from './ports.ts';
export { postgresServer, postgresUrl, type PostgresOptions } from './postgres.ts';
export { kill, spawnProcess, stopProcess, waitUntilReady, type ProcessSpec, type RunningProcess } from './process.ts';
export { redisServer, redisUrl, type RedisOptions } from './redis.ts';

import { Client } from 'pg';
import { z } from 'zod';
import { databaseRoles } from './migrate.ts';

/** Beside its pool each process has one of the outbox relay, and one that probes a database that does not respond. */
const besidePool = 2;
/** Connections for migrations, backups, administrators and superusers. */
const reserved = 10;
/** Specification, "Limits". */
export const specifiedConnections = 200;
const specifiedOverflow = 40;

/** Limits of the connections of one process. */
export const poolEnv = {
  /** Connections kept for reuse. */
  DB_POOL_SIZE: z.coerce.number().int().min(1).max(500).default(20),
  /** Connections that may be opened above DB_POOL_SIZE under load; closed again when idle. */
  DB_MAX_OVERFLOW: z.coerce.number().int().min(0).max(1000).default(specifiedOverflow),
};
export type PoolLimits = z.infer<z.ZodObject<typeof poolEnv>>;

/** What the server must accept when every pool is at its maximum. @param processes with a pool: one for each service. */
export function connectionsNeeded(
  { DB_POOL_SIZE: size, DB_MAX_OVERFLOW: overflow }: PoolLimits,
  processes: number = databaseRoles.length,
): number {
  return processes * (size + overflow + besidePool) + reserved;
}

/** The overflow with which the pools of all services fit into a server of `maxConnections`: at most the specified one. */
export function fittingOverflow(size: number, maxConnections: number): number {
  const fits = Math.floor((maxConnections - reserved) / databaseRoles.length) - besidePool - size;
  return Math.max(0, Math.min(specifiedOverflow, fits));
}

/** @returns why the server does not accept enough connections; undefined when it does. */
export function describeMissingConnections(limits: PoolLimits, maxConnections: number): string | undefined {
  const needed = connectionsNeeded(limits);
  if (needed <= maxConnections) return undefined;
  const { DB_POOL_SIZE: size, DB_MAX_OVERFLOW: overflow } = limits;
  return (
    `PG_MAX_CONNECTIONS=${maxConnections} is too low: ${databaseRoles.length} services with DB_POOL_SIZE=${size} and ` +
    `DB_MAX_OVERFLOW=${overflow} need ${needed} connections (${besidePool} of each service beside its pool, ${reserved} for ` +
    'administration). Raise it, or lower the other two.'
  );
}

/** @throws Error when the pools of the services at their maximum need more connections than the server accepts. */
export async function checkConnections(url: string, limits: PoolLimits): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ max: number }>(`select current_setting('max_connections')::int as max`);
    const missing = describeMissingConnections(limits, rows[0]?.max ?? 0);
    if (missing) throw new Error(missing);
  } finally {
    await client.end();
  }
}

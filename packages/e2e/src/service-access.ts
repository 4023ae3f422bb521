import { readFileSync } from 'node:fs';
import { connect, type NatsConnection } from 'nats';
import { Pool } from 'pg';
import type { Instance } from './instance.ts';

/** The environment of a service, which may share its process with others. A value may be a file reference. */
export async function environmentOf(instance: Instance, service: string): Promise<Map<string, string>> {
  const pid = await instance.pidOf(service);
  const entries = readFileSync(`/proc/${pid}/environ`, 'utf8')
    .split('\0')
    .map((line): [string, string] => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]);
  const environment = new Map(entries);
  const hosted = JSON.parse(environment.get('OT_HOSTED_ENVIRONMENTS') ?? '{}') as Record<
    string,
    Record<string, string>
  >;
  for (const [name, value] of Object.entries(hosted[service] ?? {})) environment.set(name, value);
  return environment;
}

/** One environment setting of a running service. */
export async function settingOf(instance: Instance, service: string, name: string): Promise<string> {
  const environment = await environmentOf(instance, service);
  const file = environment.get(`${name}_FILE`);
  const value = environment.get(name) ?? (file && readFileSync(file, 'utf8').trim());
  if (!value) throw new Error(`${service} has no ${name}`);
  return value;
}

export type Ask = (sql: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;

/** Opens a database connection with the permissions of a service. */
export async function openAsService(
  instance: Instance,
  service: string,
): Promise<{ ask: Ask; close: () => Promise<void> }> {
  const pool = new Pool({ connectionString: await settingOf(instance, service, 'DATABASE_URL'), max: 2 });
  // A server restart closes an idle connection; this is no failure of a check.
  pool.on('error', () => {});
  return {
    ask: async (sql, values) => (await pool.query<Record<string, unknown>>(sql, values)).rows,
    close: () => pool.end(),
  };
}

/** Runs queries with the database permissions of a service. */
export async function asService<T>(instance: Instance, service: string, work: (query: Ask) => Promise<T>): Promise<T> {
  const { ask, close } = await openAsService(instance, service);
  try {
    return await work(ask);
  } finally {
    await close();
  }
}

/** Opens a bus connection with the permissions of a service. */
export async function openBusAs(instance: Instance, service: string): Promise<NatsConnection> {
  return connect({
    servers: await settingOf(instance, service, 'NATS_URL'),
    user: service,
    pass: await settingOf(instance, service, 'NATS_PASSWORD'),
    inboxPrefix: `_INBOX.${service}`,
  });
}

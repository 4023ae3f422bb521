import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import type { Instance } from './instance.ts';

/** What the supervisor gave a service: the environment of its process. A value may stand in a file. */
const environmentOf = async (instance: Instance, service: string): Promise<Map<string, string>> => {
  const pid = await instance.pidOf(service);
  const entries = readFileSync(`/proc/${pid}/environ`, 'utf8')
    .split('\0')
    .map((line): [string, string] => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]);
  return new Map(entries);
};

/** One setting of a running service, for checks that have to stand beside it. */
export const settingOf = async (instance: Instance, service: string, name: string): Promise<string> => {
  const environment = await environmentOf(instance, service);
  const file = environment.get(`${name}_FILE`);
  const value = environment.get(name) ?? (file && readFileSync(file, 'utf8').trim());
  if (!value) throw new Error(`${service} has no ${name}`);
  return value;
};

/** Asks the database with the rights of a service and no more. */
export const asService = async <T>(
  instance: Instance,
  service: string,
  work: (query: (sql: string, values?: unknown[]) => Promise<Record<string, unknown>[]>) => Promise<T>,
): Promise<T> => {
  const client = new Client({ connectionString: await settingOf(instance, service, 'DATABASE_URL') });
  await client.connect();
  try {
    return await work(async (sql, values) => (await client.query<Record<string, unknown>>(sql, values)).rows);
  } finally {
    await client.end();
  }
};

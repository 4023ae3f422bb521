import { Client } from 'pg';
import { BackupError } from './errors.ts';

/** Runs work on a connection of its own. @throws BackupError database_unavailable. */
export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  let lost: Error | undefined;
  client.on('error', (error) => (lost ??= error));
  await client.connect().catch((cause: unknown) => {
    throw new BackupError('database_unavailable', `The database does not answer: ${(cause as Error).message}`, {
      cause,
    });
  });
  try {
    return await work(client);
  } catch (error) {
    if (lost === undefined || error instanceof BackupError) throw error;
    throw new BackupError('database_unavailable', `The connection to the database was lost: ${lost.message}`, {
      cause: error,
    });
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Whether the database has a table; a backup of an older version may lack it. */
export async function hasTable(client: Client, table: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>('select to_regclass($1) is not null as found', [
    `public.${table}`,
  ]);
  return rows[0]!.found;
}

import { Client } from 'pg';
import { BackupError } from './errors.ts';

/** Runs work on a connection of its own. @throws BackupError database_unavailable. */
export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect().catch((cause: unknown) => {
    throw new BackupError('database_unavailable', `The database does not answer: ${(cause as Error).message}`, {
      cause,
    });
  });
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

import { cleanUpAfterFile } from '@overtone/testkit/cleanup';
import { Client } from 'pg';

/** Reads sessions and refused sign-ins from the database. */
export async function watchDatabase(url: string) {
  const client = new Client({ connectionString: url });
  await client.connect();
  cleanUpAfterFile(() => client.end());
  const rows = async <T>(sql: string, values: unknown[] = []): Promise<T[]> =>
    (await client.query<Record<string, unknown>>(sql, values)).rows as T[];
  return {
    rows,
    /** Number of sessions opened so far. */
    sessions: async (): Promise<number> =>
      (await rows<{ n: number }>('select count(*)::int as n from refresh_token'))[0]?.n ?? -1,
    /** The latest refused sign-in: error code and reason. */
    lastRefusal: async (): Promise<string> => {
      const [row] = await rows<{ code: string; reason: string }>(
        `select error_code as code, details ->> 'reason' as reason from audit_log
         where event_type = 'auth.login.failure' order by time desc limit 1`,
      );
      return row ? `${row.code} ${row.reason}` : 'none';
    },
  };
}

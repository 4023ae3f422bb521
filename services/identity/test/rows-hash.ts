import { createHash } from 'node:crypto';
import type { Client } from 'pg';

/** Hashes all rows of identity with their transaction ids: equal when nothing was written. */
export async function rowsHash(sql: Client): Promise<string> {
  const { rows: tables } = await sql.query<{ name: string }>(
    `select distinct table_name as name from information_schema.role_table_grants
     where grantee = 'identity' and privilege_type = 'INSERT' order by 1`,
  );
  const hash = createHash('sha256');
  for (const { name } of tables) {
    // The relay may have published an event since; only new rows count.
    const columns = name === 'identity_outbox' ? 't.id::text as row' : 't.*::text as row, xmin::text';
    const { rows } = await sql.query(`select ${columns} from "${name}" t order by 1`);
    hash.update(JSON.stringify([name, rows]));
  }
  return hash.digest('hex');
}

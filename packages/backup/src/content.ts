import { createHash } from 'node:crypto';
import type { ClientBase } from 'pg';

/** Rows and content of one table. */
export type TableContent = { name: string; rows: number; content: string };

/**
 * Counts and hashes every table of the schema `public` on the server, in the transaction of `client`, so that no row is
 * transferred. The hash is independent of the order of rows: the sums of two hashes of each row. A row's own hash is linear
 * in its columns, so it is hashed once more; otherwise values that change places between rows would go unnoticed.
 * PostgreSQL keeps these functions stable over versions, because they place rows into partitions.
 */
export async function hashTables(client: ClientBase): Promise<TableContent[]> {
  await client.query('set search_path = public');
  const { rows: tables } = await client.query<{ name: string; quoted: string }>(
    `select relname as name, quote_ident(relname) as quoted from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname collate "C"`,
  );
  const contents: TableContent[] = [];
  for (const { name, quoted } of tables) contents.push({ name, ...(await hashTable(client, quoted)) });
  return contents;
}

async function hashTable(client: ClientBase, quoted: string): Promise<Omit<TableContent, 'name'>> {
  const { rows } = await client.query<{ rows: string; left_sum: string; right_sum: string }>(
    `select count(*) as rows, coalesce(sum(hashint8extended(hash_record_extended(whole_row, 0), 0)), 0) as left_sum,
       coalesce(sum(hashint8extended(hash_record_extended(whole_row, 1), 1)), 0) as right_sum
     from ${quoted} whole_row`,
  );
  const { rows: count, left_sum, right_sum } = rows[0]!;
  const content = createHash('sha256').update(`${count} ${left_sum} ${right_sum}`).digest('hex');
  return { rows: Number(count), content };
}

/** The names of the tables whose rows or content differ, with both row counts. */
export function differences(expected: readonly TableContent[], found: readonly TableContent[]): string[] {
  const names = [...new Set([...expected, ...found].map(({ name }) => name))].sort();
  return names.flatMap((name) => {
    const [want, have] = [expected, found].map((tables) => tables.find((table) => table.name === name));
    if (want && have && want.rows === have.rows && want.content === have.content) return [];
    return [`${name} (${want?.rows ?? 'no table'} rows expected, ${have?.rows ?? 'no table'} found)`];
  });
}

import { createHash } from 'node:crypto';
import type { ClientBase } from 'pg';

/** Rows and content of one table. */
export type TableContent = { name: string; rows: number; content: string };

/** Row texts depend on these settings; both sides of a comparison must agree on them. */
const textSettings = [
  `set timezone = 'UTC'`,
  `set datestyle = 'ISO, YMD'`,
  `set intervalstyle = 'postgres'`,
  'set extra_float_digits = 1',
  `set bytea_output = 'hex'`,
  'set search_path = public',
].join('; ');

/**
 * Counts and hashes every table of the schema `public` on the server, in the transaction of `client`, so that no row is
 * transferred. The hash is independent of the order of rows: the sums of both halves of each row's MD5.
 */
export async function hashTables(client: ClientBase): Promise<TableContent[]> {
  await client.query(textSettings);
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
    `select count(*) as rows,
       coalesce(sum(('x' || left(digest, 15))::bit(60)::bigint), 0) as left_sum,
       coalesce(sum(('x' || right(digest, 15))::bit(60)::bigint), 0) as right_sum
     from (select md5(entry::text) as digest from ${quoted} entry) digests`,
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

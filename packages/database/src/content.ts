import { createHash } from 'node:crypto';
import { escapeIdentifier, type ClientBase } from 'pg';

/** Rows and content of one table. */
export type TableContent = { name: string; rows: number; content: string };

/** Names of the columns of each table. */
export type Columns = ReadonlyMap<string, readonly string[]>;

/** The columns of every table of the schema `public`. */
export async function readColumns(client: ClientBase): Promise<Columns> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `select relname as name, array_agg(attname::text order by attnum) as columns
     from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
     where relnamespace = 'public'::regnamespace and relkind = 'r' group by relname order by relname collate "C"`,
  );
  return new Map(rows.map(({ name, columns }) => [name, columns]));
}

/**
 * Counts and hashes the rows of every table on the server, in the transaction of `client`, so that no row is transferred;
 * over all columns or the given ones. The hash is independent of the order of rows: the sum of a 64-bit hash of each row. A
 * row's own hash is linear in its columns, so it is hashed once more; otherwise values that change places between rows would
 * go unnoticed. PostgreSQL keeps these functions stable over versions, because they place rows into partitions. The hash
 * finds faults of a replay; alterations on purpose are found by the SHA-256 of the dump.
 */
export async function hashTables(client: ClientBase, columns?: Columns): Promise<TableContent[]> {
  await client.query('set search_path = public');
  const contents: TableContent[] = [];
  for (const [name, names] of columns ?? (await readColumns(client)))
    contents.push({ name, ...(await hashTable(client, name, names)) });
  return contents;
}

async function hashTable(
  client: ClientBase,
  table: string,
  columns: readonly string[],
): Promise<Omit<TableContent, 'name'>> {
  const list = columns.map((column) => escapeIdentifier(column)).join(', ');
  const { rows } = await client.query<{ rows: string; sum: string }>(
    `select count(*) as rows, coalesce(sum(hashint8extended(hash_record_extended(whole_row, 0), 0)), 0) as sum
     from (select ${list} from ${escapeIdentifier(table)}) whole_row`,
  );
  const { rows: count, sum } = rows[0]!;
  const content = createHash('sha256').update(`${count} ${sum}`).digest('hex');
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

/**
 * What the schema `public` consists of, one line each: columns with type, default and nullability, constraints, indexes,
 * triggers and rights.
 */
export async function describeSchema(client: ClientBase): Promise<string[]> {
  await client.query('set search_path = public');
  const { rows } = await client.query<{ line: string }>(
    `with tables as (select oid, relname, relacl from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r')
     select format('column %s.%s %s %s %s', relname, attname, format_type(atttypid, atttypmod), attnotnull,
       pg_get_expr(adbin, adrelid)) as line
     from tables join pg_attribute on attrelid = tables.oid and attnum > 0 and not attisdropped
     left join pg_attrdef on adrelid = attrelid and adnum = attnum
     union all select format('constraint %s.%s %s', relname, conname, pg_get_constraintdef(c.oid))
     from tables join pg_constraint c on conrelid = tables.oid
     union all select format('index %s', pg_get_indexdef(indexrelid)) from tables join pg_index on indrelid = tables.oid
     union all select format('trigger %s', pg_get_triggerdef(t.oid))
     from tables join pg_trigger t on tgrelid = tables.oid and not tgisinternal
     union all select format('right %s %s %s', relname, grantee::regrole, privilege_type) from tables, aclexplode(relacl)
     order by line`,
  );
  return rows.map(({ line }) => line);
}

/** The foreign keys with rows that refer to a missing row. PostgreSQL checks a key only for rows that it writes itself. */
export async function findOrphans(client: ClientBase): Promise<string[]> {
  await client.query('set search_path = public');
  const { rows: keys } = await client.query<Record<'name' | 'child' | 'parent' | 'match' | 'set', string>>(
    `select conname as name, conrelid::regclass::text as child, confrelid::regclass::text as parent,
       (select string_agg(format('child.%I = parent.%I', c.attname, p.attname), ' and ') from unnest(conkey, confkey) k(c, p)
        join pg_attribute c on c.attrelid = conrelid and c.attnum = k.c join pg_attribute p on p.attrelid = confrelid and p.attnum = k.p) as "match",
       (select string_agg(format('child.%I is not null', attname), ' and ') from pg_attribute where attrelid = conrelid and attnum = any(conkey)) as set
     from pg_constraint where contype = 'f' order by conname`,
  );
  const broken: string[] = [];
  for (const { name, child, parent, match, set } of keys) {
    const { rowCount } = await client.query(
      `select from ${child} child where ${set} and not exists (select from ${parent} parent where ${match}) limit 1`,
    );
    if (rowCount) broken.push(`${name}: ${child} refers to a missing row of ${parent}`);
  }
  return broken;
}

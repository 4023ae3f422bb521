import type { Client } from 'pg';
import type { Migration, SchemaProof } from './migrations.ts';
import { SchemaError } from './schema.ts';

/**
 * The version of a database whose migrations are not recorded, by what each migration adds; 0: it has no tables.
 * @throws SchemaError schema_untracked when its tables are not exactly those of one version.
 */
export async function detectVersion(client: Client, migrations: readonly Migration[]): Promise<number> {
  const tables = await listTables(client);
  if (tables.length === 0) return 0;
  const known = new Set(migrations.flatMap(({ proofs }) => proofs.map(({ relation }) => relation)));
  const unknown = tables.filter((table) => !known.has(table));
  if (unknown.length > 0) throw untracked(`this program does not know ${unknown.join(', ')}`);
  const provable = [];
  for (const { version, proofs } of migrations)
    if (proofs.length > 0) provable.push({ version, proofs, holds: await holdAll(client, proofs) });
  const detected = provable.findLast(({ holds }) => holds.every(Boolean))?.version ?? 0;
  // Up to that version everything holds, after it nothing does.
  const contrary = provable.find(({ version, holds }) => holds.some((held) => held !== version <= detected));
  if (contrary === undefined) return detected;
  const missing = contrary.proofs.filter((_, i) => !contrary.holds[i]).map(textOf);
  throw untracked(`of v${contrary.version} it lacks ${missing.join(', ')}`);
}

/**
 * Compares every column with those that the migrations create in an empty schema, which is rolled back: what identifies a
 * version does not exclude columns of a later one. The roles of the services must exist.
 * @throws SchemaError schema_untracked
 */
export async function assertColumns(client: Client, migrations: readonly Migration[]): Promise<void> {
  await client.query('begin; create schema untracked_check; set local search_path = untracked_check');
  try {
    for (const { sql } of migrations) await client.query(sql);
    const { rows } = await client.query<{ name: string }>(
      `select name from (
         select relname || '.' || attname as name, relnamespace::regnamespace::text as schema, attnotnull,
           format_type(atttypid, atttypmod) as type, attcollation
         from pg_class c join pg_attribute on attrelid = c.oid
         where relnamespace::regnamespace::text in ('public', 'untracked_check') and attnum > 0 and not attisdropped
           and relname in (select relname from pg_class where relnamespace = 'untracked_check'::regnamespace and relkind = 'r')) columns
       group by name, attnotnull, type, attcollation having count(*) <> 2 order by name`,
    );
    const names = [...new Set(rows.map(({ name }) => name))];
    if (names.length > 0)
      throw untracked(`of v${migrations.at(-1)?.version} these columns differ: ${names.join(', ')}`);
  } finally {
    await client.query('rollback');
  }
}

function untracked(reason: string): SchemaError {
  return new SchemaError(
    'schema_untracked',
    `the database has tables but no record of its migrations, and they are not those of one version: ${reason}; ` +
      'use an empty database, or restore a backup',
  );
}

/** Tables of extensions do not count: an operator may have installed them in an empty database. */
async function listTables(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ relname: string }>(
    `select relname from pg_class c
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f') and relname <> 'schema_version'
       and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')
     order by relname`,
  );
  return rows.map(({ relname }) => relname);
}

async function holdAll(client: Client, proofs: readonly SchemaProof[]): Promise<boolean[]> {
  const { rows } = await client.query<{ holds: boolean }>(
    `select case when "column" is null then relation is not null else exists (
       select from pg_attribute a left join pg_collation c on c.oid = a.attcollation
       where attrelid = relation and attname = "column" and not attisdropped
         and (collation_name is null or collname = collation_name)) end as holds
     from unnest($1::text[], $2::text[], $3::text[]) with ordinality as proof(name, "column", collation_name, position),
       to_regclass('public.' || quote_ident(name)) as relation
     order by position`,
    [
      proofs.map(({ relation }) => relation),
      proofs.map(({ column }) => column ?? null),
      proofs.map(({ collation }) => collation ?? null),
    ],
  );
  return rows.map(({ holds }) => holds);
}

function textOf({ relation, column, collation }: SchemaProof): string {
  return [
    relation,
    ...(column === undefined ? [] : [`.${column}`]),
    ...(collation ? [` collate ${collation}`] : []),
  ].join('');
}

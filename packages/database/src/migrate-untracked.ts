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

import { migrate } from '@overtone/database/migrate';
import { readMigrations } from '@overtone/database/migrations';
import type { Client } from 'pg';
import { withClient } from './client.ts';
import { dropDatabase, referenceOf, urlOf, type RestoreTarget } from './databases.ts';
import { BackupError } from './errors.ts';

/** The first id of an object that PostgreSQL itself did not create. */
const firstOwnId = 16_384;

/** Kinds of objects of which only their name is compared: the product has none, except by its extension. */
const namedKinds = [
  'pg_extension',
  'pg_event_trigger',
  'pg_language',
  'pg_operator',
  'pg_opclass',
  'pg_opfamily',
  'pg_cast',
  'pg_conversion',
  'pg_transform',
  'pg_foreign_data_wrapper',
  'pg_foreign_server',
  'pg_publication',
  'pg_statistic_ext',
  'pg_ts_config',
  'pg_ts_dict',
];

/**
 * Everything in a database that runs code when it is read or written, one line each: functions, triggers, rules
 * (views included), policies, expressions of defaults, checks and indexes, extensions, and the rarer kinds. Reads catalogs
 * only, so that nothing of it runs.
 */
async function describeExecutables(client: Client): Promise<string[]> {
  await client.query(`set search_path = ''`);
  const named = namedKinds.map(
    (catalog) =>
      `select pg_describe_object('pg_catalog.${catalog}'::regclass, oid, 0) from pg_catalog.${catalog} where oid >= ${firstOwnId}`,
  );
  const { rows } = await client.query<{ line: string }>(
    `select format('function %s', case prokind when 'a' then oid::regprocedure::text else pg_get_functiondef(oid) end) as line
     from pg_catalog.pg_proc where oid >= ${firstOwnId}
     union select format('trigger %s', pg_get_triggerdef(oid)) from pg_catalog.pg_trigger where not tgisinternal
     union select format('rule %s', pg_get_ruledef(oid)) from pg_catalog.pg_rewrite where oid >= ${firstOwnId}
     union select format('policy %s of %s: %s, %s', polname, polrelid::regclass, pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid))
     from pg_catalog.pg_policy
     union select format('default of %s.%s: %s', adrelid::regclass, attname, pg_get_expr(adbin, adrelid))
     from pg_catalog.pg_attrdef join pg_catalog.pg_attribute on attrelid = adrelid and attnum = adnum
     union select format('check of %s %s: %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
     from pg_catalog.pg_constraint where contype not in ('p', 'u', 'f', 'n') and oid >= ${firstOwnId}
     union select format('index %s', pg_get_indexdef(indexrelid))
     from pg_catalog.pg_index where (indexprs is not null or indpred is not null) and indexrelid >= ${firstOwnId}
     union select format('relation %s of kind %s', oid::regclass, relkind)
     from pg_catalog.pg_class where relkind not in ('r', 'i', 'S', 't', 'v', 'c') and oid >= ${firstOwnId}
     union ${named.join(' union ')}`,
  );
  return rows.map(({ line }) => line);
}

/** The executable objects of a database that are not among those of the product. */
export async function findForeignCode(client: Client, product: ReadonlySet<string>): Promise<string[]> {
  return (await describeExecutables(client)).filter((line) => !product.has(line));
}

/**
 * Refuses a replayed database with code that no migration of the product makes: as soon as the owner or a service uses the
 * database, it would run with their rights. @throws BackupError schema_foreign.
 */
export async function refuseForeignCode(scratch: Client, target: RestoreTarget, schemaVersion: number): Promise<void> {
  const foreign = await findForeignCode(scratch, await describeProduct(target, schemaVersion));
  if (foreign.length === 0) return;
  const shown = foreign.slice(0, 5).map((line) => line.replaceAll(/\s+/g, ' ').slice(0, 120));
  const more = foreign.length > shown.length ? `; and ${foreign.length - shown.length} more` : '';
  throw new BackupError(
    'schema_foreign',
    `The backup contains code that the product's schema does not have: ${shown.join('; ')}${more}. It would run with the ` +
      'rights of those who use the database. If it is yours, remove it from the database before the backup.',
  );
}

/**
 * The executable objects of the schema of a version, and of the newest one, because a restore of an older backup adds some
 * of them; from a database that is made for it.
 */
export async function describeProduct(target: RestoreTarget, version: number): Promise<ReadonlySet<string>> {
  const key = `${new URL(target.adminUrl).host} v${version}`;
  const known = described.get(key) ?? (await makeProduct(target, version));
  described.set(key, known);
  return known;
}

/** By server and version: migrating a database from nothing takes seconds, and its result does not change. */
const described = new Map<string, ReadonlySet<string>>();

async function makeProduct({ adminUrl, database }: RestoreTarget, version: number): Promise<ReadonlySet<string>> {
  const name = referenceOf(database);
  const url = urlOf(adminUrl, name);
  await withClient(adminUrl, async (client) => {
    await dropDatabase(client, name);
    await client.query(`create database ${client.escapeIdentifier(name)} template template0`);
  });
  try {
    const lines = new Set<string>();
    for (const migrations of [readMigrations().filter((migration) => migration.version <= version), readMigrations()]) {
      await migrate({ url, passwords: {}, migrations });
      for (const line of await withClient(url, describeExecutables)) lines.add(line);
    }
    return lines;
  } finally {
    await withClient(adminUrl, async (client) => await dropDatabase(client, name));
  }
}

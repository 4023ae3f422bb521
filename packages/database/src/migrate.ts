import { Client } from 'pg';
import { lockLimits, lockMigrations, runWithBoundedLocks, type LockLimits } from './migrate-locks.ts';
import { assertColumns, detectVersion } from './migrate-untracked.ts';
import { readMigrations, schemaAfter, type Migration } from './migrations.ts';
import { assertReadable, canRead, SchemaError, schemaOf, type Schema } from './schema.ts';

/** Roles of the services that own tables; a role is named like its service. */
export const databaseRoles = [
  'identity',
  'directory_sync',
  'media',
  'transcription_dispatcher',
  'search_indexer',
  'operations',
  'insights',
] as const;
export type DatabaseRole = (typeof databaseRoles)[number];

export type MigrateOptions = {
  /** Connection URL of the database's owner. */
  url: string;
  /** Passwords to set for the roles; a role without an entry keeps its password. */
  passwords: Partial<Record<DatabaseRole, string>>;
  /** Days after which records of the audit log may be deleted; without it the stored value stays. */
  auditRetentionDays?: number | undefined;
  report?: (line: string) => void;
  /** The services of the version before keep running, so the schema must stay readable by it. */
  servicesRun?: boolean;
  /** For tests: another chain than this code's, other limits than the defaults. */
  migrations?: readonly Migration[];
  limits?: Partial<LockLimits>;
};
export type MigrateResult = { from: number; to: number; applied: string[] };

type Migrating = {
  client: Client;
  migrations: readonly Migration[];
  report: (line: string) => void;
  bounded: (work: () => Promise<void>) => Promise<void>;
};

/**
 * Migrates the database to this code's newest version. When several replicas call it concurrently, one migrates and the
 * others wait and find nothing to do. Each version is applied in its own transaction; there are no down migrations. A
 * database that a newer version has migrated is left unchanged when this code can read it.
 * @throws SchemaError when the database is too new, of unknown origin, or locked, or when running services could not use it.
 * @throws Error when an applied migration was changed since.
 */
export async function migrate({
  url,
  passwords,
  auditRetentionDays,
  report = () => {},
  servicesRun = false,
  migrations = readMigrations(),
  limits = {},
}: MigrateOptions): Promise<MigrateResult> {
  const client = new Client({ connectionString: url, application_name: 'migration' });
  // The pending query rejects; without a listener, the lost connection would also end the process.
  client.on('error', () => {});
  const allLimits = { ...lockLimits, ...limits };
  const bounded = (work: () => Promise<void>) => runWithBoundedLocks(client, url, allLimits, work);
  await client.connect();
  try {
    await lockMigrations(client, allLimits);
    const schema = await schemaOf(client);
    const target = schemaAfter(migrations);
    assertReadable(target.version, schema);
    if (servicesRun) assertReadableByRunning(schema, target);
    const untracked = schema.version === 0 ? await detectVersion(client, migrations) : 0;
    await ensureRoles(client, passwords);
    if (untracked > 0)
      await assertColumns(
        client,
        migrations.filter(({ version }) => version <= untracked),
      );
    await restrictConnections(client);
    const migrating = { client, migrations, report, bounded };
    if (schema.version <= target.version) await recordVersions(migrating, untracked);
    await client.query(`grant select on schema_version to ${databaseRoles.join(', ')}`);
    const result = await applyPending(migrating);
    await grantReading(client);
    if (auditRetentionDays !== undefined)
      await client.query('update audit_retention set days = $1', [auditRetentionDays]);
    return result;
  } finally {
    // Closing the connection releases the advisory lock.
    await client.end();
  }
}

function assertReadableByRunning(schema: Schema, target: Schema): void {
  if (schema.version === 0 || canRead(schema.version, target)) return;
  throw new SchemaError(
    'schema_contract',
    `the running services are of v${schema.version}, and v${target.version} is readable from v${target.readableFrom} on; stop them before the migration`,
  );
}

/** Creates the record of migrations, and completes one that v0.5.0 or older, or no version, has written. */
async function recordVersions({ client, migrations, report, bounded }: Migrating, untracked: number): Promise<void> {
  const { rowCount } = await client.query(
    `select from pg_attribute where attrelid = to_regclass('schema_version') and attname = 'readable_from'`,
  );
  if (rowCount === 0 || untracked > 0)
    await bounded(async () => {
      await client.query(
        `create table if not exists schema_version (
           version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now());
         alter table schema_version add column if not exists readable_from integer`,
      );
      for (const migration of migrations.filter(({ version }) => version <= untracked)) await record(client, migration);
    });
  if (untracked > 0) report(`schema v${untracked} recognised; its migrations are recorded`);
  // An older program may not lower what a newer one has declared.
  await client.query(
    `update schema_version as applied set readable_from = declared.readable_from
     from unnest($1::integer[], $2::integer[]) as declared(version, readable_from)
     where applied.version = declared.version
       and (applied.readable_from is null or applied.readable_from < declared.readable_from)`,
    [migrations.map(({ version }) => version), migrations.map(({ readableBy }) => readableBy)],
  );
}

async function ensureRoles(client: Client, passwords: MigrateOptions['passwords']): Promise<void> {
  for (const role of databaseRoles) {
    const { rowCount } = await client.query('select 1 from pg_roles where rolname = $1', [role]);
    if (rowCount === 0) await client.query(`create role ${role} login`).catch(ignoreExisting);
    const password = passwords[role];
    if (password) await client.query(`alter role ${role} password ${client.escapeLiteral(password)}`);
  }
}

/** Backups contain every table. An owner who is no superuser may not grant the role; it grants the same on its own tables. */
async function grantReading(client: Client): Promise<void> {
  try {
    await client.query('grant pg_read_all_data to operations');
  } catch (error) {
    const { code } = error as { code?: string };
    // Another database's migration grants it at this moment.
    if (code === '23505') return;
    if (code !== '42501') return ignoreConcurrent(error);
    await client.query(
      'grant select on all tables in schema public to operations; grant select on all sequences in schema public to operations',
    );
  }
}

/**
 * PostgreSQL lets every role connect to every database. Checked at every start, so that existing instances and the
 * server's own databases are covered, too.
 */
async function restrictConnections(client: Client): Promise<void> {
  await client.query('revoke create on schema public from public');
  const { rows } = await client.query<{ name: string }>(
    `select datname as name from pg_database
     where (datname = current_database() or datname in ('postgres', 'template1'))
       and pg_has_role(datdba, 'usage') and has_database_privilege('public', oid, 'connect')`,
  );
  for (const { name } of rows)
    await client
      .query(`revoke connect on database ${client.escapeIdentifier(name)} from public`)
      .catch(ignoreConcurrent);
  const { rows: own } = await client.query<{ name: string }>('select current_database() as name');
  const database = client.escapeIdentifier(own[0]?.name ?? '');
  await client.query(`grant connect on database ${database} to ${databaseRoles.join(', ')}`);
}

/** Another database's migration revokes the same right of the server's own databases at this moment. */
function ignoreConcurrent(error: unknown): void {
  if (!(error as Error).message.includes('tuple concurrently updated')) throw error;
}

/** Roles are global to the server: a concurrent migration of another database may have created the role. */
function ignoreExisting(error: unknown): void {
  const code = (error as { code?: string }).code;
  if (code !== '42710' && code !== '23505') throw error;
}

async function applyPending({ client, migrations, report, bounded }: Migrating): Promise<MigrateResult> {
  const { rows } = await client.query<{ version: number; checksum: string }>(
    'select version, checksum from schema_version order by version',
  );
  const from = rows.at(-1)?.version ?? 0;
  const head = migrations.at(-1)?.version ?? 0;
  for (const row of rows.filter(({ version }) => version <= head)) {
    const migration = migrations.find(({ version }) => version === row.version);
    if (!migration) throw new Error(`the database has v${row.version}, which this program does not know`);
    if (migration.checksum !== row.checksum)
      throw new Error(`migration v${row.version} was changed after it was applied`);
  }
  const pending = migrations.filter((migration) => !rows.some((row) => row.version === migration.version));
  const late = pending.find((migration) => migration.version < from);
  if (late)
    throw new Error(`migration v${late.version} stands before v${from}, which is applied already; the chain is linear`);
  for (const migration of pending) {
    report(`v${String(migration.version).padStart(3, '0')} ${migration.name}`);
    await applyOne(client, bounded, migration);
  }
  return { from, to: Math.max(from, head), applied: pending.map((migration) => migration.name) };
}

async function applyOne(client: Client, bounded: Migrating['bounded'], migration: Migration): Promise<void> {
  try {
    await bounded(async () => {
      await client.query(migration.sql);
      await record(client, migration);
    });
  } catch (cause) {
    if (cause instanceof SchemaError) throw cause;
    throw new Error(`migration v${migration.version} ${migration.name} failed; nothing of it was kept`, { cause });
  }
}

async function record(client: Client, { version, name, checksum, readableBy }: Migration): Promise<void> {
  await client.query('insert into schema_version (version, name, checksum, readable_from) values ($1, $2, $3, $4)', [
    version,
    name,
    checksum,
    readableBy,
  ]);
}

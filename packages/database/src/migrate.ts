import { Client } from 'pg';
import { readMigrations, type Migration } from './migrations.ts';

/** Roles of the services that own tables; a role is named like its service. */
export const databaseRoles = [
  'identity',
  'directory_sync',
  'media',
  'transcription_dispatcher',
  'search_indexer',
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
};
export type MigrateResult = { from: number; to: number; applied: string[] };

/** Key of the advisory lock; used by no other lock of the product. */
const lockKey = 0x07e570e;

/**
 * Migrates the database to this code's newest version. When several replicas call it concurrently, one migrates and the
 * others wait and find nothing to do. Each version is applied in its own transaction; there are no down migrations.
 * @throws Error when the database is newer than this code, or when an applied migration was changed since.
 */
export async function migrate({
  url,
  passwords,
  auditRetentionDays,
  report = () => {},
}: MigrateOptions): Promise<MigrateResult> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [lockKey]);
    await ensureRoles(client, passwords);
    await client.query(
      `create table if not exists schema_version (
         version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`,
    );
    await restrictConnections(client);
    await client.query(`grant select on schema_version to ${databaseRoles.join(', ')}`);
    const result = await applyPending(client, report);
    if (auditRetentionDays !== undefined)
      await client.query('update audit_retention set days = $1', [auditRetentionDays]);
    return result;
  } finally {
    // Closing the connection releases the advisory lock.
    await client.end();
  }
}

async function ensureRoles(client: Client, passwords: MigrateOptions['passwords']): Promise<void> {
  for (const role of databaseRoles) {
    const { rowCount } = await client.query('select 1 from pg_roles where rolname = $1', [role]);
    if (rowCount === 0) await client.query(`create role ${role} login`).catch(ignoreExisting);
    const password = passwords[role];
    if (password) await client.query(`alter role ${role} password ${client.escapeLiteral(password)}`);
  }
  await client.query('revoke create on schema public from public');
}

/**
 * PostgreSQL lets every role connect to every database. Checked at every start, so that existing instances and the
 * server's own databases are covered, too.
 */
async function restrictConnections(client: Client): Promise<void> {
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

async function applyPending(client: Client, report: (line: string) => void): Promise<MigrateResult> {
  const known = readMigrations();
  const { rows } = await client.query<{ version: number; checksum: string }>(
    'select version, checksum from schema_version order by version',
  );
  const from = rows.at(-1)?.version ?? 0;
  const head = known.at(-1)?.version ?? 0;
  if (from > head)
    throw new Error(`the database is at v${from}, newer than this program (v${head}); update the program`);
  for (const row of rows) {
    const migration = known.find(({ version }) => version === row.version);
    if (!migration) throw new Error(`the database has v${row.version}, which this program does not know`);
    if (migration.checksum !== row.checksum)
      throw new Error(`migration v${row.version} was changed after it was applied`);
  }
  const pending = known.filter((migration) => !rows.some((row) => row.version === migration.version));
  const late = pending.find((migration) => migration.version < from);
  if (late)
    throw new Error(`migration v${late.version} stands before v${from}, which is applied already; the chain is linear`);
  for (const migration of pending) {
    report(`v${String(migration.version).padStart(3, '0')} ${migration.name}`);
    await applyOne(client, migration);
  }
  return { from, to: head, applied: pending.map((migration) => migration.name) };
}

async function applyOne(client: Client, migration: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(migration.sql);
    await client.query('insert into schema_version (version, name, checksum) values ($1, $2, $3)', [
      migration.version,
      migration.name,
      migration.checksum,
    ]);
    await client.query('commit');
  } catch (cause) {
    await client.query('rollback');
    throw new Error(`migration v${migration.version} ${migration.name} failed; nothing of it was kept`, { cause });
  }
}

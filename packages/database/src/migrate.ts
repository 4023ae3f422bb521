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
  /** Connection of the database's owner. */
  url: string;
  /** Passwords to set for the roles; a role without one keeps what it has. */
  passwords: Partial<Record<DatabaseRole, string>>;
  report?: (line: string) => void;
};
export type MigrateResult = { from: number; to: number; applied: string[] };

/** Any number that nobody else uses: the key of the advisory lock. */
const lockKey = 0x07e570e;

/**
 * Brings the database to this code's head. However many replicas call it at once, one works and the others wait and
 * find nothing to do. Each version is applied in its own transaction; the chain has no way back.
 * @throws Error when the database is newer than this code, or when an applied migration was changed since.
 */
export const migrate = async ({ url, passwords, report = () => {} }: MigrateOptions): Promise<MigrateResult> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [lockKey]);
    await ensureRoles(client, passwords);
    await client.query(
      `create table if not exists schema_version (
         version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`,
    );
    await client.query(`grant select on schema_version to ${databaseRoles.join(', ')}`);
    return await applyPending(client, report);
  } finally {
    // Ending the connection gives the advisory lock back.
    await client.end();
  }
};

const ensureRoles = async (client: Client, passwords: MigrateOptions['passwords']): Promise<void> => {
  for (const role of databaseRoles) {
    const { rowCount } = await client.query('select 1 from pg_roles where rolname = $1', [role]);
    if (rowCount === 0) await client.query(`create role ${role} login`).catch(ignoreExisting);
    const password = passwords[role];
    if (password) await client.query(`alter role ${role} password ${client.escapeLiteral(password)}`);
  }
  await client.query('revoke create on schema public from public');
};

/** Roles belong to the whole server: another database's migration may have made it meanwhile. */
const ignoreExisting = (e: unknown): void => {
  const code = (e as { code?: string }).code;
  if (code !== '42710' && code !== '23505') throw e;
};

const applyPending = async (client: Client, report: (line: string) => void): Promise<MigrateResult> => {
  const known = readMigrations();
  const { rows } = await client.query<{ version: number; checksum: string }>(
    'select version, checksum from schema_version order by version',
  );
  const from = rows.at(-1)?.version ?? 0;
  const head = known.at(-1)?.version ?? 0;
  if (from > head)
    throw new Error(`the database is at v${from}, newer than this program (v${head}); update the program`);
  for (const row of rows) {
    const migration = known.find((m) => m.version === row.version);
    if (!migration) throw new Error(`the database has v${row.version}, which this program does not know`);
    if (migration.checksum !== row.checksum)
      throw new Error(`migration v${row.version} was changed after it was applied`);
  }
  const pending = known.filter((m) => !rows.some((r) => r.version === m.version));
  const late = pending.find((m) => m.version < from);
  if (late)
    throw new Error(`migration v${late.version} stands before v${from}, which is applied already; the chain is linear`);
  for (const m of pending) {
    report(`v${String(m.version).padStart(3, '0')} ${m.name}`);
    await applyOne(client, m);
  }
  return { from, to: head, applied: pending.map((m) => m.name) };
};

const applyOne = async (client: Client, m: Migration): Promise<void> => {
  await client.query('begin');
  try {
    await client.query(m.sql);
    await client.query('insert into schema_version (version, name, checksum) values ($1, $2, $3)', [
      m.version,
      m.name,
      m.checksum,
    ]);
    await client.query('commit');
  } catch (cause) {
    await client.query('rollback');
    throw new Error(`migration v${m.version} ${m.name} failed; nothing of it was kept`, { cause });
  }
};

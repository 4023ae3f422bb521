import type { Client } from 'pg';
import { readMigrations } from '@overtone/database/migrations';
import { readColumns, type Columns } from '@overtone/database/content';
import { withClient } from './client.ts';
import { BackupError } from './errors.ts';

const rowsPerBatch = 2_000;
/** Tables with rights, whose rows in the present database limit those of the backup. */
const comparedTables = [
  'user',
  'user_group_member',
  'group_mapping',
  'file_share',
  'collection_share',
  'code_list_share',
  'export_template',
  'export_template_share',
  'collection_member',
  'auth_config',
  'login_lockout',
  'password_history',
] as const;
export type ComparedTable = (typeof comparedTables)[number];
/** Whether both databases have all these columns of a table. */
export type HasColumns = (table: ComparedTable, ...columns: readonly string[]) => boolean;

/** Append-only tables, and their times of insertion. */
const auditTables = { audit_log: 'time', auth_config_audit: 'created_at' } as const;

/** The ledger of erased persons, replaced by the present one: a backup knows less of it. In the order of their references. */
const ledgerTables = ['erasure', 'erasure_report', 'erasure_key'] as const;
/** The migrations that make them. */
const ledgerMigrations: ReadonlySet<number> = new Set([450, 453]);

/** What of the present database is copied into a replayed one. */
export type Present = {
  /** For each table that was copied to `present_<table>`: the columns that both databases have. */
  readonly columns: ReadonlyMap<ComparedTable, readonly string[]>;
  /** Tables that could not be read to their end. */
  readonly unreadable: readonly string[];
  /** Records that were added to the audit log and to the history of the sign-in settings. */
  readonly auditRecords: number;
  /** Erasures in the ledger of the present database. */
  readonly erasures: number;
};

/**
 * Copies the tables with rights of the present database to temporary tables `present_<table>`, and the audit records since
 * the backup into the tables themselves; to be called in a transaction. Memory is constant. Tables that only one of both
 * databases has are left out, because their schemas may be of different versions.
 */
export async function copyPresent(scratch: Client, presentUrl: string | undefined, since: Date): Promise<Present> {
  const nothing = { columns: new Map(), unreadable: [], auditRecords: 0, erasures: 0 };
  if (presentUrl === undefined) return nothing;
  const unreadable = [...comparedTables, ...Object.keys(auditTables), ...ledgerTables];
  await createLedger(scratch);
  const inScratch = await readColumns(scratch);
  try {
    return await withClient(presentUrl, async (present) => {
      const inPresent = await readColumns(present).catch(() => undefined);
      if (inPresent === undefined) return { ...nothing, unreadable };
      return await copyTables({ present, scratch, inPresent, inScratch }, since);
    });
  } catch (error) {
    // An unreadable present database is the reason for many a restore.
    if (!(error instanceof BackupError) || error.code !== 'database_unavailable') throw error;
    return { ...nothing, unreadable };
  }
}

type Databases = {
  readonly present: Client;
  readonly scratch: Client;
  readonly inPresent: Columns;
  readonly inScratch: Columns;
};

async function copyTables({ present, scratch, inPresent, inScratch }: Databases, since: Date): Promise<Present> {
  const columns = new Map<ComparedTable, readonly string[]>();
  const unreadable: string[] = [];
  let auditRecords = 0;
  const commonOf = (table: string): string[] =>
    (inScratch.get(table) ?? []).filter((column) => inPresent.get(table)?.includes(column));
  for (const table of comparedTables) {
    const common = commonOf(table);
    if (common.length === 0) continue;
    const names = listOf(scratch, common);
    await scratch.query(
      `create temporary table present_${table} on commit drop as
       select ${names} from public.${scratch.escapeIdentifier(table)} with no data`,
    );
    const { complete } = await copyRows(present, scratch, { table, into: `present_${table}`, names });
    if (complete) columns.set(table, common);
    else unreadable.push(table);
  }
  for (const [table, time] of Object.entries(auditTables)) {
    const common = commonOf(table);
    if (!common.includes(time) || !common.includes('uuid')) continue;
    const { complete, inserted } = await copyRows(present, scratch, {
      table,
      into: `public.${table}`,
      names: listOf(scratch, common),
      // A transaction that was open during the backup has an older time; a day is more than any lasts.
      where: `${time} >= ${scratch.escapeLiteral(since.toISOString())}::timestamptz - interval '1 day'`,
    });
    auditRecords += inserted;
    if (!complete) unreadable.push(table);
  }
  const { erasures, unreadable: lost } = await copyLedger({ present, scratch, inPresent, inScratch });
  return { columns, unreadable: [...unreadable, ...lost], auditRecords, erasures };
}

/** The backup of an older version has no ledger; its migration finds these tables then. */
async function createLedger(scratch: Client): Promise<void> {
  const sql = readMigrations()
    .filter(({ version }) => ledgerMigrations.has(version))
    .map((migration) => migration.sql)
    .join('\n');
  // Only the tables: the functions and rights of the migration need what came before it.
  for (const table of ledgerTables) {
    const definition = new RegExp(String.raw`create table if not exists ${table} \([\s\S]*?\n\);`).exec(sql)?.[0];
    if (definition !== undefined) await scratch.query(definition);
  }
}

/**
 * Takes over every erasure of the present ledger with its state. An erasure that only the backup has stays: the present
 * database is then an older one, or of another installation.
 */
async function copyLedger({ present, scratch, inPresent, inScratch }: Databases) {
  const unreadable: string[] = [];
  let erasures = 0;
  for (const table of ledgerTables) {
    const names = inPresent.get(table)?.filter((column) => inScratch.get(table)?.includes(column)) ?? [];
    if (names.length === 0) continue;
    const list = listOf(scratch, names);
    const into = `present_${table}`;
    await scratch.query(
      `create temporary table ${into} on commit drop as select ${list} from public.${table} with no data`,
    );
    const { complete, inserted } = await copyRows(present, scratch, { table, into, names: list });
    if (!complete) unreadable.push(table);
    if (table === 'erasure') erasures = inserted;
    const changed = names.filter((name) => name !== 'uuid').map((name) => `${name} = excluded.${name}`);
    await scratch.query(
      `insert into public.${table} (${list}) select ${list} from ${into}
       on conflict (uuid) do update set ${changed.join(', ')}`,
    );
  }
  return { erasures, unreadable };
}

type Copy = { readonly table: string; readonly into: string; readonly names: string; readonly where?: string };

/** Copies rows in batches, except those that are there already. What was read before a failure stays. */
async function copyRows(
  present: Client,
  scratch: Client,
  { table, into, names, where = 'true' }: Copy,
): Promise<{ complete: boolean; inserted: number }> {
  let inserted = 0;
  const read = async (sql: string): Promise<string[] | undefined> =>
    await present.query<{ row: string }>(sql).then(
      ({ rows }) => rows.map(({ row }) => row),
      () => undefined,
    );
  await read('begin isolation level repeatable read, read only');
  let batch = await read(
    `declare present_rows no scroll cursor for
     select to_jsonb(part)::text as row
     from (select ${names} from public.${present.escapeIdentifier(table)} where ${where}) part`,
  );
  while (batch !== undefined) {
    batch = await read(`fetch ${rowsPerBatch} from present_rows`);
    if (batch === undefined || batch.length === 0) break;
    const { rowCount } = await scratch.query(
      `insert into ${into} (${names}) select ${names} from jsonb_populate_recordset(null::${into}, $1::jsonb)
       on conflict do nothing`,
      [`[${batch.join(',')}]`],
    );
    inserted += rowCount ?? 0;
  }
  await read('rollback');
  return { complete: batch !== undefined, inserted };
}

function listOf(client: Client, columns: readonly string[]): string {
  return columns.map((column) => client.escapeIdentifier(column)).join(', ');
}

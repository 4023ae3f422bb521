import { describeSchema, findOrphans, hashTables, readColumns, type Columns } from '@overtone/database/content';
import { migrate } from '@overtone/database/migrate';
import { dropDatabase } from '@overtone/backup/databases';
import { withClient } from '@overtone/backup';
import { hash } from '@node-rs/argon2';
import { inventPassword } from '../setup/secrets.ts';
import type { SmokeAccount } from './smoke.ts';

export type FreshDatabase = { readonly schema: readonly string[]; readonly columns: Columns };

/** The schema of a new database of this version; also creates the roles that a dump grants rights to. */
export async function describeFresh(urlOf: (database: string) => string): Promise<FreshDatabase> {
  const name = 'rehearsal_fresh';
  await withClient(
    urlOf('postgres'),
    async (client) => await client.query(`create database ${name} template template0`),
  );
  await migrate({ url: urlOf(name), passwords: {} });
  const described = await withClient(urlOf(name), async (client) => ({
    schema: await describeSchema(client),
    columns: await readColumns(client),
  }));
  await withClient(urlOf('postgres'), async (client) => await dropDatabase(client, name));
  return described;
}

export type Migrated = { from: number; to: number; rows: number; tables: number; seconds: number };

/**
 * Applies the migrations of this version, and verifies that every row and every value is still there, that no row refers to
 * a missing one, and that the schema equals that of a new database. @throws Error with what differs.
 */
export async function migrateAndVerify(url: string, fresh: FreshDatabase): Promise<Migrated> {
  // Columns that a migration drops are not compared.
  const columns = await withClient(url, async (client) => common(await readColumns(client), fresh.columns));
  const before = await withClient(url, async (client) => await hashTables(client, columns));
  const startedAt = performance.now();
  const { from, to } = await migrate({ url, passwords: {} });
  const seconds = (performance.now() - startedAt) / 1000;
  await withClient(url, async (client) => {
    const after = await hashTables(client, columns);
    refuse(
      'The migrations changed rows',
      before.flatMap(({ name, rows, content }, index) =>
        after[index]?.content === content ? [] : [`${name} (${rows} rows before, ${after[index]?.rows ?? 0} after)`],
      ),
    );
    refuse('Rows refer to missing rows', await findOrphans(client));
    const schema = await describeSchema(client);
    refuse('The schema is not that of a new database', [
      ...fresh.schema.filter((line) => !schema.includes(line)).map((line) => `missing: ${line}`),
      ...schema.filter((line) => !fresh.schema.includes(line)).map((line) => `only here: ${line}`),
    ]);
  });
  return { from, to, rows: before.reduce((sum, { rows }) => sum + rows, 0), tables: before.length, seconds };
}

/**
 * Keeps the services of a rehearsal from everything outside of it: no sign-in method and no schedule that reaches another
 * server; no queue is paused. Gives the owner of a finished recording, or another account, a password.
 * @returns undefined when there is no account; the services create the first administrator then.
 */
export async function isolate(url: string): Promise<SmokeAccount | undefined> {
  return await withClient(url, async (client) => {
    await client.query('delete from queue_pause');
    // Backups of a rehearsal stay in its folder, and there is no mirror.
    await client.query('delete from operations_settings');
    // Recordings of a rehearsal are not sent to speech services.
    await client.query(`delete from dispatcher_settings where starts_with(key, 'asr.')`);
    await client.query(
      `delete from auth_config where config_key in ('ldap_enabled', 'oidc_enabled', 'pki_enabled', 'proxy_enabled')`,
    );
    const { rows } = await client.query<{ uuid: string; email: string; recording: string | null }>(
      `select u.uuid, u.email, f.uuid as recording from "user" u
       left join media_file f on f.user_id = u.uuid and f.status = 'completed' and f.deleted_at is null
         and exists (select from transcript_segment s where s.media_file_id = f.uuid)
       order by f.upload_time desc nulls last limit 1`,
    );
    const [found] = rows;
    if (found === undefined) return undefined;
    const password = inventPassword();
    await client.query(
      `update "user" set password_hash = $2, auth_type = 'local', role = 'super_admin', is_active = true,
         approval_status = 'approved', must_change_password = false, password_changed_at = now(),
         account_expires_at = null, failed_logins = 0, locked_until = null where uuid = $1`,
      [found.uuid, await hash(password)],
    );
    return { email: found.email, password, recording: found.recording ?? undefined };
  });
}

/** Without the record of migrations, which every migration changes. */
function common(left: Columns, right: Columns): Columns {
  const tables = [...left].filter(([table]) => table !== 'schema_version' && right.has(table));
  return new Map(tables.map(([table, names]) => [table, names.filter((name) => right.get(table)!.includes(name))]));
}

function refuse(title: string, faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(`${title}: ${faults.slice(0, 10).join('; ')}`);
}

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDatabase, startPostgres, type TestDatabase } from '@overtone/testkit';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { Client } from 'pg';
import { databaseRoles, migrate, migrationHead } from './index.ts';

async function sql(url: string, text: string, values: unknown[] = []) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text, values)).rows;
  } finally {
    await client.end();
  }
}

let count = 0;

async function emptyDatabase(): Promise<string> {
  const name = `empty_${(count += 1)}`;
  await sql(server.url, `create database ${name}`);
  return server.url.replace(/\/postgres$/, `/${name}`);
}
const server = await stopAfterFile(startPostgres());

describe('migration chain', () => {
  it('is applied once when many replicas start concurrently', async () => {
    const url = await emptyDatabase();
    const results = await Promise.all(Array.from({ length: 8 }, () => migrate({ url, passwords: {} })));
    expect(results.filter((result) => result.applied.length > 0)).toHaveLength(1);
    expect(await sql(url, 'select max(version) as head from schema_version')).toEqual([{ head: migrationHead() }]);
  });

  it('refuses a database that is newer than the program, and changes nothing', async () => {
    const url = await emptyDatabase();
    await migrate({ url, passwords: {} });
    await sql(url, "insert into schema_version (version, name, checksum) values (9999, 'later', 'x')");
    await expect(migrate({ url, passwords: {} })).rejects.toThrow('newer than this program');
  });

  it('refuses when an applied migration was changed since', async () => {
    const url = await emptyDatabase();
    await migrate({ url, passwords: {} });
    await sql(url, "update schema_version set checksum = 'other' where version = 10");
    await expect(migrate({ url, passwords: {} })).rejects.toThrow('v10 was changed');
  });

  it('refuses a migration below one that is applied', async () => {
    const url = await emptyDatabase();
    await migrate({ url, passwords: {} });
    const removed = await sql(
      url,
      `delete from schema_version where version = (select max(version) from schema_version where version < $1)
       returning version`,
      [migrationHead()],
    );
    const refusal = `v${String(removed[0]?.['version'])} stands before v${migrationHead()}`;
    await expect(migrate({ url, passwords: {} })).rejects.toThrow(refusal);
  });

  it('sets the passwords of the roles it is given', async () => {
    const url = await emptyDatabase();
    await migrate({ url, passwords: { media: 'first' } });
    await migrate({ url, passwords: { media: "sec'ond" } });
    const rows = await sql(url, 'select rolname from pg_roles where rolname = any($1) order by 1', [
      [...databaseRoles],
    ]);
    expect(rows).toHaveLength(databaseRoles.length);
  });

  it.each(['fresh', 'existing'])('lets a service role connect to its own database only (%s instance)', async (kind) => {
    const url = await emptyDatabase();
    const passwords = Object.fromEntries(databaseRoles.map((role) => [role, 'secret']));
    await migrate({ url, passwords });
    const name = new URL(url).pathname.slice(1);
    if (kind === 'existing') {
      await sql(url, `grant connect on database ${name} to public`);
      await sql(url, 'grant connect on database postgres to public');
      await migrate({ url, passwords });
    }
    for (const role of databaseRoles) {
      const to = (database: string) =>
        url.replace(/\/\/[^@]*@/, `//${role}:secret@`).replace(/\/[^/]*$/, `/${database}`);
      expect(await sql(to(name), 'select 1 as one')).toEqual([{ one: 1 }]);
      for (const other of ['postgres', 'template1'])
        await expect(sql(to(other), 'select 1')).rejects.toThrow('permission denied for database');
    }
  });

  it('needs an owner with the right to create roles, not a superuser', async () => {
    // A separate server: the owner cannot change roles that a superuser has created.
    const other = await startPostgres();
    try {
      await sql(other.url, 'create role keeper login createrole');
      await sql(other.url, 'create database kept owner keeper');
      const url = other.url.replace(/\/\/[^@]*@/, '//keeper@').replace(/\/postgres$/, '/kept');
      const { to } = await migrate({ url, passwords: { media: 'first' } });
      expect(to).toBe(migrationHead());
      // This owner may not grant pg_read_all_data, and grants the right to read its own tables instead.
      const asOperations = url.replace('//keeper@', '//operations@');
      expect(await sql(asOperations, 'select count(*)::int as rows from refresh_token')).toEqual([{ rows: 0 }]);
    } finally {
      await other.stop();
    }
  });
});

describe('roles', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createDatabase();
  });
  afterAll(() => db.drop());

  it('keeps media out of refresh_token', async () => {
    await expect(sql(db.urlFor('media'), 'select * from refresh_token')).rejects.toThrow('permission denied');
  });

  it.each([
    ['identity', 'media_file'],
    ['media', '"user"'],
    ['media', 'task'],
    ['transcription_dispatcher', 'transcript_segment'],
    ['search_indexer', 'media_file'],
    ['directory_sync', '"user"'],
  ])('keeps %s out of %s', async (role, table) => {
    await expect(sql(db.urlFor(role), `select * from ${table}`)).rejects.toThrow('permission denied');
    await expect(sql(db.urlFor(role), `delete from ${table}`)).rejects.toThrow('permission denied');
  });

  it('lets operations read every table and write none of another service', async () => {
    const tables = await sql(
      db.url,
      `select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`,
    );
    for (const { name } of tables) await sql(db.urlFor('operations'), `select 1 from ${String(name)} limit 1`);
    for (const table of ['"user"', 'media_file', 'task', 'audit_log', 'restore_record'])
      await expect(sql(db.urlFor('operations'), `delete from ${table}`)).rejects.toThrow('permission denied');
  });

  it('lets directory-sync close a record of a restore and change nothing else of it', async () => {
    await sql(db.url, `insert into restore_record (backup_name) values ('overtone-1')`);
    await sql(db.urlFor('directory_sync'), 'update restore_record set directory_checked_at = now()');
    for (const statement of [
      `update restore_record set backup_name = 'other'`,
      'delete from restore_record',
      `insert into restore_record (backup_name) values ('other')`,
    ])
      await expect(sql(db.urlFor('directory_sync'), statement)).rejects.toThrow('permission denied');
  });

  it('lets only the owner change the schema', async () => {
    await expect(sql(db.urlFor('media'), 'create table mine (id int)')).rejects.toThrow('permission denied');
    await expect(sql(db.urlFor('media'), 'update schema_version set version = 1')).rejects.toThrow('permission denied');
  });

  describe('the audit log', () => {
    const asIdentity = (text: string) => sql(db.urlFor('identity'), text);
    beforeAll(() =>
      sql(
        db.url,
        `insert into audit_log (event_type, outcome, time) values
           ('kept', 'success', now() - interval '364 days'), ('old', 'success', now() - interval '366 days')`,
      ),
    );

    it('accepts new records from identity', async () => {
      await asIdentity(`insert into audit_log (event_type, outcome) values ('new', 'success')`);
      expect(await asIdentity(`select event_type from audit_log where event_type = 'new'`)).toHaveLength(1);
    });

    it.each([
      `update audit_log set outcome = 'failure'`,
      `update audit_log set details = '{}' where event_type = 'kept'`,
      `delete from audit_log`,
      `truncate audit_log`,
      `drop table audit_log`,
      `alter table audit_log disable trigger all`,
      `alter table audit_log owner to identity`,
      `alter table audit_log alter column time drop default`,
      `create rule hide as on insert to audit_log do instead nothing`,
      `create trigger tr before insert on audit_log for each row execute function name_group_mapping_state()`,
      `grant update on audit_log to identity; update audit_log set outcome = 'failure'`,
      `insert into audit_log (event_type, outcome) values ('a', 'success') on conflict (uuid) do update set outcome = 'failure'`,
      `merge into audit_log a using (select 1) s on true when matched then delete`,
      `update audit_retention set days = 1`,
      `delete from audit_retention`,
      `insert into audit_retention (days) values (1)`,
      `create or replace function delete_old_audit_records(at_most integer) returns integer language sql as 'select 0'`,
      `alter function delete_old_audit_records(integer) security invoker`,
      `update auth_config_audit set key = 'x'`,
      `delete from auth_config_audit`,
      `alter table group_mapping disable trigger tr_group_mapping_updated`,
      `drop trigger tr_group_mapping_updated on group_mapping`,
      `set session_replication_role = replica`,
      `set role overtone`,
    ])('refuses identity: %s', async (statement) => {
      const before = await sql(db.url, 'select * from audit_log order by uuid');
      await expect(asIdentity(statement)).rejects.toThrow();
      expect(await sql(db.url, 'select * from audit_log order by uuid')).toEqual(before);
    });

    it('deletes only records past the retention time, whatever a session sets', async () => {
      await sql(
        db.urlFor('identity'),
        `create temp table audit_retention (days int); insert into audit_retention values (0);
         set search_path = pg_temp, public; select delete_old_audit_records(1000000)`,
      );
      const left = await sql(db.url, `select event_type from audit_log where event_type in ('kept', 'old')`);
      expect(left).toEqual([{ event_type: 'kept' }]);
    });

    it('uses the retention time of the last migration run', async () => {
      const { url } = db;
      await migrate({ url, passwords: {}, auditRetentionDays: 30 });
      await migrate({ url, passwords: {} });
      expect(await sql(url, 'select days from audit_retention')).toEqual([{ days: 30 }]);
      await asIdentity('select delete_old_audit_records(10)');
      expect(await sql(url, `select 1 from audit_log where event_type = 'kept'`)).toHaveLength(0);
    });
  });
});

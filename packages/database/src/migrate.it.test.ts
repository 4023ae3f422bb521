import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDatabase, startPostgres, type TestDatabase, type TestServer } from '@overtone/testkit';
import { Client } from 'pg';
import { databaseRoles, migrate, migrationHead } from './index.ts';

const sql = async (url: string, text: string, values: unknown[] = []) => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text, values)).rows;
  } finally {
    await client.end();
  }
};

let server: TestServer;
let count = 0;
const emptyDatabase = async (): Promise<string> => {
  const name = `empty_${(count += 1)}`;
  await sql(server.url, `create database ${name}`);
  return server.url.replace(/\/postgres$/, `/${name}`);
};
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

describe('migration chain', () => {
  it('is applied once however many replicas start together', async () => {
    const url = await emptyDatabase();
    const results = await Promise.all(Array.from({ length: 8 }, () => migrate({ url, passwords: {} })));
    expect(results.filter((r) => r.applied.length > 0)).toHaveLength(1);
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

  it('sets the passwords of the roles it is given', async () => {
    const url = await emptyDatabase();
    await migrate({ url, passwords: { media: 'first' } });
    await migrate({ url, passwords: { media: "sec'ond" } });
    const rows = await sql(url, 'select rolname from pg_roles where rolname = any($1) order by 1', [
      [...databaseRoles],
    ]);
    expect(rows).toHaveLength(databaseRoles.length);
  });

  it('needs an owner who may make roles, and no superuser', async () => {
    // A server of its own: roles that a superuser has made are not the owner's to change.
    const other = await startPostgres();
    try {
      await sql(other.url, 'create role keeper login createrole');
      await sql(other.url, 'create database kept owner keeper');
      const url = other.url.replace(/\/\/[^@]*@/, '//keeper@').replace(/\/postgres$/, '/kept');
      const { to } = await migrate({ url, passwords: { media: 'first' } });
      expect(to).toBe(migrationHead());
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

  it('lets nobody but the owner change the schema', async () => {
    await expect(sql(db.urlFor('media'), 'create table mine (id int)')).rejects.toThrow('permission denied');
    await expect(sql(db.urlFor('media'), 'update schema_version set version = 1')).rejects.toThrow('permission denied');
  });
});

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { withClient } from '@overtone/backup';
import { migrate } from '@overtone/database/migrate';
import { startPostgres } from '@overtone/testkit';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { describeFresh, isolate, migrateAndVerify, type FreshDatabase } from './database.ts';

describe('the database of a rehearsal', () => {
  let fresh: FreshDatabase;
  let url: string;
  let urlOf: (database: string) => string;
  beforeAll(async () => {
    const server = await stopAfterFile(startPostgres());
    urlOf = (database) => server.url.replace(/\/postgres$/, `/${database}`);
    fresh = await describeFresh(urlOf);
  });
  let count = 0;
  beforeEach(async () => {
    const name = `restored_${(count += 1)}`;
    await withClient(urlOf('postgres'), async (client) => await client.query(`create database ${name}`));
    url = urlOf(name);
    await migrate({ url, passwords: {} });
    await sql(`insert into "user" (uuid, email) values ('${owner}', 'ada@example.org')`);
  });
  const owner = '0b8f7d5e-8a3c-4f0e-9d4b-6d0a2c1e3f55';
  const sql = async (text: string): Promise<Record<string, unknown>[]> =>
    await withClient(url, async (client) => (await client.query<Record<string, unknown>>(text)).rows);

  it('is accepted when rows, references and schema are those of this version', async () => {
    expect(await migrateAndVerify(url, fresh)).toMatchObject({ from: expect.any(Number), rows: expect.any(Number) });
  });

  it('is refused when a row refers to a missing row', async () => {
    await sql(`set session_replication_role = replica;
      insert into password_history (user_id, password_hash) values (gen_random_uuid(), 'x')`);
    await expect(migrateAndVerify(url, fresh)).rejects.toThrow(
      /refer to missing rows: .*password_history refers to a missing row of "user"/,
    );
  });

  it.each([
    ['an index is missing', 'drop index uq_user_email_ci', /missing: index .*uq_user_email_ci/],
    ['a column was added by hand', 'alter table tag add column colour text', /only here: column tag.colour text/],
    ['a right was added by hand', 'grant select on "user" to media', /only here: right user media SELECT/],
  ])('is refused when %s', async (_case, change, fault) => {
    await sql(change);
    await expect(migrateAndVerify(url, fresh)).rejects.toThrow(fault);
  });

  it('gives the owner of a finished recording a password, and no sign-in method that reaches another server', async () => {
    await sql(`
      insert into "user" (email) values ('unknown@example.org');
      insert into auth_config (config_key, category, config_value) values ('ldap_enabled', 'ldap', 'true'), ('oidc_enabled', 'oidc', 'true');
      insert into queue_pause (queue, reason, paused_by) values ('gpu', 'driver update', '${owner}');
      with file as (insert into media_file (user_id, filename, title, object_key, content_type, file_size, status)
        values ('${owner}', 'a.wav', 'A', 'files/a', 'audio/wav', 1, 'completed') returning uuid)
      insert into transcript_segment (media_file_id, position, start_time, end_time, text) select uuid, 0, 0, 1, 'Hello' from file`);
    expect(await isolate(url)).toMatchObject({ email: 'ada@example.org', recording: expect.any(String) });
    expect(await sql('select config_key from auth_config')).toEqual([]);
    expect(await sql('select queue from queue_pause')).toEqual([]);
  });

  it('has no account to use when it has no accounts', async () => {
    await sql('delete from "user"');
    expect(await isolate(url)).toBeUndefined();
  });
});

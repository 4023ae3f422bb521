import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { keyedHashes, parseKeyRing, sealHashKey } from '@overtone/service-kit/sealing';
import type { TestDatabase } from '@overtone/testkit';
import {
  backupOptions,
  createFilledDatabase,
  createFolderDestination,
  encryptionKey,
  programs,
  targetOf,
} from '../test/harness.ts';
import { withdrawRights, type Withdrawn } from './after-restore.ts';
import { createBackup } from './backup.ts';
import { withClient } from './client.ts';
import { scratchOf, swapDatabases } from './databases.ts';
import { replay } from './restore.ts';

const firstUser = '00000000-0000-4000-8000-0000000000a1';
const erasureId = '00000000-0000-4000-8000-0000000000e1';

describe('rights after a restore', () => {
  let folder: Awaited<ReturnType<typeof createFolderDestination>>;
  let database: TestDatabase;
  beforeAll(async () => {
    folder = await createFolderDestination();
  });
  afterAll(async () => await folder.remove());
  beforeEach(async () => {
    database = await createFilledDatabase(1);
  });
  afterEach(async () => await database.drop());

  const sql = async (text: string): Promise<Record<string, unknown>[]> =>
    await withClient(database.url, async (client) => (await client.query<Record<string, unknown>>(text)).rows);
  const account = async (email: string) =>
    (
      await sql(
        `select is_active, disabled_by, role, approval_status, account_expires_at, password_hash from "user" where email = '${email}'`,
      )
    )[0];

  /** What a restore compares with the present: the database as it was, beside the present one. */
  type Replayed = { scratchUrl: string; backupName: string; backupCreatedAt: Date };

  /** A copy of the database, much faster than the way through a backup, which restore.it.test.ts tests. */
  async function copyAside(change: () => Promise<unknown>): Promise<Replayed> {
    const { adminUrl, database: name } = targetOf(database);
    const backupCreatedAt = new Date();
    await withClient(adminUrl, async (client) => {
      const scratch = client.escapeIdentifier(scratchOf(name));
      await client.query(`drop database if exists ${scratch} with (force)`);
      await client.query(`create database ${scratch} template ${client.escapeIdentifier(name)}`);
    });
    await change();
    const url = new URL(database.url);
    url.pathname = `/${scratchOf(name)}`;
    return { scratchUrl: url.href, backupName: 'overtone-copy', backupCreatedAt };
  }

  async function backUpAndReplay(change: () => Promise<unknown>): Promise<Replayed> {
    const { destination } = folder;
    const manifest = await createBackup({
      ...backupOptions(database, destination),
      label: `r${database.url.slice(-6)}`,
    });
    await change();
    return {
      scratchUrl: await replay({ ...targetOf(database), manifest, destination, programs }),
      backupName: manifest.name,
      backupCreatedAt: new Date(manifest.created_at),
    };
  }

  /** Keeps the database, changes it, and restores what was kept over the change. */
  async function restoreAfter(
    change: string,
    before = '',
    options: Pick<Parameters<typeof withdrawRights>[0], 'administrator' | 'confirmKeptRights'> = {},
    keep = copyAside,
  ): Promise<Withdrawn> {
    await sql(before);
    const replayed = await keep(() => sql(change));
    const withdrawn = await withdrawRights({
      ...replayed,
      presentUrl: database.url,
      awaitDirectorySync: true,
      encryptionKey,
      ...options,
    });
    await swapDatabases(targetOf(database));
    return withdrawn;
  }

  it('end every session that the backup holds', async () => {
    const session = `insert into refresh_token (session_id, user_id, token_hash, expires_at, absolute_expires_at)
      select gen_random_uuid(), uuid, 'hash', now() + interval '1 day', now() + interval '1 day' from "user" limit 1`;
    expect(await restoreAfter('', session)).toMatchObject({ sessions: 1 });
    expect(await sql('select 1 from refresh_token where revoked_at is null')).toEqual([]);
  });

  it('end every invitation link that the backup holds', async () => {
    const link = `insert into user_invitation (user_id, token_hash, role, expires_at)
      select uuid, 'hash', role, now() + interval '1 day' from "user" limit 1`;
    await restoreAfter('delete from user_invitation', link);
    expect(await sql('select 1 from user_invitation')).toEqual([]);
  });

  it('end every public link that the backup holds', async () => {
    const link = `insert into public_link (media_file_id, created_by, token_hash, parts, expires_at)
      select uuid, user_id, 'hash', '{text}', now() + interval '1 day' from media_file limit 1`;
    await restoreAfter('', link);
    expect(await sql('select revoked_at is not null as revoked from public_link')).toEqual([{ revoked: true }]);
  });

  it('do not return to an account that was disabled after the backup', async () => {
    const withdrawn = await restoreAfter(
      `update "user" set is_active = false, disabled_by = 'directory' where email = 'user1@example.org'`,
    );
    expect(withdrawn.disabled).toEqual(['user1@example.org']);
    expect(await account('user1@example.org')).toMatchObject({ is_active: false, disabled_by: 'directory' });
    expect(await account('user2@example.org')).toMatchObject({ is_active: true });
  });

  it('do not return to an account that was deleted after the backup', async () => {
    const withdrawn = await restoreAfter(`delete from "user" where email = 'user3@example.org'`);
    expect(withdrawn.disabled).toEqual(['user3@example.org']);
    expect(await account('user3@example.org')).toMatchObject({ is_active: false, disabled_by: 'administrator' });
  });

  it('are at most the role, the approval and the end date of the present', async () => {
    const withdrawn = await restoreAfter(
      `update "user" set role = 'user', approval_status = 'rejected', account_expires_at = '2026-01-01' where email = 'user4@example.org'`,
      `update "user" set role = 'admin' where email = 'user4@example.org'`,
    );
    expect(withdrawn.demoted).toEqual(['user4@example.org']);
    expect(await account('user4@example.org')).toMatchObject({
      role: 'user',
      approval_status: 'rejected',
      account_expires_at: new Date('2026-01-01'),
    });
  });

  it('are not raised to those of the present', async () => {
    await restoreAfter(`update "user" set role = 'super_admin' where email = 'user5@example.org'`);
    expect(await account('user5@example.org')).toMatchObject({ role: 'user' });
  });

  it('keep a password that was changed after the backup', async () => {
    await restoreAfter(
      `update "user" set password_hash = 'new', password_changed_at = now() where email = 'user1@example.org'`,
      `update "user" set password_hash = 'old', password_changed_at = now() - interval '1 day'`,
    );
    expect(await account('user1@example.org')).toMatchObject({ password_hash: 'new' });
    expect(await account('user2@example.org')).toMatchObject({ password_hash: 'old' });
  });

  it('are those of the backup in a new installation, whose accounts are others', async () => {
    const withdrawn = await restoreAfter(
      `delete from "user"; insert into "user" (email) values ('new-admin@example.org')`,
    );
    expect(withdrawn).toMatchObject({ disabled: [], demoted: [] });
    expect(await account('user1@example.org')).toMatchObject({ is_active: true });
  });

  it('are erased again for persons who were erased after the backup, and the ledger opens another round', async () => {
    const [subject] = keyedHashes(parseKeyRing(encryptionKey), 'erasure subject', firstUser);
    const ledger = `insert into erasure (uuid, status, key_id, subject_hash, address_hash, ordered_by, finished_at)
        values ('${erasureId}', 'done', '${subject?.keyId}', '${subject?.hash}', 'address', gen_random_uuid(), now());
      insert into erasure_report (uuid, erasure_id, round, service, counts, complete)
        values (gen_random_uuid(), '${erasureId}', 1, 'media', '{"files": 1}', true)`;
    const withdrawn = await restoreAfter(
      `delete from media_file; delete from "user" where uuid = '${firstUser}'; ${ledger}`,
      `update "user" set uuid = '${firstUser}' where email = 'user1@example.org';
       update media_file set user_id = '${firstUser}'`,
    );
    expect(withdrawn).toMatchObject({ erasures: 1, erasedAgain: 1, disabled: [], unreadable: [] });
    expect(
      await sql(`select status, round, user_id, finished_at, sent_at < now() - interval '1 year' as due from erasure`),
    ).toEqual([{ status: 'running', round: 2, user_id: firstUser, finished_at: null, due: true }]);
    expect(await sql('select round, service, counts from erasure_report')).toEqual([
      { round: 1, service: 'media', counts: { files: 1 } },
    ]);
    expect(await account('user1@example.org')).toMatchObject({ is_active: false });
    expect(await account('user2@example.org')).toMatchObject({ is_active: true });
  });

  it('are erased again when ENCRYPTION_KEY was changed since, because the ledger keeps its keys', async () => {
    const old = parseKeyRing(`old:${Buffer.alloc(32, 7).toString('base64')}`);
    const [subject] = keyedHashes(old, 'erasure subject', firstUser);
    const both = [...parseKeyRing(encryptionKey), ...old] as unknown as ReturnType<typeof parseKeyRing>;
    const kept = sealHashKey(both, { keyId: 'old', purpose: 'erasure subject' });
    const withdrawn = await restoreAfter(
      `delete from media_file; delete from "user" where uuid = '${firstUser}';
       insert into erasure (uuid, status, key_id, subject_hash, address_hash, ordered_by, finished_at)
         values ('${erasureId}', 'done', 'old', '${subject?.hash}', 'address', gen_random_uuid(), now());
       insert into erasure_key (key_id, purpose, sealed_by, text)
         values ('old', 'erasure subject', '${kept?.sealedBy}', '${kept?.text}')`,
      `update "user" set uuid = '${firstUser}' where email = 'user1@example.org'`,
    );
    expect(withdrawn).toMatchObject({ erasures: 1, erasedAgain: 1, unknownErasures: 0, unreadable: [] });
    expect(await account('user1@example.org')).toMatchObject({ is_active: false });
    expect(await sql('select key_id from erasure_key')).toEqual([{ key_id: 'old' }]);
  });

  it('and an erasure that was running at the time of the backup is done when it is done now', async () => {
    const before = `insert into erasure (uuid, user_id, key_id, subject_hash, address_hash, ordered_by)
      values ('${erasureId}', '${firstUser}', 'key', 'subject', 'address', gen_random_uuid())`;
    const withdrawn = await restoreAfter(
      `update erasure set status = 'done', user_id = null, finished_at = now()`,
      before,
    );
    expect(withdrawn).toMatchObject({ erasures: 1, erasedAgain: 0, unknownErasures: 1 });
    expect(await sql('select status, round, user_id from erasure')).toEqual([
      { status: 'done', round: 1, user_id: null },
    ]);
  });

  const user = (number: number): string => `(select uuid from "user" where email = 'user${number}@example.org')`;
  const firstFile = '(select uuid from media_file limit 1)';

  it('do not return to a group that was left after the backup, nor a role in it', async () => {
    const withdrawn = await restoreAfter(
      `delete from user_group_member where user_id = ${user(1)};
       update user_group_member set role = 'member' where user_id = ${user(2)}`,
      `insert into user_group (name) values ('team');
       insert into user_group_member (group_id, user_id, role)
         select g.uuid, u.uuid, 'manager' from user_group g, "user" u where email < 'user4';
       update "user" set membership_version = 1 where email < 'user4';
       insert into media_membership select user_id, array[group_id], 1 from user_group_member`,
    );
    expect(withdrawn.memberships).toBe(2);
    expect(
      await sql('select email, m.role from user_group_member m join "user" u on user_id = uuid order by 1'),
    ).toEqual([
      { email: 'user2@example.org', role: 'member' },
      { email: 'user3@example.org', role: 'manager' },
    ]);
    for (const copy of ['media_membership', 'search_membership'])
      expect(await sql(`select group_ids, version::int from ${copy} where user_id = ${user(1)}`)).toEqual([
        { group_ids: [], version: 2 },
      ]);
  });

  it('do not return to a file that is no longer shared, or shared for reading only', async () => {
    const withdrawn = await restoreAfter(
      `delete from file_share where user_id = ${user(1)};
       update file_share set permission = 'viewer' where user_id = ${user(2)}`,
      `insert into file_share (media_file_id, user_id, permission, shared_by)
         select f.uuid, u.uuid, 'editor', f.user_id from media_file f, "user" u where email < 'user4';
       update media_file set access_version = 1;
       insert into search_file_access select media_file_id, '{}'::uuid[], array_agg(user_id), 1 from file_share group by 1`,
    );
    expect(withdrawn.shares).toBe(2);
    expect(await sql('select email, permission from file_share join "user" u on user_id = u.uuid order by 1')).toEqual([
      { email: 'user2@example.org', permission: 'viewer' },
      { email: 'user3@example.org', permission: 'editor' },
    ]);
    expect(
      await sql(`select array_length(user_ids, 1) as users, ${user(1)} = any(user_ids) as found, version
                 from search_file_access where file_id = ${firstFile}`),
    ).toEqual([{ users: 2, found: false, version: 2 }]);
  });

  it('do not return by a collection that is no longer shared, or to a file that has left it', async () => {
    const collection = '00000000-0000-4000-8000-00000000c011';
    const withdrawn = await restoreAfter(
      `delete from collection_share where user_id = ${user(1)};
       delete from collection_member where media_file_id = ${firstFile}`,
      `insert into collection (uuid, user_id, name)
         select '${collection}', user_id, 'Board' from media_file where uuid = ${firstFile};
       insert into collection_member (collection_id, media_file_id, added_by)
         select '${collection}', f.uuid, f.user_id from media_file f;
       insert into collection_share (collection_id, user_id, permission, shared_by)
         select '${collection}', u.uuid, 'viewer', c.user_id from collection c, "user" u where email < 'user3';
       insert into search_file_access select media_file_id, '{}'::uuid[], array_agg(user_id), 1 from file_grant group by 1`,
    );
    expect(withdrawn.shares).toBe(1);
    expect(await sql(`select 1 from file_grant where media_file_id = ${firstFile} or user_id = ${user(1)}`)).toEqual(
      [],
    );
    expect(await sql(`select user_ids from search_file_access where file_id = ${firstFile}`)).toEqual([
      { user_ids: [] },
    ]);
    expect(await sql(`select 1 from collection_member where media_file_id = ${firstFile}`)).toHaveLength(1);
  });

  it('do not return to a list of codes that is no longer shared, or is shared for reading only', async () => {
    const list = '00000000-0000-4000-8000-00000000c012';
    const withdrawn = await restoreAfter(
      `delete from code_list_share where user_id = ${user(1)};
       update code_list_share set permission = 'viewer'`,
      `insert into code_list (uuid, user_id, name)
         select '${list}', user_id, 'Study' from media_file where uuid = ${firstFile};
       insert into code_list_share (code_list_id, user_id, permission, shared_by)
         select '${list}', u.uuid, 'editor', c.user_id from code_list c, "user" u where email < 'user3'`,
    );
    expect(withdrawn.shares).toBe(2);
    expect(await sql(`select user_id = ${user(1)} as removed, permission from code_list_share`)).toEqual([
      { removed: false, permission: 'viewer' },
    ]);
  });

  it('end for an export template, also those of everybody', async () => {
    const [kept, ended] = ['00000000-0000-4000-8000-00000000e001', '00000000-0000-4000-8000-00000000e002'];
    const withdrawn = await restoreAfter(
      `delete from export_template_share where user_id = ${user(1)};
       update export_template_share set permission = 'viewer';
       update export_template set for_everybody = false where uuid = '${ended}'`,
      `insert into export_template (uuid, user_id, name, format, options, for_everybody)
         select t.id, user_id, t.id::text, 'pdf', '{}', true from media_file,
           unnest(array['${kept}', '${ended}']::uuid[]) t (id) where uuid = ${firstFile};
       insert into export_template_share (template_id, user_id, permission, shared_by)
         select '${kept}', u.uuid, 'editor', t.user_id from export_template t, "user" u
         where t.uuid = '${kept}' and email < 'user3'`,
    );
    expect(withdrawn.shares).toBe(3);
    expect(await sql(`select user_id = ${user(1)} as removed, permission from export_template_share`)).toEqual([
      { removed: false, permission: 'viewer' },
    ]);
    expect(await sql('select uuid::text as id, for_everybody from export_template order by 1')).toEqual([
      { id: kept, for_everybody: true },
      { id: ended, for_everybody: false },
    ]);
  });

  it('return when a person confirms their list, and otherwise nothing is put into use', async () => {
    const lists: (readonly string[])[] = [];
    const withdrawn = await restoreAfter(
      `delete from group_mapping; delete from user_group_member; delete from file_share`,
      `insert into user_group (uuid, name) values ('00000000-0000-4000-8000-0000000000b1', 'Editors');
       insert into user_group_member (group_id, user_id, role)
         select '00000000-0000-4000-8000-0000000000b1', uuid, 'manager' from "user" where email = 'user1@example.org';
       insert into file_share (media_file_id, user_id, permission, shared_by)
         select f.uuid, u.uuid, 'editor', f.user_id from media_file f, "user" u where email = 'user2@example.org';
       insert into group_mapping (source, claim_value, group_id) values ('ldap', 'cn=editors', '00000000-0000-4000-8000-0000000000b1')`,
      { confirmKeptRights: async (rights) => void (await Promise.resolve(lists.push(rights))) },
    );
    const list = [
      'group mapping: ldap cn=editors gives the group Editors',
      'membership: user1@example.org in Editors (manager)',
      'share: "Größe 1" with the account user2@example.org (editor)',
    ];
    expect(lists).toEqual([list]);
    expect(withdrawn).toMatchObject({ keptRights: list, memberships: 0, shares: 0, mappings: 0 });
    for (const table of ['group_mapping', 'user_group_member', 'file_share'])
      expect(await sql(`select 1 from ${table}`)).toHaveLength(1);
    const refusal = { confirmKeptRights: async () => await Promise.reject(new Error('not confirmed')) };
    await expect(restoreAfter('delete from group_mapping', '', refusal)).rejects.toThrow('not confirmed');
    expect(await sql('select 1 from group_mapping')).toEqual([]);
  });

  it('of a backup from before the first account are compared, and the result says that it has none', async () => {
    const withdrawn = await restoreAfter(
      `insert into "user" (email) values ('first@example.org'); delete from group_mapping`,
      `delete from media_file; delete from "user";
       insert into group_mapping (source, claim_value, grants_role) values ('oidc', 'removed', 'admin')`,
    );
    expect(withdrawn).toMatchObject({ comparison: 'compared', hasAccounts: false, mappings: 1 });
  });

  it('do not return by a group mapping that was removed', async () => {
    const withdrawn = await restoreAfter(
      `delete from group_mapping where claim_value = 'removed'`,
      `insert into group_mapping (source, claim_value, grants_role) values ('oidc', 'removed', 'admin'), ('oidc', 'kept', 'admin')`,
    );
    expect(withdrawn.mappings).toBe(1);
    expect(await sql('select claim_value from group_mapping')).toEqual([{ claim_value: 'kept' }]);
  });

  it('do not return by a certificate, a provider or a password that no longer lets the person in', async () => {
    await restoreAfter(
      `update "user" set pki_subject_dn = null, pki_issuer_dn = null where email = 'user1@example.org';
       update "user" set oidc_issuer = null, oidc_subject = null where email = 'user2@example.org';
       update "user" set oidc_issuer = 'i', oidc_subject = 's' where email = 'user3@example.org';
       update "user" set auth_type = 'ldap', allow_local_fallback = false, directory_id = 'entryUUID:1', password_hash = null
         where email = 'user4@example.org'`,
      `update "user" set pki_subject_dn = 'CN=a', pki_issuer_dn = 'CN=ca' where email = 'user1@example.org';
       update "user" set oidc_issuer = 'i', oidc_subject = 's' where email = 'user2@example.org';
       update "user" set allow_local_fallback = true, password_hash = 'hash' where email >= 'user4'`,
    );
    expect(
      await sql(`select auth_type, allow_local_fallback as fallback, password_hash as hash, pki_subject_dn as pki,
                   oidc_subject as oidc, directory_id as directory from "user" order by email`),
    ).toEqual([
      { auth_type: 'local', fallback: false, hash: null, pki: null, oidc: null, directory: null },
      { auth_type: 'local', fallback: false, hash: null, pki: null, oidc: null, directory: null },
      { auth_type: 'local', fallback: false, hash: null, pki: null, oidc: 's', directory: null },
      { auth_type: 'ldap', fallback: false, hash: null, pki: null, oidc: null, directory: 'entryUUID:1' },
      { auth_type: 'local', fallback: true, hash: 'hash', pki: null, oidc: null, directory: null },
    ]);
  });

  it('wait for a lock to end and for a password to be changed, as they do now', async () => {
    const change = `update "user" set must_change_password = true, failed_logins = 3, locked_until = '2099-01-01'
        where email = 'user1@example.org';
      update login_lockout set failed_logins = 5, locked_until = '2099-01-01';
      insert into password_history (user_id, password_hash) values (${user(1)}, 'used')`;
    const before = `update "user" set must_change_password = true where email = 'user2@example.org';
      insert into login_lockout (login_key, failed_logins) values ('nobody', 1)`;
    await restoreAfter(change, before);
    expect(
      await sql(`select must_change_password as must, failed_logins as failed, locked_until from "user"
                 where email < 'user3' order by email`),
    ).toEqual([
      { must: true, failed: 3, locked_until: new Date('2099-01-01') },
      { must: true, failed: 0, locked_until: null },
    ]);
    expect(await sql('select failed_logins, locked_until from login_lockout')).toEqual([
      { failed_logins: 5, locked_until: new Date('2099-01-01') },
    ]);
    expect(await sql('select password_hash from password_history')).toEqual([{ password_hash: 'used' }]);
  });

  it('do not return by a sign-in method that is off now; other settings that differ are named', async () => {
    const withdrawn = await restoreAfter(
      `update auth_config set config_value = 'false' where config_key = 'ldap_enabled';
       delete from auth_config where config_key = 'oidc_enabled';
       update auth_config set config_value = '12' where config_key = 'password_min_length'`,
      `insert into auth_config (config_key, category, config_value) values ('ldap_enabled', 'ldap', 'true'),
         ('oidc_enabled', 'oidc', 'true'), ('pki_enabled', 'pki', 'true'), ('password_min_length', 'password_policy', '8')`,
    );
    expect(withdrawn).toMatchObject({ switches: ['ldap_enabled', 'oidc_enabled'], settings: ['password_min_length'] });
    expect(await sql('select config_key as key, config_value as value from auth_config order by 1')).toEqual([
      { key: 'ldap_enabled', value: false },
      { key: 'password_min_length', value: 8 },
      { key: 'pki_enabled', value: true },
    ]);
  });

  it('are not compared with a table that cannot be read, which is named', async () => {
    const withdrawn = await restoreAfter(
      `update "user" set is_active = false where email = 'user1@example.org';
       update pg_class set relfilenode = 1 where relname = 'user_group_member'`,
      `insert into user_group (name) values ('team');
       insert into user_group_member (group_id, user_id) select g.uuid, u.uuid from user_group g, "user" u`,
    );
    expect(withdrawn).toMatchObject({
      unreadable: ['user_group_member'],
      memberships: 0,
      disabled: ['user1@example.org'],
    });
    expect(await sql('select 1 from user_group_member')).toHaveLength(5);
  });

  it('of the last super_admin do not end, unless another account is named', async () => {
    const change = `update "user" set is_active = false where email = 'user1@example.org'`;
    const before = `update "user" set role = 'super_admin' where email = 'user1@example.org'`;
    await expect(restoreAfter(change, before)).rejects.toMatchObject({
      code: 'no_administrator',
      message: expect.stringContaining('user1@example.org'),
    });
    await expect(restoreAfter(change, before, { administrator: 'other@example.org' })).rejects.toMatchObject({
      code: 'no_administrator',
    });
    expect(await restoreAfter(change, before, { administrator: 'User2@example.org' })).toMatchObject({
      administrators: 1,
    });
    expect(await account('user2@example.org')).toMatchObject({ role: 'super_admin', is_active: true });
  });

  it('leave the audit records since the backup as they are, in any number', async () => {
    const insert = (event: string, count: number): string =>
      `insert into audit_log (event_type, outcome, details)
       select '${event}', 'success', '{"number": 12345678901234567890}' from generate_series(1, ${count})`;
    const setting = `insert into auth_config_audit (config_key, category, change_type) values ('key', 'local', 'create')`;
    const withdrawn = await restoreAfter(`${insert('after', 4_500)}; ${setting}`, insert('before', 3));
    expect(withdrawn.auditRecords).toBe(4_501);
    expect(
      await sql(
        `select event_type as event, details ->> 'number' as number, count(*)::int from audit_log group by 1, 2 order by 1`,
      ),
    ).toEqual([
      { event: 'after', number: '12345678901234567890', count: 4_500 },
      { event: 'before', number: '12345678901234567890', count: 3 },
      { event: 'system.restore', number: null, count: 1 },
    ]);
    expect(await sql('select config_key from auth_config_audit')).toEqual([{ config_key: 'key' }]);
  });

  it('leave the audit records of a transaction that was open during the backup, whose time is earlier', async () => {
    const withdrawn = await restoreAfter(
      `insert into audit_log (event_type, outcome, time) values ('open', 'success', now() - interval '1 hour')`,
    );
    expect(withdrawn.auditRecords).toBe(1);
    expect(await sql(`select count(*)::int from audit_log where event_type = 'open'`)).toEqual([{ count: 1 }]);
  });

  it('are recorded with the restore', async () => {
    await restoreAfter('', '', {}, backUpAndReplay);
    expect(await sql(`select directory_checked_at from restore_record`)).toEqual([{ directory_checked_at: null }]);
    expect(await sql(`select outcome from audit_log where event_type = 'system.restore'`)).toEqual([
      { outcome: 'success' },
    ]);
  });

  it('are not those of a backup or mirror run that was in progress: its row is removed, ended ones stay', async () => {
    await restoreAfter(
      '',
      `insert into backup_run (trigger, status, lease_until) values ('schedule', 'running', now());
       insert into backup_run (trigger, status) values ('manual', 'success');
       insert into mirror_run (trigger, status) values ('schedule', 'queued'), ('manual', 'failed')`,
    );
    expect(await sql('select status from backup_run union all select status from mirror_run order by 1')).toEqual([
      { status: 'failed' },
      { status: 'success' },
    ]);
  });

  it('are withdrawn in a backup of an older schema, which has no runs', async () => {
    expect(await restoreAfter('', 'drop table backup_run; drop table mirror_run')).toMatchObject({
      comparison: 'compared',
    });
  });
});

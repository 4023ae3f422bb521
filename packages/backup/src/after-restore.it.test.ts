import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestDatabase } from '@overtone/testkit';
import { backupOptions, createFilledDatabase, createFolderDestination, programs, targetOf } from '../test/harness.ts';
import { withdrawRights, type Withdrawn } from './after-restore.ts';
import { createBackup } from './backup.ts';
import { withClient } from './client.ts';
import { swapDatabases } from './databases.ts';
import { replay } from './restore.ts';

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

  /** Backs up, changes the database, and restores the backup over the change. */
  async function restoreAfter(change: string, before = ''): Promise<Withdrawn> {
    await sql(before);
    const { destination } = folder;
    const manifest = await createBackup({
      ...backupOptions(database, destination),
      label: `r${database.url.slice(-6)}`,
    });
    await sql(change);
    const scratchUrl = await replay({ ...targetOf(database), manifest, destination, programs });
    const options = { scratchUrl, presentUrl: database.url, backupName: manifest.name, awaitDirectorySync: true };
    const withdrawn = await withdrawRights(options);
    await swapDatabases(targetOf(database));
    return withdrawn;
  }

  it('end every session that the backup holds', async () => {
    const session = `insert into refresh_token (session_id, user_id, token_hash, expires_at, absolute_expires_at)
      select gen_random_uuid(), uuid, 'hash', now() + interval '1 day', now() + interval '1 day' from "user" limit 1`;
    expect(await restoreAfter('', session)).toMatchObject({ sessions: 1 });
    expect(await sql('select 1 from refresh_token where revoked_at is null')).toEqual([]);
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

  it('are recorded with the restore', async () => {
    await restoreAfter('');
    expect(await sql(`select directory_checked_at from restore_record`)).toEqual([{ directory_checked_at: null }]);
    expect(await sql(`select outcome from audit_log where event_type = 'system.restore'`)).toEqual([
      { outcome: 'success' },
    ]);
  });
});

import { equal, match } from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { signIn, type Client } from './client.ts';
import type { Context } from './context.ts';
import { admin, overtone } from './instance.ts';
import type { Suite } from './suite.ts';
import { until } from './until.ts';

const person = { email: 'restored@example.org', password: 'Correct-Horse-8-Battery' };

/** The database is replaced by a backup, in use and lost; rights that ended since then do not come back. */
export function restore({ instance, recordings }: Context): Suite {
  const backups = (): string => join(instance.data, 'kept-backups');
  const at = (): string[] => ['--data', instance.data];
  let before: Client;
  let rita = '';
  let recordingId = '';
  let laterId = '';
  const restoreBackup = async () => {
    const dump = (await readdir(backups())).find((name) => name.endsWith('.dump')) ?? '';
    const ran = await overtone(['restore', join(backups(), dump), '--yes', ...at()]);
    equal(ran.code, 0, ran.output);
    return ran;
  };
  return {
    name: 'A restored database',
    checks: [
      {
        rule: 'is backed up while everything runs',
        run: async () => {
          before = await signIn(instance.baseUrl, admin.email, admin.password);
          rita = (await before.send<{ uuid: string }>('POST', '/api/admin/users', person)).uuid;
          recordingId = (await before.upload(recordings.cooking.path, { allow_duplicate: 'true' })).body.uuid;
          await before.completed(recordingId);
          const { code, output } = await overtone(['backup', ...at(), '--to', backups()]);
          equal(code, 0, output);
        },
      },
      {
        rule: 'replaces the one in use: the recording is found again, and sessions of before are refused',
        run: async (log) => {
          await before.send('PUT', `/api/users/${rita}`, { is_active: false });
          laterId = (await before.upload(recordings.brief.path, { allow_duplicate: 'true' })).body.uuid;
          await before.completed(laterId);
          const { output, seconds } = await restoreBackup();
          match(output, new RegExp(`${person.email} stays disabled`));
          match(output, new RegExp(`they are kept: files/${laterId}/`));
          equal((await before.call('GET', '/api/files')).status, 401);
          const after = await signIn(instance.baseUrl, admin.email, admin.password);
          const from = Date.now();
          await until(
            'the recording is found',
            async () =>
              (await after.search('potatoes').catch(() => undefined))?.results.some(
                (hit) => hit.file_uuid === recordingId,
              ),
            60_000,
          );
          log(`restored in ${seconds.toFixed(1)} s, found ${((Date.now() - from) / 1000).toFixed(1)} s later`);
          equal((await after.call('GET', `/api/files/${laterId}`)).status, 404);
        },
      },
      {
        rule: 'refuses the sign-in of an account that was disabled after the backup',
        run: async () => {
          const answer = await fetch(`${instance.baseUrl}/api/auth/token`, {
            method: 'POST',
            body: new URLSearchParams({ username: person.email, password: person.password }),
          });
          equal(answer.status, 403);
        },
      },
      {
        rule: 'replaces a lost one, whose folder is missing',
        run: async () => {
          equal((await overtone(['down', ...at()])).code, 0);
          await rm(join(instance.data, 'postgres'), { recursive: true });
          const { output } = await restoreBackup();
          match(output, /no database of this installation to compare rights with/);
          const client = await signIn(instance.baseUrl, admin.email, admin.password);
          equal((await client.call('GET', `/api/files/${recordingId}`)).status, 200);
        },
      },
      {
        rule: 'takes new recordings, which are finished and found',
        run: async () => {
          const client = await signIn(instance.baseUrl, admin.email, admin.password);
          const id = (await client.upload(recordings.real.path, { allow_duplicate: 'true' })).body.uuid;
          await client.completed(id);
          await until(
            'the new recording is found',
            async () => (await client.search('spades')).results.some((hit) => hit.file_uuid === id),
            60_000,
          );
        },
      },
    ],
    close: async () => await rm(backups(), { recursive: true, force: true }),
  };
}

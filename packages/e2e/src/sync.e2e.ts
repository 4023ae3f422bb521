import assert from 'node:assert/strict';
import type { AnswerOf, directorySyncRoutes, SyncRunReport } from '@overtone/contracts';
import { ldapSettings, personLdif, startSlapd, type Slapd } from '@overtone/testkit';
import { createFixtures } from './authorisation/fixtures.ts';
import { clientOf, signIn, type Client } from './client.ts';
import type { Context } from './context.ts';
import { admin } from './instance.ts';
import { reportOf, syncPath } from './runs.ts';
import type { Suite } from './suite.ts';
import { until } from './until.ts';
import { openSocket, startDownload, waitForEnd } from './open-connections.ts';
import { asService } from './service-access.ts';

/** More bytes than fit into the buffers between server and client. */
const size = 192 * 1024 * 1024;

type Status = AnswerOf<typeof directorySyncRoutes.directorySyncStatus>;
type Tokens = { access_token: string; refresh_token: string };
type Account = { id: string; active: boolean; by: string | null; at: Date | null };

/** Accounts that leave the directory lose access, and no other account does: on a running instance. */
export function syncRuns({ instance }: Context): Suite {
  let root: Client;
  let slapd: Slapd;
  let fixtures: Awaited<ReturnType<typeof createFixtures>>;

  const enqueueRun = async (body: object = {}): Promise<string> =>
    (await root.send<{ task_id: string }>('POST', `${syncPath}/run`, body)).task_id;
  const report = (id: string): Promise<SyncRunReport> => reportOf(root, id, 90_000);
  const untilNoRunInProgress = (): Promise<true> =>
    until(
      'no sync run is in progress',
      async () => (await root.ok<Status>('GET', `${syncPath}/status`)).running === null,
    );
  const run = async (body: object = {}): Promise<SyncRunReport> => {
    await untilNoRunInProgress();
    return report(await enqueueRun(body));
  };

  const requestTokens = async (uid: string): Promise<Tokens> => {
    const body = new URLSearchParams({ username: uid, password: `${uid}-secret` });
    const answer = await fetch(`${instance.baseUrl}/api/auth/token`, { method: 'POST', body });
    if (!answer.ok) throw new Error(`${uid}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Tokens;
  };
  const accountOf = async (uid: string): Promise<Account> => {
    const [found] = await asService(instance, 'identity', (query) =>
      query(
        `select uuid as id, is_active as active, disabled_by as by, disabled_at as at from "user" where ldap_uid = $1`,
        [uid],
      ),
    );
    if (!found) throw new Error(`${uid} has no account`);
    return found as Account;
  };
  const readOtherAccounts = () =>
    asService(instance, 'identity', (query) =>
      query(`select uuid, role, is_active, updated_at from "user" where auth_type <> 'ldap' or role = 'super_admin'
             order by uuid`),
    );
  const removeFromDirectory = (uid: string) => slapd.apply(`dn: uid=${uid},${slapd.people}\nchangetype: delete\n`);

  return {
    name: 'The directory sync',
    checks: [
      {
        rule: 'directory users can sign in, and the directory sync is enabled',
        limitMs: 90_000,
        run: async () => {
          root = await signIn(instance.baseUrl, admin.email, admin.password);
          fixtures = await createFixtures(instance);
          slapd = await startSlapd({ seed: ['ada', 'bob', 'cleo', 'dan'].map((uid) => personLdif(uid)).join('\n') });
          await root.send('PUT', '/api/admin/auth-config/ldap', ldapSettings(slapd));
          for (const uid of ['ada', 'bob', 'cleo', 'dan']) await requestTokens(uid);
          await root.send('PUT', syncPath, { enabled: true, dry_run: false, max_disables_per_run: 10 });
          assert.equal((await run()).candidates, 0);
        },
      },
      {
        rule: 'a dry run reports the accounts to disable, and changes none',
        limitMs: 90_000,
        run: async () => {
          const { access_token: token } = await requestTokens('ada');
          await removeFromDirectory('ada');
          const dry = await run({ dry_run: true });
          assert.deepEqual([dry.status, dry.would_disable, dry.disabled], ['ok', 1, 0]);
          assert.equal((await accountOf('ada')).active, true);
          assert.equal((await clientOf(instance.baseUrl, token).call('GET', '/api/users/me')).status, 200);
        },
      },
      {
        rule: 'an account that left is disabled: access token, refresh token, socket and running download end',
        limitMs: 120_000,
        run: async (log) => {
          const tokens = await requestTokens('bob');
          const bob = clientOf(instance.baseUrl, tokens.access_token);
          const { id } = await accountOf('bob');
          const file = await fixtures.recording(id, Buffer.alloc(size));
          const others = await readOtherAccounts();
          await removeFromDirectory('bob');
          const socket = await openSocket(instance.baseUrl, tokens.access_token);
          const download = await startDownload(`${instance.baseUrl}/api/files/${file}/content`, tokens.access_token);
          const running = run();
          await until('bob is disabled', async () => (await accountOf('bob')).at, 60_000, 20);
          const disabled = Date.now();
          const [closed, cut] = await Promise.all([waitForEnd(socket.ended), waitForEnd(download.ended)]);
          log(`the socket was open for ${closed.at - disabled} ms, the download ran for ${cut.at - disabled} ms`);
          const seen = [closed.how, cut.how, (await bob.call('GET', '/api/users/me')).status];
          assert.deepEqual(seen, ['closed with 4004', 'cut off', 401]);
          const refresh = await clientOf(instance.baseUrl, '').call('POST', '/api/auth/token/refresh', {
            body: JSON.stringify({ refresh_token: tokens.refresh_token }),
            headers: { 'content-type': 'application/json' },
          });
          assert.equal(refresh.status, 401);
          const finished = await running;
          assert.deepEqual(
            finished.actions.map((action) => `${action.ldap_uid} ${action.reason} ${action.outcome}`).sort(),
            ['ada absent_from_directory disabled', 'bob absent_from_directory disabled'],
          );
          assert.deepEqual(await readOtherAccounts(), others, 'a local account or a super_admin was changed');
        },
      },
      {
        rule: 'a sync run without a directory is reported as directory_unavailable, and disables no account',
        limitMs: 120_000,
        run: async () => {
          await slapd.kill9();
          const aborted = await run();
          assert.deepEqual([aborted.status, aborted.disabled], ['directory_unavailable', 0]);
          assert.ok(aborted.error);
          for (const uid of ['cleo', 'dan']) assert.equal((await accountOf(uid)).active, true);
          await slapd.restart();
        },
      },
      {
        rule: 'a sync run whose process is killed is completed by the next attempt: one change, one audit record',
        limitMs: 180_000,
        run: async () => {
          await removeFromDirectory('cleo');
          await untilNoRunInProgress();
          process.kill(slapd.pid(), 'SIGSTOP');
          const id = await enqueueRun();
          await until('the sync run waits for the directory', async () => {
            const { running } = await root.ok<Status>('GET', `${syncPath}/status`);
            return running?.pass_uuid === id;
          });
          process.kill(await instance.pidOf('directory-sync'), 'SIGKILL');
          process.kill(slapd.pid(), 'SIGCONT');
          const resumed = await report(id);
          assert.deepEqual([resumed.status, resumed.disabled], ['ok', 1]);
          const { id: cleo, by } = await accountOf('cleo');
          assert.equal(by, 'directory');
          const records = await asService(instance, 'identity', (query) =>
            query(`select 1 from audit_log where user_id = $1 and event_type = 'auth.account.disabled'`, [cleo]),
          );
          assert.equal(records.length, 1);
        },
      },
      {
        rule: 'the metrics contain the outcomes of sync runs and the time of the last successful one',
        run: async () => {
          const service = (await instance.status()).services.find(({ name }) => name === 'directory-sync');
          const text = await (await fetch(`${service?.internal_url}/metrics`)).text();
          const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
          assert.ok(
            /^directory_sync_passes_total\{.*outcome="ok".*\} [1-9]/m.test(text),
            'no successful sync run is counted',
          );
          assert.equal(value('directory_sync_disabled_total'), 1);
          assert.ok(Date.now() / 1000 - value('directory_sync_last_good_timestamp_seconds') < 600);
        },
      },
    ],
    close: async () => {
      await root.send('PUT', syncPath, { enabled: false, dry_run: true });
      await root.send('PUT', '/api/admin/auth-config/ldap', { ldap_enabled: false });
      await slapd.stop();
      await fixtures.close();
    },
  };
}

import assert from 'node:assert/strict';
import type { SyncRunReport } from '@overtone/contracts';
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

type Tokens = { access_token: string; refresh_token: string };
type Account = { id: string; active: boolean; by: string | null; at: Date | null };

const uids = ['ada', 'bob', 'cleo', 'dan'];

/** Accounts that leave the directory lose access, and no other account does: on a running instance. */
export function leavingAccounts({ instance }: Context): Suite {
  let root: Client;
  let slapd: Slapd;
  let fixtures: Awaited<ReturnType<typeof createFixtures>>;

  const run = async (): Promise<SyncRunReport> => {
    const { task_id: id } = await root.send<{ task_id: string }>('POST', `${syncPath}/run`, {});
    return reportOf(root, id, 90_000);
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
    name: 'Accounts that leave the directory',
    checks: [
      {
        rule: 'directory users can sign in, and the directory sync is enabled',
        limitMs: 90_000,
        run: async () => {
          root = await signIn(instance.baseUrl, admin.email, admin.password);
          fixtures = await createFixtures(instance);
          slapd = await startSlapd({ seed: uids.map((uid) => personLdif(uid)).join('\n') });
          await root.send('PUT', '/api/admin/auth-config/ldap', ldapSettings(slapd));
          for (const uid of uids) await requestTokens(uid);
          await root.send('PUT', syncPath, { enabled: true, dry_run: false, max_disables_per_run: 10 });
          assert.equal((await run()).candidates, 0);
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
            ['bob absent_from_directory disabled'],
          );
          for (const uid of ['ada', 'cleo', 'dan']) assert.equal((await accountOf(uid)).active, true);
          assert.deepEqual(await readOtherAccounts(), others, 'a local account or a super_admin was changed');
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

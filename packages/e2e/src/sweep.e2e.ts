import assert from 'node:assert/strict';
import type { AnswerOf, directorySyncRoutes, PassReport } from '@overtone/contracts';
import { ldapSettings, personLdif, startSlapd, type Slapd } from '@overtone/testkit';
import { createScenery } from './authorisation/scenery.ts';
import { clientOf, signIn, type Client } from './client.ts';
import type { Context } from './context.ts';
import { admin } from './instance.ts';
import { reportOf, sweepPath } from './passes.ts';
import { limitSignIns } from './people.ts';
import { until, type Suite } from './runner.ts';
import { downloadOf, socketOf, within } from './running.ts';
import { asService } from './service-access.ts';

/** More than fits into all the buffers on the way. */
const size = 192 * 1024 * 1024;

type Status = AnswerOf<typeof directorySyncRoutes.directorySyncStatus>;
type Tokens = { access_token: string; refresh_token: string };
type Row = { id: string; active: boolean; by: string | null; at: Date | null };

/** Whoever leaves the directory loses access, and nobody ever loses it by mistake: on a running instance. */
export const sweeping = ({ instance }: Context): Suite => {
  let root: Client;
  let slapd: Slapd;
  let scenery: Awaited<ReturnType<typeof createScenery>>;

  const order = async (body: object = {}): Promise<string> =>
    (await root.send<{ task_id: string }>('POST', `${sweepPath}/run`, body)).task_id;
  const report = (id: string): Promise<PassReport> => reportOf(root, id, 90_000);
  const free = (): Promise<true> =>
    until('no pass runs', async () => (await root.ok<Status>('GET', `${sweepPath}/status`)).running === null);
  const pass = async (body: object = {}): Promise<PassReport> => {
    await free();
    return report(await order(body));
  };

  const enter = async (uid: string): Promise<Tokens> => {
    const body = new URLSearchParams({ username: uid, password: `${uid}-secret` });
    const answer = await fetch(`${instance.baseUrl}/api/auth/token`, { method: 'POST', body });
    if (!answer.ok) throw new Error(`${uid}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Tokens;
  };
  const row = async (uid: string): Promise<Row> => {
    const [found] = await asService(instance, 'identity', (query) =>
      query(
        `select uuid as id, is_active as active, disabled_by as by, disabled_at as at from "user" where ldap_uid = $1`,
        [uid],
      ),
    );
    if (!found) throw new Error(`${uid} has no account`);
    return found as Row;
  };
  const untouched = () =>
    asService(instance, 'identity', (query) =>
      query(`select uuid, role, is_active, updated_at from "user" where auth_type <> 'ldap' or role = 'super_admin'
             order by uuid`),
    );
  const leave = (uid: string) => slapd.apply(`dn: uid=${uid},${slapd.people}\nchangetype: delete\n`);

  return {
    name: 'The sweep of the directory',
    checks: [
      {
        rule: 'people of a directory sign in, and the sweep is switched on',
        vital: true,
        limitMs: 90_000,
        run: async () => {
          await limitSignIns(instance, 10_000);
          root = await signIn(instance.baseUrl, admin.email, admin.password);
          scenery = await createScenery(instance);
          slapd = await startSlapd({ seed: ['ada', 'bob', 'cleo', 'dan'].map((uid) => personLdif(uid)).join('\n') });
          await root.send('PUT', '/api/admin/auth-config/ldap', ldapSettings(slapd));
          for (const uid of ['ada', 'bob', 'cleo', 'dan']) await enter(uid);
          await root.send('PUT', sweepPath, { enabled: true, dry_run: false, max_disables_per_run: 10 });
          assert.equal((await pass()).candidates, 0);
        },
      },
      {
        rule: 'a dry run says who would be disabled, and changes nothing',
        limitMs: 90_000,
        run: async () => {
          const { access_token: token } = await enter('ada');
          await leave('ada');
          const dry = await pass({ dry_run: true });
          assert.deepEqual([dry.status, dry.would_disable, dry.disabled], ['ok', 1, 0]);
          assert.equal((await row('ada')).active, true);
          assert.equal((await clientOf(instance.baseUrl, token).call('GET', '/api/users/me')).status, 200);
        },
      },
      {
        rule: 'whoever left is disabled: access token, refresh, socket and running download are over',
        limitMs: 120_000,
        run: async (say) => {
          const tokens = await enter('bob');
          const bob = clientOf(instance.baseUrl, tokens.access_token);
          const { id } = await row('bob');
          const file = await scenery.recording(id, Buffer.alloc(size));
          const others = await untouched();
          await leave('bob');
          const socket = await socketOf(instance.baseUrl, tokens.access_token);
          const download = await downloadOf(`${instance.baseUrl}/api/files/${file}/content`, tokens.access_token);
          const passed = pass();
          await until('bob is disabled', async () => (await row('bob')).at, 60_000, 20);
          const disabled = Date.now();
          const [closed, cut] = await Promise.all([within(socket.over), within(download.over)]);
          say(`the socket was open for ${closed.at - disabled} ms, the download ran for ${cut.at - disabled} ms`);
          const seen = [closed.what, cut.what, (await bob.call('GET', '/api/users/me')).status];
          assert.deepEqual(seen, ['closed with 4004', 'cut off', 401]);
          const refresh = await clientOf(instance.baseUrl, '').call('POST', '/api/auth/token/refresh', {
            body: JSON.stringify({ refresh_token: tokens.refresh_token }),
            headers: { 'content-type': 'application/json' },
          });
          assert.equal(refresh.status, 401);
          const told = await passed;
          assert.deepEqual(told.actions.map((a) => `${a.ldap_uid} ${a.reason} ${a.outcome}`).sort(), [
            'ada absent_from_directory disabled',
            'bob absent_from_directory disabled',
          ]);
          assert.deepEqual(await untouched(), others, 'a local account or a super_admin was touched');
        },
      },
      {
        rule: 'with the directory gone the pass says so, and nobody is disabled',
        limitMs: 120_000,
        run: async () => {
          await slapd.kill9();
          const told = await pass();
          assert.deepEqual([told.status, told.disabled], ['directory_unavailable', 0]);
          assert.ok(told.error);
          for (const uid of ['cleo', 'dan']) assert.equal((await row(uid)).active, true);
          await slapd.restart();
        },
      },
      {
        rule: 'killed during a pass, the next try does it: disabled once, with one record',
        limitMs: 180_000,
        run: async () => {
          await leave('cleo');
          await free();
          process.kill(slapd.pid(), 'SIGSTOP');
          const id = await order();
          await until('the pass waits for the directory', async () => {
            const { running } = await root.ok<Status>('GET', `${sweepPath}/status`);
            return running?.pass_uuid === id;
          });
          process.kill(await instance.pidOf('directory-sync'), 'SIGKILL');
          process.kill(slapd.pid(), 'SIGCONT');
          const told = await report(id);
          assert.deepEqual([told.status, told.disabled], ['ok', 1]);
          const { id: cleo, by } = await row('cleo');
          assert.equal(by, 'directory');
          const records = await asService(instance, 'identity', (query) =>
            query(`select 1 from audit_log where user_id = $1 and event_type = 'auth.account.disabled'`, [cleo]),
          );
          assert.equal(records.length, 1);
        },
      },
      {
        rule: 'the metrics tell how passes ended, and when one last ended well',
        run: async () => {
          const service = (await instance.status()).services.find((s) => s.name === 'directory-sync');
          const text = await (await fetch(`${service?.internal_url}/metrics`)).text();
          const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
          assert.ok(/^directory_sync_passes_total\{.*outcome="ok".*\} [1-9]/m.test(text), 'no good pass is counted');
          assert.equal(value('directory_sync_disabled_total'), 1);
          assert.ok(Date.now() / 1000 - value('directory_sync_last_good_timestamp_seconds') < 600);
        },
      },
    ],
    close: async () => {
      await root.send('PUT', sweepPath, { enabled: false, dry_run: true });
      await root.send('PUT', '/api/admin/auth-config/ldap', { ldap_enabled: false });
      await slapd.stop();
      await scenery.close();
      await limitSignIns(instance, null);
    },
  };
};

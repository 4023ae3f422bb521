import assert from 'node:assert/strict';
import type { AnswerOf, directorySyncRoutes, PassReport } from '@overtone/contracts';
import { ldapSettings, personLdif, startSlapd, type Slapd } from '@overtone/testkit';
import { Client as Database } from 'pg';
import { signIn, type Client } from './client.ts';
import type { Context } from './context.ts';
import { admin } from './instance.ts';
import { reportOf, sweepPath } from './passes.ts';
import { limitSignIns } from './people.ts';
import { until, type Check, type Suite } from './runner.ts';
import { allReady } from './scripted.ts';
import { asService, settingOf } from './service-access.ts';
import { killNow } from './victims.ts';

const slowMs = 180_000;

/** What the pass waits for when it is struck: the directory, identity in its transaction, or its own report. */
const moments = ['snapshot', 'apply', 'close'] as const;
type Moment = (typeof moments)[number];
const victims = ['directory-sync', 'identity', 'slapd', 'nats', 'postgres'] as const;
type Victim = (typeof victims)[number];
type Strike = readonly [Victim, Moment];

/** Each victim at the moments that matter most for it; OT_SWEEP_KILLS=all strikes everything everywhere. */
const some: readonly Strike[] = [
  ['slapd', 'snapshot'],
  ['nats', 'snapshot'],
  ['identity', 'apply'],
  ['postgres', 'apply'],
  ['directory-sync', 'apply'],
  ['postgres', 'close'],
  ['directory-sync', 'close'],
];
const strikes =
  process.env['OT_SWEEP_KILLS'] === 'all'
    ? victims.flatMap((victim) => moments.map((moment): Strike => [victim, moment]))
    : some;
const words: Record<Moment, string> = {
  snapshot: 'while the directory is read',
  apply: 'while accounts are changed',
  close: 'while the report is written',
};

type Status = AnswerOf<typeof directorySyncRoutes.directorySyncStatus>;

/** A sweep whose process, or one of those it leans on, is killed in the middle. */
export const sweepKilling = ({ instance }: Context): Suite => {
  let root: Client;
  let slapd: Slapd;
  const uidOf = (i: number) => `leaver${i}`;

  const ask = (service: string, sql: string, values: unknown[]) =>
    asService(instance, service, (query) => query(sql, values));
  const userOf = async (uid: string): Promise<{ id: string; active: boolean; by: string | null }> => {
    const [user] = await ask(
      'identity',
      'select uuid as id, is_active as active, disabled_by as by from "user" where ldap_uid = $1',
      [uid],
    );
    assert.ok(user, `${uid} has no account`);
    return user as { id: string; active: boolean; by: string | null };
  };
  const countOf = async (service: string, sql: string, values: unknown[]): Promise<number> =>
    Number((await ask(service, `select count(*) as n from ${sql}`, values))[0]?.['n']);

  /** Keeps a lock until it is let go, or its server dies. */
  const locked = async (service: string, sql: string, values: unknown[]): Promise<() => Promise<void>> => {
    const client = new Database({ connectionString: await settingOf(instance, service, 'DATABASE_URL') });
    client.on('error', () => {});
    await client.connect();
    await client.query('begin');
    await client.query(sql, values);
    return () => client.end().catch(() => {});
  };
  const hold: Record<Moment, (userId: string) => Promise<() => Promise<void>>> = {
    snapshot: () => {
      process.kill(slapd.pid(), 'SIGSTOP');
      return Promise.resolve(() => Promise.resolve(void process.kill(slapd.pid(), 'SIGCONT')));
    },
    apply: (userId) => locked('identity', 'select 1 from "user" where uuid = $1 for update', [userId]),
    close: () => locked('directory-sync', 'lock table directory_decision in exclusive mode', []),
  };
  /** The pass has come to where it is held. */
  const reached = (moment: Moment, id: string): Promise<unknown> =>
    until(
      `the pass waits ${words[moment]}`,
      async () => {
        if (moment !== 'snapshot') return (await countOf('identity', 'pg_locks where not granted', [])) > 0;
        const { running } = await root.ok<Status>('GET', `${sweepPath}/status`);
        return running?.pass_uuid === id;
      },
      slowMs,
    );

  const strike = async (victim: Victim): Promise<void> => {
    if (victim === 'slapd') await slapd.kill9();
    else assert.ok(killNow(instance, victim), `no process of ${victim}`);
  };
  const report = (id: string): Promise<PassReport> => reportOf(root, id, 60_000);
  /** Ordered as soon as no pass runs and everything it needs is back. */
  const order = (): Promise<string> =>
    until(
      'a pass is ordered',
      async () => {
        const { status, body } = await root.call<{ task_id: string }>('POST', `${sweepPath}/run`, {
          body: '{}',
          headers: { 'content-type': 'application/json' },
        });
        return status === 202 && body.task_id;
      },
      slowMs,
    );

  /** The next pass that ends well; the first ones may meet what was struck before it is whole again. */
  const wellEnded = (): Promise<PassReport> =>
    until(
      'a pass ends well',
      async () => {
        const told = await report(await order());
        return told.status === 'ok' && told;
      },
      2 * slowMs,
    );

  const assertOnce = async (uid: string): Promise<void> => {
    const { id, active, by } = await userOf(uid);
    assert.deepEqual([active, by], [false, 'directory']);
    const alive = 'refresh_token where user_id = $1 and revoked_at is null';
    assert.equal(await countOf('identity', alive, [id]), 0, 'a session is left');
    const records = `audit_log where user_id = $1 and event_type = 'auth.account.disabled'`;
    assert.equal(await countOf('identity', records, [id]), 1, 'the audit does not tell it once');
    const told = `directory_decision where user_id = $1 and outcome = 'disabled'`;
    assert.equal(await countOf('directory-sync', told, [id]), 1, 'the reports do not tell it once');
  };

  const strikeAt = ([victim, moment]: Strike, i: number): Check => ({
    rule: `${victim} killed ${words[moment]}: the next pass comes to the same end, and everything is done once`,
    limitMs: 4 * slowMs,
    run: async () => {
      // A long row of strikes outlives the tokens of its beginning.
      root = await signIn(instance.baseUrl, admin.email, admin.password);
      const uid = uidOf(i);
      const { id: userId } = await userOf(uid);
      await slapd.apply(`dn: uid=${uid},${slapd.people}\nchangetype: delete\n`);
      const release = await hold[moment](userId);
      let id = '';
      try {
        id = await order();
        await reached(moment, id);
        await strike(victim);
        if (victim === 'slapd') await slapd.restart();
        await release();
        await allReady(instance);
      } finally {
        await release();
      }
      await wellEnded();
      await assertOnce(uid);
      assert.ok(await report(id), 'the order that was struck has no report');
    },
  });

  return {
    name: 'The sweep, killed at any moment',
    checks: [
      {
        rule: 'people of a directory are signed in, and a pass finds them all',
        vital: true,
        limitMs: slowMs,
        run: async () => {
          await limitSignIns(instance, 10_000);
          root = await signIn(instance.baseUrl, admin.email, admin.password);
          const uids = ['stays', ...strikes.map((_, i) => uidOf(i))];
          slapd = await startSlapd({ seed: uids.map((uid) => personLdif(uid)).join('\n') });
          await root.send('PUT', '/api/admin/auth-config/ldap', ldapSettings(slapd));
          for (const uid of uids) {
            const body = new URLSearchParams({ username: uid, password: `${uid}-secret` });
            const answer = await fetch(`${instance.baseUrl}/api/auth/token`, { method: 'POST', body });
            assert.equal(answer.status, 200, `${uid}: ${await answer.text()}`);
          }
          await root.send('PUT', sweepPath, {
            enabled: true,
            dry_run: false,
            max_disables_per_run: 1_000,
            max_disable_percent: null,
          });
          // Accounts that another directory left behind would be leavers of this one.
          await report(await order());
        },
      },
      ...strikes.map((one, i) => strikeAt(one, i)),
    ],
    close: async () => {
      await root.send('PUT', sweepPath, { enabled: false, dry_run: true });
      await root.send('PUT', '/api/admin/auth-config/ldap', { ldap_enabled: false });
      await slapd.stop();
      await limitSignIns(instance, null);
    },
  };
};

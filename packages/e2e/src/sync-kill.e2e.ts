import assert from 'node:assert/strict';
import type { AnswerOf, directorySyncRoutes, SyncRunReport } from '@overtone/contracts';
import { ldapSettings, personLdif, startSlapd, type Slapd } from '@overtone/testkit';
import { Client as Database } from 'pg';
import { signIn, type Client } from './client.ts';
import type { Context } from './context.ts';
import { admin } from './instance.ts';
import { reportOf, syncPath } from './runs.ts';
import { choose, type Check, type Choice, type Suite } from './suite.ts';
import { until } from './until.ts';
import { waitUntilReady } from './scripted.ts';
import { asService, settingOf } from './service-access.ts';
import { killNow } from './victims.ts';

const slowMs = 180_000;

/** The step in which the sync run is blocked when a process is killed. */
const steps = ['snapshot', 'apply', 'close'] as const;
type Step = (typeof steps)[number];
const victims = ['directory-sync', 'identity', 'slapd', 'nats', 'postgres'] as const;
type Victim = (typeof victims)[number];
type Kill = readonly [Victim, Step];

/** Each process at its most critical steps; OT_SWEEP_KILLS=all kills every process at every step. */
const criticalKills: readonly Kill[] = [
  ['slapd', 'snapshot'],
  ['directory-sync', 'snapshot'],
  ['nats', 'snapshot'],
  ['identity', 'apply'],
  ['postgres', 'apply'],
  ['directory-sync', 'apply'],
  ['postgres', 'close'],
  ['directory-sync', 'close'],
];
const stepNames: Record<Step, string> = {
  snapshot: 'while the directory is read',
  apply: 'while accounts are changed',
  close: 'while the report is written',
};

type Status = AnswerOf<typeof directorySyncRoutes.directorySyncStatus>;

/** A sync run during which its own process or one of its dependencies is killed. */
export function syncRunKilling({ instance }: Context, choice: Choice): Suite {
  const kills =
    process.env['OT_SWEEP_KILLS'] === 'all'
      ? victims.flatMap((victim) => steps.map((step): Kill => [victim, step]))
      : choose(criticalKills, choice);

  let root: Client;
  let slapd: Slapd;
  const uidOf = (i: number) => `candidate${i}`;

  const query = (service: string, sql: string, values: unknown[]) =>
    asService(instance, service, (run) => run(sql, values));
  const userOf = async (uid: string): Promise<{ id: string; active: boolean; by: string | null }> => {
    const [user] = await query(
      'identity',
      'select uuid as id, is_active as active, disabled_by as by from "user" where ldap_uid = $1',
      [uid],
    );
    assert.ok(user, `${uid} has no account`);
    return user as { id: string; active: boolean; by: string | null };
  };
  const countOf = async (service: string, sql: string, values: unknown[]): Promise<number> =>
    Number((await query(service, `select count(*) as n from ${sql}`, values))[0]?.['n']);

  /** Holds a database lock. @returns a function that releases it. */
  const holdLock = async (service: string, sql: string, values: unknown[]): Promise<() => Promise<void>> => {
    const client = new Database({ connectionString: await settingOf(instance, service, 'DATABASE_URL') });
    client.on('error', () => {});
    await client.connect();
    await client.query('begin');
    await client.query(sql, values);
    return () => client.end().catch(() => {});
  };
  const blockAt: Record<Step, (userId: string) => Promise<() => Promise<void>>> = {
    snapshot: () => {
      process.kill(slapd.pid(), 'SIGSTOP');
      return Promise.resolve(() => Promise.resolve(void process.kill(slapd.pid(), 'SIGCONT')));
    },
    apply: (userId) => holdLock('identity', 'select 1 from "user" where uuid = $1 for update', [userId]),
    close: () => holdLock('directory-sync', 'lock table directory_decision in exclusive mode', []),
  };
  /** Waits until the sync run is blocked in this step. */
  const untilBlocked = (step: Step, id: string): Promise<unknown> =>
    until(
      `the sync run is blocked ${stepNames[step]}`,
      async () => {
        if (step !== 'snapshot') return (await countOf('identity', 'pg_locks where not granted', [])) > 0;
        const { running } = await root.ok<Status>('GET', `${syncPath}/status`);
        return running?.pass_uuid === id;
      },
      slowMs,
    );

  const kill = async (victim: Victim): Promise<void> => {
    if (victim === 'slapd') await slapd.kill9();
    else assert.ok(killNow(instance, victim), `no process of ${victim}`);
  };
  const report = (id: string): Promise<SyncRunReport> => reportOf(root, id, 60_000);
  /** Enqueues a sync run as soon as no other runs and its dependencies are available. */
  const enqueueRun = (): Promise<string> =>
    until(
      'a sync run is enqueued',
      async () => {
        const { status, body } = await root.call<{ task_id: string }>('POST', `${syncPath}/run`, {
          body: '{}',
          headers: { 'content-type': 'application/json' },
        });
        return status === 202 && body.task_id;
      },
      slowMs,
    );

  /** Starts sync runs until one succeeds; the first ones can fail while the killed process restarts. */
  const runUntilSuccess = (): Promise<SyncRunReport> =>
    until(
      'a sync run succeeds',
      async () => {
        const finished = await report(await enqueueRun());
        return finished.status === 'ok' && finished;
      },
      2 * slowMs,
    );

  const assertOnce = async (uid: string): Promise<void> => {
    const { id, active, by } = await userOf(uid);
    assert.deepEqual([active, by], [false, 'directory']);
    const openSessions = 'refresh_token where user_id = $1 and revoked_at is null';
    assert.equal(await countOf('identity', openSessions, [id]), 0, 'a session is left');
    const records = `audit_log where user_id = $1 and event_type = 'auth.account.disabled'`;
    assert.equal(await countOf('identity', records, [id]), 1, 'number of audit records');
    const decisions = `directory_decision where user_id = $1 and outcome = 'disabled'`;
    assert.equal(await countOf('directory-sync', decisions, [id]), 1, 'number of decisions');
  };

  const killCheck = ([victim, step]: Kill, i: number): Check => ({
    rule: `${victim} killed ${stepNames[step]}: a later sync run has the same result, and every change is made once`,
    limitMs: 4 * slowMs,
    run: async () => {
      // The tokens of earlier checks expire during a long run.
      root = await signIn(instance.baseUrl, admin.email, admin.password);
      const uid = uidOf(i);
      const { id: userId } = await userOf(uid);
      await slapd.apply(`dn: uid=${uid},${slapd.people}\nchangetype: delete\n`);
      const release = await blockAt[step](userId);
      let id = '';
      try {
        id = await enqueueRun();
        await untilBlocked(step, id);
        await kill(victim);
        if (victim === 'slapd') await slapd.restart();
        await release();
        await waitUntilReady(instance);
      } finally {
        await release();
      }
      await runUntilSuccess();
      await assertOnce(uid);
      assert.ok(await report(id), 'the interrupted sync run has no report');
    },
  });

  return {
    name: 'The directory sync with killed processes',
    checks: [
      {
        rule: 'directory users are signed in, and a sync run finds all of them',
        limitMs: slowMs,
        run: async () => {
          root = await signIn(instance.baseUrl, admin.email, admin.password);
          const uids = ['stays', ...kills.map((_, i) => uidOf(i))];
          slapd = await startSlapd({ seed: uids.map((uid) => personLdif(uid)).join('\n') });
          await root.send('PUT', '/api/admin/auth-config/ldap', ldapSettings(slapd));
          for (const uid of uids) {
            const body = new URLSearchParams({ username: uid, password: `${uid}-secret` });
            const answer = await fetch(`${instance.baseUrl}/api/auth/token`, { method: 'POST', body });
            assert.equal(answer.status, 200, `${uid}: ${await answer.text()}`);
          }
          await root.send('PUT', syncPath, {
            enabled: true,
            dry_run: false,
            max_disables_per_run: 1_000,
            max_disable_percent: null,
          });
          // The first sync run disables accounts that remain from another directory.
          await report(await enqueueRun());
        },
      },
      ...kills.map((one, i) => killCheck(one, i)),
    ],
    close: async () => {
      await root.send('PUT', syncPath, { enabled: false, dry_run: true });
      await root.send('PUT', '/api/admin/auth-config/ldap', { ldap_enabled: false });
      await slapd.stop();
    },
  };
}

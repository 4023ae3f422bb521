import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { syncRunReport, type SyncRunReport } from '@overtone/contracts';
import { overtone, type Instance } from '@overtone/e2e/instance';
import { memoryOf } from '@overtone/e2e/processes';
import { asService } from '@overtone/e2e/service-access';
import { ldapSettings, startSlapd, type Slapd } from '@overtone/testkit';
import { mebibytes, type Bench, type Row } from './bench.ts';
import { companyOf, type Company } from './company.ts';
import { entranceOf, type Entrance } from './sign-in.tools.ts';
import { needTools } from './tools.ts';

const usersOfSizeOne = 50_000;
/** Number of teams with a group mapping. */
const mappedTeams = 50;
const noChangeGoalS = 4;
const allChangeGoalS = 25;
const requestsGoal = 75;
const ratioGoal = 5;
const growthGoal = 200 * 1024 * 1024;
const syncPath = '/api/admin/directory-sync';

/** Seconds that ldapsearch needs to read the same attributes. */
async function measureLdapsearch({ url, bindDn, bindPassword, people, groups }: Slapd): Promise<number> {
  const paged = ['-LLL', '-x', '-E', 'pr=1000/noprompt', '-H', url, '-D', bindDn, '-w', bindPassword];
  const attributes = ['uid', 'mail', 'entryUUID', 'memberOf', 'shadowExpire', 'pwdAccountLockedTime'];
  const startedAt = performance.now();
  for (const query of [
    ['-b', people, '(objectClass=inetOrgPerson)', ...attributes],
    ['-b', groups, '(objectClass=groupOfNames)', 'member'],
  ]) {
    const reader = spawn('ldapsearch', [...paged, ...query], { stdio: ['ignore', 'ignore', 'inherit'] });
    const [code] = (await once(reader, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`ldapsearch ended with ${code}`);
  }
  return (performance.now() - startedAt) / 1000;
}

/** Enqueues a sync run and waits for its report. */
async function executeRun({ administrator }: Entrance): Promise<SyncRunReport> {
  const { task_id: id } = await administrator.send<{ task_id: string }>('POST', `${syncPath}/run`, {});
  for (;;) {
    const { status, body } = await administrator.call('GET', `${syncPath}/passes/${id}`);
    if (status === 200) return syncRunReport.parse(body);
    await sleep(200);
  }
}

function assertSuccess(report: SyncRunReport): SyncRunReport {
  if (report.status === 'ok') return report;
  throw new Error(`the sync run ended as ${report.status}: ${report.error}`);
}

/** Creates accounts like first sign-ins, and mappings: the staff are administrators, some teams are groups. */
async function populate(running: Instance, entrance: Entrance, company: Company): Promise<void> {
  const { administrator } = entrance;
  await asService(running, 'identity', (query) => query(company.accounts, [company.people]));
  const addMapping = (claim: string, target: object) =>
    administrator.send('POST', '/api/admin/group-mappings', { source: 'ldap', claim_value: claim, ...target });
  await addMapping(company.staffDn, { grants_role: 'admin' });
  for (let team = 0; team < mappedTeams; team++) {
    const { uuid } = await administrator.send<{ uuid: string }>('POST', '/api/groups', { name: `Team ${team}` });
    await addMapping(company.teamDn(team), { group_uuid: uuid });
  }
  await administrator.send('PUT', syncPath, { enabled: true, dry_run: false });
}

/** Restarts the service, so that its memory shows only what follows. @returns the process id. */
async function restartService(running: Instance): Promise<number> {
  const { code, output } = await overtone(['restart', 'directory-sync', '--data', running.data], {}, 600_000);
  if (code !== 0) throw new Error(output);
  return await running.pidOf('directory-sync');
}

/** The number of undelivered events, from the metrics of the services. */
async function countPendingEvents(running: Instance): Promise<number> {
  const counts = (await running.status()).services.map(async ({ internal_url: url }) => {
    if (url === null) return 0;
    const lines = (await (await fetch(`${url}/metrics`)).text()).matchAll(/^event_consumer_pending\S* (\d+)/gm);
    return [...lines].reduce((sum, [, pending]) => sum + Number(pending), 0);
  });
  return (await Promise.all(counts)).reduce((sum, pending) => sum + pending, 0);
}

/** Waits until all events are delivered, so that their processing does not affect the next sync run. */
async function untilEventsDelivered(running: Instance): Promise<void> {
  await asService(running, 'identity', async (query) => {
    while ((await query('select 1 from identity_outbox where sent_at is null limit 1')).length > 0) await sleep(500);
  });
  while ((await countPendingEvents(running)) > 0) await sleep(500);
}

async function removeAll(running: Instance, entrance: Entrance): Promise<void> {
  const { administrator } = entrance;
  await administrator.send('PUT', syncPath, { enabled: false });
  await entrance.set('ldap', { ldap_enabled: false, ldap_user_groups: '' });
  for (const { uuid } of await administrator.ok<{ uuid: string }[]>('GET', '/api/admin/group-mappings'))
    await administrator.ok('DELETE', `/api/admin/group-mappings/${uuid}`);
  await asService(running, 'identity', (query) => query(`delete from "user" where auth_type = 'ldap'`));
}

function growthRow(name: string, bytes: number): Row {
  return {
    name,
    ours: mebibytes(bytes),
    goal: `<= ${mebibytes(growthGoal)}`,
    met: bytes <= growthGoal,
  };
}

function secondsOf(report: SyncRunReport): number {
  return report.duration_s ?? Number.NaN;
}

function durationRow(name: string, seconds: number, goal: number): Row {
  return {
    name,
    ours: `${seconds.toFixed(1)} s`,
    goal: `<= ${goal.toFixed(0)} s`,
    met: seconds <= goal,
  };
}

/** A sync run over a large directory without changes, and one in which every account changes. */
export const directorySyncBench: Bench = {
  name: 'sweep',
  about: 'a sync run over 50,000 persons and 250,000 memberships, compared with ldapsearch',
  run: async function* ({ size, instance }) {
    needTools(['slapd', 'ldapsearch']);
    const running = await instance();
    const entrance = await entranceOf(running);
    const company = companyOf(Math.round(usersOfSizeOne * size));
    const slapd = await startSlapd({ seed: company.ldif(), database: ['maxsize 17179869184'] });
    try {
      await entrance.set('ldap', {
        ...ldapSettings(slapd),
        ldap_recursive_groups: true,
        ldap_user_groups: company.staffDn,
        ldap_timeout: 60,
      });
      await populate(running, entrance, company);
      /** The memory growth of the process during the work. */
      const growthOver = async (pid: number, work: () => Promise<SyncRunReport>): Promise<[SyncRunReport, number]> => {
        const before = memoryOf(pid).rss;
        const report = assertSuccess(await work());
        if ((await running.pidOf('directory-sync')) !== pid) throw new Error('directory-sync was restarted');
        return [report, memoryOf(pid).peak - before];
      };
      const [changed, growthOfChange] = await growthOver(await running.pidOf('directory-sync'), () =>
        executeRun(entrance),
      );
      await untilEventsDelivered(running);
      const raw = [await measureLdapsearch(slapd)];
      const [unchanged, growth] = await growthOver(await restartService(running), async () => {
        // The first sync run of a new process is slower, so the second one is measured.
        assertSuccess(await executeRun(entrance));
        return executeRun(entrance);
      });
      raw.push(await measureLdapsearch(slapd));
      if (changed.reconciled !== company.people || unchanged.reconciled !== 0)
        throw new Error(`${changed.reconciled} and then ${unchanged.reconciled} of ${company.people} were changed`);
      const [seconds, peer] = [secondsOf(unchanged), Math.min(...raw)];
      yield* [
        durationRow(
          `sweep: ${company.people} persons, nothing changed`,
          seconds,
          size > 1 ? 4.5 * size : noChangeGoalS,
        ),
        durationRow('sweep: everything changed', secondsOf(changed), allChangeGoalS * Math.max(1, size)),
        {
          name: 'sweep: persons per second, whole sync run',
          ours: `${Math.round(company.people / seconds)}/s`,
          peer: `ldapsearch ${Math.round(company.people / peer)}/s`,
          ratio: seconds / peer,
          goal: `<= ${ratioGoal}`,
          met: seconds / peer <= ratioGoal,
        },
        {
          name: 'sweep: LDAP requests',
          ours: String(unchanged.ldap_requests),
          goal: `<= ${requestsGoal * Math.max(1, size)}`,
          met: unchanged.ldap_requests <= requestsGoal * Math.max(1, size),
        },
        growthRow('sweep: memory growth, nothing changed', growth),
        growthRow('sweep: memory growth, everything changed', growthOfChange),
      ];
    } finally {
      await removeAll(running, entrance);
      await slapd.stop();
    }
  },
};

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { passReport, type PassReport } from '@overtone/contracts';
import { overtone, type Instance } from '@overtone/e2e/instance';
import { memoryOf } from '@overtone/e2e/processes';
import { asService } from '@overtone/e2e/service-access';
import { ldapSettings, startSlapd, type Slapd } from '@overtone/testkit';
import { mebibytes, type Bench, type Row } from './bench.ts';
import { companyOf, type Company } from './company.ts';
import { entranceOf, type Entrance } from './sign-in.tools.ts';
import { needTools } from './tools.ts';

const usersOfSizeOne = 50_000;
/** So many teams lead to a group of ours. */
const mappedTeams = 50;
const noChangeGoalS = 4;
const allChangeGoalS = 25;
const requestsGoal = 75;
const ratioGoal = 5;
const growthGoal = 200 * 1024 * 1024;
const sweepPath = '/api/admin/directory-sync';

/** What a plain reader of the same attributes needs, in seconds. */
const rawRead = async ({ url, bindDn, bindPassword, people, groups }: Slapd): Promise<number> => {
  const paged = ['-LLL', '-x', '-E', 'pr=1000/noprompt', '-H', url, '-D', bindDn, '-w', bindPassword];
  const attributes = ['uid', 'mail', 'entryUUID', 'memberOf', 'shadowExpire', 'pwdAccountLockedTime'];
  const begun = performance.now();
  for (const question of [
    ['-b', people, '(objectClass=inetOrgPerson)', ...attributes],
    ['-b', groups, '(objectClass=groupOfNames)', 'member'],
  ]) {
    const reader = spawn('ldapsearch', [...paged, ...question], { stdio: ['ignore', 'ignore', 'inherit'] });
    const [code] = (await once(reader, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`ldapsearch ended with ${code}`);
  }
  return (performance.now() - begun) / 1000;
};

/** Orders a pass and waits for its report. */
const pass = async ({ administrator }: Entrance): Promise<PassReport> => {
  const { task_id: id } = await administrator.send<{ task_id: string }>('POST', `${sweepPath}/run`, {});
  for (;;) {
    const { status, body } = await administrator.call('GET', `${sweepPath}/passes/${id}`);
    if (status === 200) return passReport.parse(body);
    await sleep(200);
  }
};

const goneWell = (report: PassReport): PassReport => {
  if (report.status === 'ok') return report;
  throw new Error(`the pass ended as ${report.status}: ${report.error}`);
};

/** Accounts as first sign-ins make them, and mappings: the staff are administrators, a part of the teams are groups. */
const populate = async (running: Instance, entrance: Entrance, company: Company): Promise<void> => {
  const { administrator } = entrance;
  await asService(running, 'identity', (query) => query(company.accounts, [company.people]));
  const map = (claim: string, lead: object) =>
    administrator.send('POST', '/api/admin/group-mappings', { source: 'ldap', claim_value: claim, ...lead });
  await map(company.staffDn, { grants_role: 'admin' });
  for (let team = 0; team < mappedTeams; team++) {
    const { uuid } = await administrator.send<{ uuid: string }>('POST', '/api/groups', { name: `Team ${team}` });
    await map(company.teamDn(team), { group_uuid: uuid });
  }
  await administrator.send('PUT', sweepPath, { enabled: true, dry_run: false });
};

/** A new process, so that its memory tells of what it does from now on. @returns its id */
const begunAgain = async (running: Instance): Promise<number> => {
  const { code, output } = await overtone(['restart', 'directory-sync', '--data', running.data], {}, 600_000);
  if (code !== 0) throw new Error(output);
  return await running.pidOf('directory-sync');
};

/** How many events no service has taken in yet, as the services themselves say. */
const unheard = async (running: Instance): Promise<number> => {
  const told = (await running.status()).services.map(async ({ internal_url: url }) => {
    if (url === null) return 0;
    const lines = (await (await fetch(`${url}/metrics`)).text()).matchAll(/^event_consumer_pending\S* (\d+)/gm);
    return [...lines].reduce((sum, [, pending]) => sum + Number(pending), 0);
  });
  return (await Promise.all(told)).reduce((sum, pending) => sum + pending, 0);
};

/** What the changes had to tell is told and heard: a pass in which nothing changes has no such work beside it. */
const allHeard = async (running: Instance): Promise<void> => {
  await asService(running, 'identity', async (query) => {
    while ((await query('select 1 from identity_outbox where sent_at is null limit 1')).length > 0) await sleep(500);
  });
  while ((await unheard(running)) > 0) await sleep(500);
};

const removeAll = async (running: Instance, entrance: Entrance): Promise<void> => {
  const { administrator } = entrance;
  await administrator.send('PUT', sweepPath, { enabled: false });
  await entrance.set('ldap', { ldap_enabled: false, ldap_user_groups: '' });
  for (const { uuid } of await administrator.ok<{ uuid: string }[]>('GET', '/api/admin/group-mappings'))
    await administrator.ok('DELETE', `/api/admin/group-mappings/${uuid}`);
  await asService(running, 'identity', (query) => query(`delete from "user" where auth_type = 'ldap'`));
};

const grown = (name: string, bytes: number): Row => ({
  name,
  ours: mebibytes(bytes),
  peer: '',
  ratio: null,
  goal: `<= ${mebibytes(growthGoal)}`,
  met: bytes <= growthGoal,
});
const secondsOf = (report: PassReport): number => report.duration_s ?? Number.NaN;
const timed = (name: string, seconds: number, goal: number): Row => ({
  name,
  ours: `${seconds.toFixed(1)} s`,
  peer: '',
  ratio: null,
  goal: `<= ${goal.toFixed(0)} s`,
  met: seconds <= goal,
});

/** One pass over a large directory in which nothing has changed, and one in which everything has. */
export const sweepBench: Bench = {
  name: 'sweep',
  about: 'a pass over 50,000 people and 250,000 memberships, beside ldapsearch reading the same',
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
      /** How much the process grew over what it did. */
      const growthOver = async (pid: number, work: () => Promise<PassReport>): Promise<[PassReport, number]> => {
        const before = memoryOf(pid).rss;
        const report = goneWell(await work());
        if ((await running.pidOf('directory-sync')) !== pid) throw new Error('directory-sync was started again');
        return [report, memoryOf(pid).peak - before];
      };
      const [changed, growthOfChange] = await growthOver(await running.pidOf('directory-sync'), () => pass(entrance));
      await allHeard(running);
      const raw = [await rawRead(slapd)];
      const [still, growth] = await growthOver(await begunAgain(running), async () => {
        // The first of a new process is slower; every other one is like the second.
        goneWell(await pass(entrance));
        return pass(entrance);
      });
      raw.push(await rawRead(slapd));
      if (changed.reconciled !== company.people || still.reconciled !== 0)
        throw new Error(`${changed.reconciled} and then ${still.reconciled} of ${company.people} were changed`);
      const [seconds, peer] = [secondsOf(still), Math.min(...raw)];
      yield* [
        timed(`sweep: ${company.people} people, nothing changed`, seconds, size > 1 ? 4.5 * size : noChangeGoalS),
        timed('sweep: everything changed', secondsOf(changed), allChangeGoalS * Math.max(1, size)),
        {
          name: 'sweep: people a second, whole pass',
          ours: `${Math.round(company.people / seconds)}/s`,
          peer: `ldapsearch ${Math.round(company.people / peer)}/s`,
          ratio: seconds / peer,
          goal: `<= ${ratioGoal}`,
          met: seconds / peer <= ratioGoal,
        },
        {
          name: 'sweep: LDAP requests',
          ours: String(still.ldap_requests),
          peer: '',
          ratio: null,
          goal: `<= ${requestsGoal * Math.max(1, size)}`,
          met: still.ldap_requests <= requestsGoal * Math.max(1, size),
        },
        grown('sweep: memory growth, nothing changed', growth),
        grown('sweep: memory growth, everything changed', growthOfChange),
      ];
    } finally {
      await removeAll(running, entrance);
      await slapd.stop();
    }
  },
};

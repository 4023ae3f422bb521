import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { compileMappings, type Clock } from '@overtone/directory';
import { isAppError, readKeyRing, seal } from '@overtone/service-kit';
import { groupLdif, personLdif, startSlapd, type Slapd } from '@overtone/testkit';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { rulesFor } from '../../test/rules.ts';
import { createPlan, type Account } from '../plan/plan.ts';
import { directorySnapshot } from '../snapshot/snapshot.adapter.ts';
import type { DirectoryRules } from '../snapshot/snapshot.ts';
import { recheckCandidates } from './apply.ts';

const base = 'dc=example,dc=org';

function groupDn(name: string) {
  return `cn=${name},ou=groups,${base}`;
}

function personDn(value: number) {
  return `uid=u${value},ou=people,${base}`;
}

function idOf(value: number) {
  return `00000000-0000-4000-8000-${String(value).padStart(12, '0')}`;
}

const service = `cn=svc,${base}`;
/** More than three pages. */
const people = [...Array(3_200).keys()];
/** What the service account can read, each granted by membership of its own group. */
const readRights = ['people', 'groups', 'ids', 'logins'];

/** An access rule: members of the group of this right can read `target`. */
function accessRule(target: string, right: string) {
  return `access to ${target} by group.exact="${groupDn(`reads ${right}`)}" read by anonymous auth by * none`;
}

/** Adds an expiry date, in days since 1970. */
function withExpiry(ldif: string, day: number | null): string {
  return day === null
    ? ldif
    : ldif.replace('objectClass: inetOrgPerson', `$&\nobjectClass: shadowAccount\nshadowExpire: ${day}`);
}

function start(present: readonly number[], expiryOf: (value: number) => number | null = () => null): Promise<Slapd> {
  return startSlapd({
    access: [
      accessRule('attrs=memberOf,member', 'groups'),
      accessRule('attrs=entryUUID', 'ids'),
      accessRule('attrs=uid', 'logins'),
      accessRule(`dn.subtree="ou=people,${base}"`, 'people'),
    ],
    global: ['sizelimit 500'],
    seed: [
      ...present.map((number) =>
        withExpiry(
          personLdif(`u${number}`, [`entryUUID: ${idOf(number)}`, `memberOf: ${groupDn('staff')}`]),
          expiryOf(number),
        ),
      ),
      groupLdif('staff', [service, ...present.map(personDn)]),
      ...readRights.map((right) => groupLdif(`reads ${right}`, [service, personDn(1)])),
    ].join('\n'),
  });
}

const ring = readKeyRing({ ENCRYPTION_KEY: randomBytes(32).toString('base64') });

function rulesOf(slapd: Slapd, config: Partial<DirectoryRules['config']> = {}, password = 'svcpass'): DirectoryRules {
  return rulesFor(
    {
      server: slapd.url,
      bindDn: slapd.bindDn,
      searchBase: slapd.people,
      userSearchFilter: '(&(objectClass=inetOrgPerson)(uid={username}))',
      userGroups: groupDn('staff'),
      ...config,
    },
    { bindPassword: seal(ring, 'ldap_bind_password', password) },
  );
}

const accounts = people.map((person): Account => ({
  userId: idOf(person),
  email: `u${person}@example.org`,
  login: `u${person}`,
  directoryId: `entryUUID:${idOf(person)}`,
  authType: 'ldap',
  role: 'user',
  active: true,
  disabledBy: null,
  fromDirectory: [],
  byHand: [],
}));

type RunOptions = { onSeen?: (seen: number) => void; clock?: Clock };
/** Makes a sync run up to the changes that it would send to identity. */
async function run(rules: DirectoryRules, { onSeen = () => {}, clock }: RunOptions = {}) {
  try {
    const takeSnapshot = directorySnapshot(() => ring, { paceMs: 0, busyRetryDelaysMs: [1] });
    const snapshot = await takeSnapshot(rules, { signal: new AbortController().signal, onSeen, clock });
    const planRules = { mappings: compileMappings('ldap', [], false) };
    const plan = createPlan(snapshot.people, planRules, { maxDisables: 100_000, maxPercent: null, approved: null });
    plan.add(accounts);
    const planned = plan.finish();
    const candidates = await recheckCandidates(planned, {
      dryRun: false,
      snapshot,
      rules: planRules,
      onProgress: () => {},
    });
    const disabled = candidates
      .filter(({ outcome }) => outcome === 'disabled')
      .map(({ candidate }) => candidate.account.userId);
    return { status: planned.status, disabled, changed: planned.changes.length };
  } catch (error) {
    if (!isAppError(error) || error.code !== 'directory_unavailable') throw error;
    return { status: 'directory_unavailable', disabled: [], changed: 0 };
  }
}

const aborted = { status: 'directory_unavailable', disabled: [], changed: 0 };
const noChanges = { status: 'ok', disabled: [], changed: 0 };

const slapd = await stopAfterFile(start(people));

function change(dn: string, ...lines: string[]) {
  return slapd.apply([`dn: ${dn}`, ...lines, ''].join('\n'));
}

/** Runs `work` while the directory has a fault, and repairs it afterwards. */
async function during<T>(breakDirectory: () => Promise<void>, repair: () => Promise<void>, work: () => Promise<T>) {
  await breakDirectory();
  try {
    return await work();
  } finally {
    await repair();
  }
}

function passWithoutRight(right: string) {
  return during(
    () => change(groupDn(`reads ${right}`), 'changetype: modify', 'delete: member', `member: ${service}`),
    () => change(groupDn(`reads ${right}`), 'changetype: modify', 'add: member', `member: ${service}`),
    () => run(rulesOf(slapd)),
  );
}

describe('no account is disabled after', () => {
  it('no fault, except one account that left the directory', async () => {
    expect(await run(rulesOf(slapd))).toEqual(noChanges);
    const left = await start(people.slice(1));
    expect(await run(rulesOf(left))).toEqual({ ...noChanges, disabled: [idOf(0)] });
    await left.stop();
  });

  it('a typing error in the base', async () => {
    expect(await run(rulesOf(slapd, { searchBase: `ou=poeple,${base}` }))).toEqual(aborted);
    expect(await run(rulesOf(slapd, { searchBase: slapd.groups }))).toEqual(aborted);
  });

  it('a change of the filter that matches no or few persons', async () => {
    const filter = (more: string) => ({ userSearchFilter: `(&(objectClass=inetOrgPerson)${more}(uid={username}))` });
    expect(await run(rulesOf(slapd, filter('(title=staff)')))).toEqual(aborted);
    // The recheck searches by the immutable id, so it finds the persons that the narrower filter excludes.
    const few = `(!(|${people
      .slice(1, 25)
      .map((person) => `(uid=u${person})`)
      .join('')}))`;
    expect(await run(rulesOf(slapd, filter(few)))).toEqual(noChanges);
  });

  it('a required group that was renamed', async () => {
    const rename = (from: string, to: string) => () =>
      change(groupDn(from), 'changetype: modrdn', `newrdn: cn=${to}`, 'deleteoldrdn: 1');
    const result = during(rename('staff', 'personnel'), rename('personnel', 'staff'), () => run(rulesOf(slapd)));
    expect(await result).toEqual(aborted);
  });

  it.each(['people', 'groups', 'ids', 'logins'])(
    'the removal of the right of the service account to read %s',
    async (right) => {
      expect(await passWithoutRight(right)).toEqual(aborted);
    },
  );

  it('a service account that was moved', async () => {
    const move = (from: string, to: string) => () =>
      change(`cn=${from},${base}`, 'changetype: modrdn', `newrdn: cn=${to}`, 'deleteoldrdn: 1');
    expect(await during(move('svc', 'moved'), move('moved', 'svc'), () => run(rulesOf(slapd)))).toEqual(aborted);
  });

  it('a replica that is empty', async () => {
    const empty = await startSlapd();
    expect(await run(rulesOf(empty))).toEqual(aborted);
    expect(await run(rulesOf(empty, { userGroups: '' }))).toEqual(aborted);
    await empty.stop();
  });

  it('a schema change that removes the identifying attribute', async () => {
    expect(await run(rulesOf(slapd, { usernameAttr: 'sAMAccountName' }))).toEqual(aborted);
  });

  it('a limit that truncates the pages', async () => {
    // The size limit of 500 entries applies to every account except the service account.
    expect(await run(rulesOf(slapd, { bindDn: personDn(1) }, 'u1-secret'))).toEqual(aborted);
  });

  it('a server crash between two pages', async () => {
    const onSeen = (seen: number) => {
      if (seen === 1_000) process.kill(slapd.pid(), 'SIGKILL');
    };
    const result = await run(rulesOf(slapd), { onSeen });
    await slapd.restart();
    expect(result).toEqual(aborted);
  });

  it('a clock that jumps ahead, when all accounts have an expiry date', async () => {
    const today = Math.floor(Date.now() / 86_400_000);
    const dated = await start(people, (number) => today + 100 + number);
    const rules = rulesOf(dated);
    const clock = (day: number, vouched: number | null) => ({
      now: new Date(day * 86_400_000 + 1),
      vouched: vouched === null ? null : new Date(vouched * 86_400_000 + 1),
    });
    try {
      expect(await run(rules, { clock: clock(today, null) })).toEqual(noChanges);
      // A clock ten years ahead of the last successful sync run is not verified.
      expect(await run(rules, { clock: clock(today + 3_650, today + 7) })).toEqual({ ...noChanges, status: 'held' });
      // Within the verified time, expired accounts are disabled.
      const ended = { ...noChanges, disabled: [idOf(0), idOf(1)] };
      expect(await run(rules, { clock: clock(today + 101, today + 107) })).toEqual(ended);
    } finally {
      await dated.stop();
    }
  });

  it.each(['2001-01-01', '2037-12-31'])('a clock that jumps to %s, when no account has an expiry date', async (day) => {
    const clock = { now: new Date(day), vouched: new Date() };
    expect(await run(rulesOf(slapd), { clock })).toEqual(noChanges);
  });
});

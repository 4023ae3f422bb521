import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { compileMappings } from '@overtone/directory';
import { isAppError, readKeyRing, seal } from '@overtone/service-kit';
import {
  groupLdif,
  personLdif,
  startFaultyProxy,
  startSlapd,
  type FaultyProxy,
  type LineFault,
  type Slapd,
} from '@overtone/testkit';
import { randomFrom } from '../../test/random.ts';
import { rulesFor } from '../../test/rules.ts';
import { witness } from '../passes/witness.ts';
import { createPlan, type Account } from '../plan/plan.ts';
import { directorySnapshot } from './snapshot.adapter.ts';

/** Passes through a line that fails; more of them in long runs. */
const passes = Number(process.env['OT_SWEEP_LINES'] ?? 80);

const base = 'dc=example,dc=org';
const groupDn = (name: string) => `cn=${name},ou=groups,${base}`;
const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
/** More than one page; the last few accounts have nobody behind them. */
const people = [...Array(1_100).keys()];
const left = [9_001, 9_002, 9_003];
const seed = [
  ...people.map((n) => personLdif(`u${n}`, [`entryUUID: ${idOf(n)}`, `memberOf: ${groupDn('staff')}`])),
  groupLdif(
    'staff',
    people.map((n) => `uid=u${n},ou=people,${base}`),
  ),
].join('\n');
const accounts = [...people, ...left].map((n): Account => ({
  userId: idOf(n),
  email: `u${n}@example.org`,
  login: `u${n}`,
  directoryId: `entryUUID:${idOf(n)}`,
  authType: 'ldap',
  role: n % 5 === 0 ? 'admin' : 'user',
  active: true,
  disabledBy: null,
  fromDirectory: [idOf(7)],
  byHand: [],
}));
const ring = readKeyRing({ ENCRYPTION_KEY: randomBytes(32).toString('base64') });

let slapd: Slapd;
let plain: FaultyProxy;
let encrypted: FaultyProxy;
beforeAll(async () => {
  slapd = await startSlapd({ seed });
  plain = await startFaultyProxy({ port: slapd.port });
  encrypted = await startFaultyProxy({ port: slapd.ldapsPort });
});
afterAll(async () => {
  await plain.stop();
  await encrypted.stop();
  await slapd.stop();
});

/** A pass over a line up to what it would tell identity; null when it says nothing about anybody. */
const pass = async (proxy: FaultyProxy, faults: (connection: number) => readonly LineFault[]) => {
  proxy.suffer(faults);
  const rules = rulesFor(
    {
      server: 'localhost',
      port: proxy.port,
      useSsl: proxy === encrypted,
      caPem: slapd.caPem,
      bindDn: slapd.bindDn,
      searchBase: slapd.people,
      userSearchFilter: '(&(objectClass=inetOrgPerson)(uid={username}))',
      userGroups: groupDn('staff'),
      adminUsers: people
        .filter((n) => n % 5 === 0)
        .map((n) => `u${n}`)
        .join(','),
      timeoutSeconds: 4,
    },
    {
      bindPassword: seal(ring, 'ldap_bind_password', 'svcpass'),
      anyMapping: true,
      mappings: [{ claimValue: groupDn('staff'), groupId: idOf(7), grantsRole: null }],
    },
  );
  try {
    const take = directorySnapshot(() => ring, { paceMs: 0, busyRetryDelaysMs: [1] })(rules);
    const snapshot = await take(new AbortController().signal, () => {});
    const planRules = { mappings: compileMappings('ldap', rules.mappings, true) };
    const plan = createPlan(snapshot.people, planRules, { maxDisables: 5_000, maxPercent: null, approved: null });
    plan.add(accounts);
    const planned = plan.finish();
    if (planned.status !== 'ok') return null;
    const leavers = await witness(planned, { dryRun: false, snapshot, rules: planRules, onNext: () => {} });
    return {
      disabled: leavers.filter((l) => l.outcome === 'disabled').map((l) => l.leaver.account.userId),
      changed: planned.changes.map((c) => `${c.account.userId} ${c.role} -${c.remove.join()} +${c.add.join()}`),
    };
  } catch (error) {
    if (isAppError(error) && error.code === 'directory_unavailable') return null;
    throw error;
  }
};

const kinds = ['cut', 'delay', 'corrupt', 'drop', 'repeat'] as const;
/** One fault at a random byte; a line that falls silent costs a whole timeout and is rare. */
const faultOf = (random: (below: number) => number): { connection: number; fault: LineFault } => ({
  connection: 1 + random(2),
  fault: {
    kind: random(60) === 0 ? 'stall' : kinds[random(kinds.length)]!,
    towards: random(6) === 0 ? 'server' : 'client',
    // Most of what is said stands early; an answer of everybody is some hundred thousand bytes.
    at: random(2) === 0 ? random(3_000) : random(260_000),
  },
});

describe('pass over a connection that is closed, delayed, silent, or corrupts data', () => {
  it.each([
    ['in clear text', () => plain],
    ['encrypted', () => encrypted],
  ])(
    '%s: disables nobody who did not leave',
    async (_how, proxyOf) => {
      const proxy = proxyOf();
      const truth = left.map(idOf);
      expect(await pass(proxy, () => [])).toEqual({ disabled: truth, changed: [] });
      const wrong: string[] = [];
      const tally = { told: 0, aborted: 0 };
      for (let number = 1; number <= passes / 2; number++) {
        const { connection, fault } = faultOf(randomFrom(number));
        const told = await pass(proxy, (n) => (n === connection ? [fault] : []));
        tally[told ? 'told' : 'aborted'] += 1;
        const badly = [
          ...(told?.disabled ?? []).filter((id) => !truth.includes(id)),
          // What nobody can see on an open line is whether a group's name was changed on the way.
          ...(proxy === encrypted ? (told?.changed ?? []) : []),
        ];
        for (const what of badly) wrong.push(`seed ${number}, ${connection} ${JSON.stringify(fault)}: ${what}`);
      }
      expect(wrong).toEqual([]);
      expect(tally.told).toBeGreaterThan(0);
      expect(tally.aborted).toBeGreaterThan(0);
    },
    600_000,
  );
});

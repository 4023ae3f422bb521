import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { compileMappings } from '@overtone/directory';
import { isAppError, readKeyRing, seal } from '@overtone/service-kit';
import {
  groupLdif,
  personLdif,
  startFaultyProxy,
  startSlapd,
  type FaultyProxy,
  type LineFault,
} from '@overtone/testkit';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { randomFrom } from '@overtone/testkit/seed';
import { rulesFor } from '../../test/rules.ts';
import { recheckCandidates } from '../runs/apply.ts';
import { createPlan, type Account } from '../plan/plan.ts';
import { directorySnapshot } from './snapshot.adapter.ts';

/** Number of sync runs over a faulty connection; larger in long runs. */
const runs = Number(process.env['OT_SWEEP_LINES'] ?? 80);

const base = 'dc=example,dc=org';

function groupDn(name: string) {
  return `cn=${name},ou=groups,${base}`;
}

function idOf(value: number) {
  return `00000000-0000-4000-8000-${String(value).padStart(12, '0')}`;
}

/** More than one page of persons, and three accounts without a person. */
const people = [...Array(1_100).keys()];
const absent = [9_001, 9_002, 9_003];
const seed = [
  ...people.map((person) => personLdif(`u${person}`, [`entryUUID: ${idOf(person)}`, `memberOf: ${groupDn('staff')}`])),
  groupLdif(
    'staff',
    people.map((person) => `uid=u${person},ou=people,${base}`),
  ),
].join('\n');
const accounts = [...people, ...absent].map((person): Account => ({
  userId: idOf(person),
  email: `u${person}@example.org`,
  login: `u${person}`,
  directoryId: `entryUUID:${idOf(person)}`,
  authType: 'ldap',
  role: person % 5 === 0 ? 'admin' : 'user',
  active: true,
  disabledBy: null,
  fromDirectory: [idOf(7)],
  byHand: [],
}));
const ring = readKeyRing({ ENCRYPTION_KEY: randomBytes(32).toString('base64') });

const slapd = await stopAfterFile(startSlapd({ seed }));
const plain = await stopAfterFile(startFaultyProxy({ port: slapd.port }));
const encrypted = await stopAfterFile(startFaultyProxy({ port: slapd.ldapsPort }));

/** Makes a sync run over a faulty connection up to the changes for identity. @returns null when it was aborted. */
async function run(proxy: FaultyProxy, faults: (connection: number) => readonly LineFault[]) {
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
        .filter((person) => person % 5 === 0)
        .map((person) => `u${person}`)
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
    const takeSnapshot = directorySnapshot(() => ring, { paceMs: 0, busyRetryDelaysMs: [1] });
    const snapshot = await takeSnapshot(rules, { signal: new AbortController().signal, onSeen: () => {} });
    const planRules = { mappings: compileMappings('ldap', rules.mappings, true) };
    const plan = createPlan(snapshot.people, planRules, { maxDisables: 5_000, maxPercent: null, approved: null });
    plan.add(accounts);
    const planned = plan.finish();
    if (planned.status !== 'ok') return null;
    const candidates = await recheckCandidates(planned, {
      dryRun: false,
      snapshot,
      rules: planRules,
      onProgress: () => {},
    });
    return {
      disabled: candidates
        .filter(({ outcome }) => outcome === 'disabled')
        .map(({ candidate }) => candidate.account.userId),
      changed: planned.changes.map(
        ({ account, role, remove, add }) => `${account.userId} ${role} -${remove.join()} +${add.join()}`,
      ),
    };
  } catch (error) {
    if (isAppError(error) && error.code === 'directory_unavailable') return null;
    throw error;
  }
}

const kinds = ['cut', 'delay', 'corrupt', 'drop', 'repeat'] as const;
/** One fault at a random byte. A silent connection takes a whole timeout, so it is rare. */
function faultOf(random: (below: number) => number): { connection: number; fault: LineFault } {
  return {
    connection: 1 + random(2),
    fault: {
      kind: random(60) === 0 ? 'stall' : kinds[random(kinds.length)]!,
      towards: random(6) === 0 ? 'server' : 'client',
      // Most protocol messages are in the first bytes; the pages of all persons are some hundred thousand bytes.
      at: random(2) === 0 ? random(3_000) : random(260_000),
    },
  };
}

describe('sync run over a connection that is closed, delayed, silent, or corrupts data', () => {
  it.each([
    ['in clear text', () => plain],
    ['encrypted', () => encrypted],
  ])(
    '%s: disables only accounts that left the directory',
    async (_how, proxyOf) => {
      const proxy = proxyOf();
      const expected = absent.map(idOf);
      expect(await run(proxy, () => [])).toEqual({ disabled: expected, changed: [] });
      const wrong: string[] = [];
      const tally = { completed: 0, aborted: 0 };
      for (let number = 1; number <= runs / 2; number++) {
        const { connection, fault } = faultOf(randomFrom(number));
        const result = await run(proxy, (attempt) => (attempt === connection ? [fault] : []));
        tally[result ? 'completed' : 'aborted'] += 1;
        const unexpected = [
          ...(result?.disabled ?? []).filter((id) => !expected.includes(id)),
          // A changed group name is detectable only on an encrypted connection.
          ...(proxy === encrypted ? (result?.changed ?? []) : []),
        ];
        for (const change of unexpected)
          wrong.push(`seed ${number}, ${connection} ${JSON.stringify(fault)}: ${change}`);
      }
      expect(wrong).toEqual([]);
      expect(tally.completed).toBeGreaterThan(0);
      expect(tally.aborted).toBeGreaterThan(0);
    },
    600_000,
  );
});

import { describe, expect, it } from '@jest/globals';
import { compileMappings } from '@overtone/directory';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { rulesFor } from '../../test/rules.ts';
import { base, startScriptedDirectory, type Fault } from '../../test/scripted-directory.ts';
import { member } from '../../test/world.ts';
import { recheckCandidates } from '../runs/apply.ts';
import { createPlan } from '../plan/plan.ts';
import { directorySnapshot } from './snapshot.adapter.ts';

const directory = await stopAfterFile(startScriptedDirectory());

const people = [...Array(30).keys()];
/** Thirty accounts, of which the directory contains ten. */
const absentCount = 20;
const entries = [
  { dn: base, attributes: { objectClass: ['domain'] } },
  ...people.slice(absentCount).map((person) => ({
    dn: `uid=login-${person},ou=people,${base}`,
    attributes: { objectClass: ['person'], uid: [`login-${person}`], entryUUID: [String(person)] },
  })),
];

function noKeys(): never {
  throw new Error('no password is configured');
}

/** Makes a sync run up to the changes that it would send to identity, and measures its duration. */
async function run(fault: Fault | null, pace: { paceMs?: number; busyRetryDelaysMs?: readonly number[] }) {
  directory.hold({ entries, pageSize: 3, fault });
  const startedAt = performance.now();
  const snapshot = await directorySnapshot(noKeys, pace)(rulesFor({ port: directory.port }), {
    signal: new AbortController().signal,
    onSeen: () => {},
  });
  const rules = { mappings: compileMappings('ldap', [], false) };
  const plan = createPlan(snapshot.people, rules, { maxDisables: 100, maxPercent: null, approved: null });
  plan.add(people.map((person) => member(person).account));
  const results = await recheckCandidates(plan.finish(), { dryRun: false, snapshot, rules, onProgress: () => {} });
  const disabled = results.filter(({ outcome }) => outcome === 'disabled').length;
  return { disabled, requests: snapshot.requests(), ms: performance.now() - startedAt };
}

describe('load of a sync run on the directory', () => {
  it('uses two connections in sequence: one for the snapshot, one for all rechecks', async () => {
    const { disabled } = await run(null, { paceMs: 0, busyRetryDelaysMs: [] });
    expect(disabled).toBe(absentCount);
    expect(directory.connections().all).toBe(2);
    expect(directory.connections().atOnce).toBeLessThanOrEqual(2);
  });

  it('pauses between requests, in the snapshot and in the rechecks', async () => {
    const paceMs = 15;
    const { requests, ms } = await run(null, { paceMs, busyRetryDelaysMs: [] });
    // Two binds and the first request of each of the two connections are sent without a pause.
    expect(ms).toBeGreaterThan((requests - 4) * (paceMs - 1));
  });

  it.each([
    ['at the first search', 1],
    ['between two pages', 5],
    ['at a recheck', 12],
  ])('retries after a delay when the directory is busy %s', async (_when, at) => {
    const undisturbed = await run(null, { paceMs: 0, busyRetryDelaysMs: [] });
    const { disabled, requests, ms } = await run({ at, kind: 'result 51' }, { paceMs: 0, busyRetryDelaysMs: [60, 60] });
    expect(disabled).toBe(absentCount);
    expect(requests).toBeGreaterThan(undisturbed.requests);
    expect(ms).toBeGreaterThan(58);
  });

  it.each([1, 5, 12])(
    'tries three times and disables no account when the directory is busy from request %d on',
    async (at) => {
      const result = run({ at, upTo: 1_000, kind: 'result 51' }, { paceMs: 0, busyRetryDelaysMs: [1, 1] });
      await expect(result).rejects.toMatchObject({ code: 'directory_unavailable' });
      expect(directory.connections().all).toBe(at === 12 ? 4 : 3);
    },
  );
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { compileMappings } from '@overtone/directory';
import { rulesFor } from '../../test/rules.ts';
import { base, startScriptedDirectory, type Fault, type ScriptedDirectory } from '../../test/scripted-directory.ts';
import { member } from '../../test/world.ts';
import { witness } from '../passes/witness.ts';
import { createPlan } from '../plan/plan.ts';
import { directorySnapshot } from './snapshot.adapter.ts';

let directory: ScriptedDirectory;
beforeAll(async () => {
  directory = await startScriptedDirectory();
});
afterAll(() => directory.stop());

const people = [...Array(30).keys()];
const leavers = 20;
/** Of thirty accounts the directory has ten. */
const entries = [
  { dn: base, attributes: { objectClass: ['domain'] } },
  ...people.slice(leavers).map((n) => ({
    dn: `uid=login-${n},ou=people,${base}`,
    attributes: { objectClass: ['person'], uid: [`login-${n}`], entryUUID: [String(n)] },
  })),
];
const noKeys = () => {
  throw new Error('there is no password to open');
};

/** A pass up to what it would do, and when each request of it was made. */
const pass = async (fault: Fault | null, pace: { paceMs?: number; busyRetryDelaysMs?: readonly number[] }) => {
  directory.hold({ entries, pageSize: 3, fault });
  const took = performance.now();
  const snapshot = await directorySnapshot(noKeys, pace)(rulesFor({ port: directory.port }))(
    new AbortController().signal,
    () => {},
  );
  const rules = { mappings: compileMappings('ldap', [], false) };
  const plan = createPlan(snapshot.people, rules, { maxDisables: 100, maxPercent: null, approved: null });
  plan.add(people.map((n) => member(n).account));
  const results = await witness(plan.finish(), { dryRun: false, snapshot, rules, onNext: () => {} });
  const disabled = results.filter((l) => l.outcome === 'disabled').length;
  return { disabled, requests: snapshot.requests(), ms: performance.now() - took };
};

describe('load of a pass on the directory', () => {
  it('uses two connections in sequence: one for the snapshot, one for all rechecks', async () => {
    const { disabled } = await pass(null, { paceMs: 0, busyRetryDelaysMs: [] });
    expect(disabled).toBe(leavers);
    expect(directory.connections().all).toBe(2);
    expect(directory.connections().atOnce).toBeLessThanOrEqual(2);
  });

  it('pauses between requests, in the snapshot and in the rechecks', async () => {
    const paceMs = 15;
    const { requests, ms } = await pass(null, { paceMs, busyRetryDelaysMs: [] });
    // Of all requests, the first of each connection wait for nothing; nor do the two that open one.
    expect(ms).toBeGreaterThan((requests - 4) * (paceMs - 1));
  });

  it.each([
    ['in its first question', 1],
    ['between two pages', 5],
    ['at a second look', 12],
  ])('busy %s, it is left alone for a while and asked again', async (_when, at) => {
    const quiet = await pass(null, { paceMs: 0, busyRetryDelaysMs: [] });
    const { disabled, requests, ms } = await pass(
      { at, kind: 'result 51' },
      { paceMs: 0, busyRetryDelaysMs: [60, 60] },
    );
    expect(disabled).toBe(leavers);
    expect(requests).toBeGreaterThan(quiet.requests);
    expect(ms).toBeGreaterThan(58);
  });

  it.each([1, 5, 12])(
    'tries three times and disables no account when the directory is busy from request %d on',
    async (at) => {
      const asked = pass({ at, upTo: 1_000, kind: 'result 51' }, { paceMs: 0, busyRetryDelaysMs: [1, 1] });
      await expect(asked).rejects.toMatchObject({ code: 'directory_unavailable' });
      expect(directory.connections().all).toBe(at === 12 ? 4 : 3);
    },
  );
});

import assert from 'node:assert/strict';
import type { Instance } from './instance.ts';
import { until } from './runner.ts';

export type Readiness = { name: string; status: number; seconds: number; checks: Record<string, string> };

export const addressesOf = async (instance: Instance): Promise<Map<string, string>> =>
  new Map((await instance.status()).services.map((s) => [s.name, String(s.internal_url)]));

const readinessAt = async (name: string, url: string | undefined): Promise<Readiness> => {
  const from = performance.now();
  const response = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(30_000) });
  const { checks } = (await response.json()) as { checks: Record<string, string> };
  return { name, status: response.status, seconds: (performance.now() - from) / 1000, checks };
};

/** Asks every service at the same time, as Kubernetes does. */
export const askReadiness = (addresses: Map<string, string>, names: readonly string[]): Promise<Readiness[]> =>
  Promise.all(names.map((name) => readinessAt(name, addresses.get(name))));

/**
 * Each of them names what it misses and blames nothing else; asked again until it is so, because on a busy machine
 * something else may be late for once. @returns how long the slowest took to say so.
 */
export const expectNamed = (
  addresses: Map<string, string>,
  { by, check, status }: { by: readonly string[]; check: string; status: number },
): Promise<string> =>
  until(`${check} is named`, async () => {
    const answers = await askReadiness(addresses, by);
    for (const a of answers) {
      assert.equal(a.status, status, `${a.name}: ${JSON.stringify(a.checks)}`);
      assert.match(a.checks[check] ?? 'not named', /^error/, `${a.name} on ${check}`);
      const others = Object.entries(a.checks).filter(([name, said]) => name !== check && said !== 'ok');
      assert.deepEqual(others, [], `${a.name} blames something else`);
    }
    return `slowest answer ${Math.max(...answers.map((a) => a.seconds)).toFixed(2)} s`;
  });

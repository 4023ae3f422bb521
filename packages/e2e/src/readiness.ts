import assert from 'node:assert/strict';
import type { Instance } from './instance.ts';
import { jobLimitMs, until } from './until.ts';

export type Readiness = { name: string; status: number; seconds: number; checks: Record<string, string> };

export async function addressesOf(instance: Instance): Promise<Map<string, string>> {
  return new Map((await instance.status()).services.map(({ name, internal_url: url }) => [name, String(url)]));
}

async function readinessAt(name: string, url: string | undefined): Promise<Readiness> {
  const startedAt = performance.now();
  const response = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(30_000) });
  const { checks } = (await response.json()) as { checks: Record<string, string> };
  return { name, status: response.status, seconds: (performance.now() - startedAt) / 1000, checks };
}

/** Probes all services concurrently, as Kubernetes does. */
export function probeReadiness(addresses: Map<string, string>, names: readonly string[]): Promise<Readiness[]> {
  return Promise.all(names.map((name) => readinessAt(name, addresses.get(name))));
}

/**
 * Waits until each service reports exactly this check as failed. Repeats the probe, because on a busy machine another
 * check can fail temporarily. @returns the duration of the slowest response.
 */
export function expectFailedCheck(
  addresses: Map<string, string>,
  { services, check, status }: { services: readonly string[]; check: string; status: number },
): Promise<string> {
  return until(
    `${check} is reported as failed`,
    async () => {
      const responses = await probeReadiness(addresses, services);
      for (const { name, status: actual, checks } of responses) {
        assert.equal(actual, status, `${name}: ${JSON.stringify(checks)}`);
        assert.match(checks[check] ?? 'missing', /^error/, `${name} on ${check}`);
        const others = Object.entries(checks).filter(([other, result]) => other !== check && result !== 'ok');
        assert.deepEqual(others, [], `${name} reports other failed checks`);
      }
      return `slowest response ${Math.max(...responses.map(({ seconds }) => seconds)).toFixed(2)} s`;
    },
    jobLimitMs,
  );
}

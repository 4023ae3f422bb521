import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RouteDef } from '@overtone/contracts';
import { abandon, assertionFor, casesPerRoute, type Target } from './abandonment.ts';
import { signIn } from './client.ts';
import type { Context } from './context.ts';
import { admin } from './instance.ts';
import { signInAsOther } from './people.ts';
import type { Suite } from './suite.ts';
import { settingOf } from './service-access.ts';
import { startRegularRequests, captureBaseline } from './well-behaved.ts';

const concurrency = 24;
/** The services wait five seconds for the rest of an abandoned body; later failures must be noticed. */
const settleMs = 6_000;

/** @param perRoute requests for each route of the contracts, at the edge and at its service. */
export function abandonment({ instance }: Context, perRoute: number): Suite {
  return {
    name: 'Clients that disconnect during a request',
    checks: [
      {
        rule: 'no process exits, no descriptor stays open, and no other request fails',
        limitMs: 60_000 + perRoute * 60_000,
        run: async (log) => {
          const root = await signIn(instance.baseUrl, admin.email, admin.password);
          const other = await signInAsOther(instance, 'leaves-early@example.org');
          const steady = await signInAsOther(instance, 'bystander@example.org');
          const key = await settingOf(instance, 'edge-gateway', 'ASSERTION_PRIVATE_KEY');
          const { services } = await instance.status();
          const ports = new Map(services.map(({ name, url }) => [name, Number(url ? new URL(url).port : 0)]));
          const edge: Target = {
            port: Number(new URL(instance.baseUrl).port),
            authorization: ({ access }) =>
              `Authorization: Bearer ${['public', 'user'].includes(access) ? other.token : root.token}`,
          };
          const direct = (route: RouteDef): Target => ({
            port: ports.get(route.service) ?? 0,
            authorization: () => `X-Overtone-Assertion: ${assertionFor(key, route.service)}`,
          });
          const cases = casesPerRoute(perRoute).flatMap((one): (() => Promise<void>)[] => [
            () => abandon(one, edge),
            ...(one.route.service !== 'edge-gateway' && ports.get(one.route.service)
              ? [() => abandon(one, direct(one.route))]
              : []),
          ]);

          const baseline = await captureBaseline(instance);
          const others = startRegularRequests(steady);
          const waiting = cases.toReversed();
          const runLoop = async (): Promise<void> => {
            for (let next = waiting.pop(); next; next = waiting.pop()) await next();
          };
          await Promise.all(Array.from({ length: concurrency }, runLoop));
          await sleep(settleMs);
          const { sent, slowestMs, faults } = await others.stop();
          log(`${cases.length} requests abandoned; ${sent} other requests, the slowest took ${slowestMs} ms`);
          assert.deepEqual(faults, []);
          assert.deepEqual(await baseline.faults(), []);
          await baseline.released();
        },
      },
    ],
  };
}

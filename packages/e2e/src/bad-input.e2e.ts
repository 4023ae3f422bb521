import assert from 'node:assert/strict';
import { directorySyncSettings } from '@overtone/contracts';
import { testSeed as seed } from '@overtone/testkit/seed';
import { badInput } from './bad-input.ts';
import { signIn, type Client } from './client.ts';
import type { Context } from './context.ts';
import { fuzz } from './fuzz/fuzz.ts';
import { measureGrowth } from './fuzz/growth.ts';
import { admin, type Instance } from './instance.ts';
import { signInAsOther } from './people.ts';
import type { Suite } from './suite.ts';
import { asService } from './service-access.ts';

const cases = Number(process.env['FUZZ_CASES'] ?? 300);
const growthOneOf = Number(process.env['OT_GROWTH_ONE_OF'] ?? 6);

export function badInputs({ instance }: Context): Suite {
  return {
    name: 'Bad input to every route of the API',
    checks: [
      {
        rule: 'no request is accepted, none causes a 5xx, and every rejection is a problem document with a code',
        limitMs: 900_000,
        run: async () => {
          const caller = await signIn(instance.baseUrl, admin.email, admin.password);
          const other = await signInAsOther(instance, 'ordinary@example.org');
          const { sent, routes, faults } = await badInput({
            baseUrl: instance.baseUrl,
            tokens: { user: other.token, admin: caller.token },
          });
          assert.ok(routes > 40 && sent > routes * 5, `only ${sent} requests to ${routes} routes`);
          assert.deepEqual(faults, []);
        },
      },
      {
        rule: 'every response to a generated request matches the API description, none is a 5xx or late',
        limitMs: 300_000 + cases * 400,
        run: async (log) => {
          log(`seed ${seed}, FUZZ_CASES=${cases}`);
          await restoringAfter(instance, async () => {
            const before = await processesOf(instance);
            const { sent, operations, slowestMs, statuses, faults } = await fuzz({ instance, cases, seed });
            log(`${sent} requests to ${operations} operations, slowest ${slowestMs} ms; ${statuses}`);
            assert.deepEqual(faults, []);
            assert.deepEqual(await processesOf(instance), before, 'a process exited');
          });
        },
      },
      {
        rule: 'the largest texts and lists of the routes cost time and memory in proportion to their size',
        limitMs: growthOneOf === 1 ? 7_200_000 : 1_800_000,
        run: async (log) => {
          log(`seed ${seed}, OT_GROWTH_ONE_OF=${growthOneOf}`);
          await restoringAfter(instance, async () => {
            const before = await processesOf(instance);
            const { places, sent, accepted, idleRate, costs, faults } = await measureGrowth(instance, {
              oneOf: growthOneOf,
              seed,
            });
            log(
              `${sent} requests to ${places} places, ${accepted} accepted; idle: ${(idleRate * 100_000).toFixed(1)} %`,
            );
            for (const cost of costs.slice(0, 12)) log(cost);
            assert.deepEqual(faults, []);
            assert.ok(
              places * growthOneOf > 200 && accepted > places,
              `${accepted} requests of ${places} were accepted`,
            );
            assert.deepEqual(await processesOf(instance), before, 'a process exited');
          });
        },
      },
    ],
  };
}

async function processesOf(instance: Instance): Promise<Record<string, number>> {
  const { services } = await instance.status();
  return Object.fromEntries(services.map(({ name, pid }) => [name, pid]));
}

/** Restores settings, queues and accounts that generated requests may have changed. */
async function restoringAfter(instance: Instance, work: () => Promise<void>): Promise<void> {
  const since = new Date();
  const caller = await signIn(instance.baseUrl, admin.email, admin.password);
  const before = directorySyncSettings.parse(await caller.ok('GET', '/api/admin/directory-sync'));
  try {
    await work();
  } finally {
    const root = await signIn(instance.baseUrl, admin.email, admin.password);
    await root.send('PUT', '/api/admin/directory-sync', before);
    await resumeQueues(root);
    await asService(instance, 'identity', (query) =>
      query(`delete from "user" where created_at >= $1 and lower(email) <> lower($2)`, [since, admin.email]),
    );
  }
}

async function resumeQueues(root: Client): Promise<void> {
  const { queues } = await root.ok<{ queues: { queue: string; paused: unknown }[] }>('GET', '/api/admin/queues');
  for (const { queue, paused } of queues) if (paused) await root.ok('POST', `/api/admin/queues/${queue}/resume`);
}

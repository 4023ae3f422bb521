import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { directoryJobs } from '@overtone/contracts';
import type { Client } from '../client.ts';
import type { Instance } from '../instance.ts';
import { syncPath } from '../runs.ts';
import { jobLimitMs, until } from '../until.ts';
import { asService, openBusAs, type Ask } from '../service-access.ts';

/** Due once since `longAgo`, and not again for a year. */
const yearly = '0 0 1 1 *';
const longAgo = '2020-06-01T00:00:00.000Z';

/** Asserts that concurrent schedule checks start a due run of the directory sync once. */
export function assertSyncRunsOnce(instance: Instance, api: Client): Promise<void> {
  return asService(instance, 'directory-sync', async (ask) => {
    const before = await scheduledRuns(ask);
    await api.send('PUT', syncPath, { enabled: true, dry_run: true, schedule: yearly });
    try {
      await makeDue(ask);
      await enqueueChecks(instance, 8);
      await until('the directory sync has run', async () => (await scheduledRuns(ask)) > before, jobLimitMs);
      await until('every check is done', () => isQueueEmpty(instance), jobLimitMs);
      assert.equal((await scheduledRuns(ask)) - before, 1, 'the directory sync ran more than once');
    } finally {
      await api.send('PUT', syncPath, { enabled: false });
    }
  });
}

async function scheduledRuns(ask: Ask): Promise<number> {
  const [row] = await ask(`select count(*)::int as n from directory_pass where trigger = 'schedule'`);
  return Number(row?.['n']);
}

async function makeDue(ask: Ask): Promise<void> {
  await ask(`update system_settings set updated_at = $1 where key = 'directory_sync.enabled'`, [longAgo]);
  await ask(
    `insert into system_settings (key, value, updated_by, updated_at) values ('directory_sync.last_run_at', $1, 'e2e', $2)
     on conflict (key) do update set value = excluded.value`,
    [JSON.stringify(longAgo), longAgo],
  );
}

/** Enqueues schedule checks without deduplication, like replicas whose clocks differ by more than the duplicate window. */
async function enqueueChecks(instance: Instance, times: number): Promise<void> {
  const bus = await openBusAs(instance, 'directory-sync');
  try {
    const slot = new Date().toISOString();
    const js = bus.jetstream();
    const checks = Array.from({ length: times }, () => JSON.stringify({ taskId: randomUUID(), input: { slot } }));
    await Promise.all(checks.map((check) => js.publish(directoryJobs.checkSchedule.subject, check)));
  } finally {
    await bus.close();
  }
}

async function isQueueEmpty(instance: Instance): Promise<boolean> {
  const { services } = await instance.status();
  const url = services.find(({ name }) => name === 'transcription-dispatcher')?.internal_url;
  const text = await (await fetch(`${url}/metrics/queues`)).text();
  const waiting = [...text.matchAll(/^celery_queue_(?:depth|reserved)\{queue="cpu"\} (\d+)$/gm)].map(([, count]) =>
    Number(count),
  );
  return waiting.length === 2 && waiting.every((count) => count === 0);
}

import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from '@jest/globals';
import { dispatcherRoutes } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { assertionOf } from '../../test/harness.ts';
import { startTestWorld } from '../../test/test-world.ts';

const world = startTestWorld();
const main = fileURLToPath(new URL('../../test/skewed.child.ts', import.meta.url));
let child: ChildProcess | undefined;

async function kill(): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
afterEach(kill);

async function isOnline(): Promise<boolean> {
  const response = await world.dispatcher.get('/api/admin/queues', assertionOf(randomUUID(), 'admin'));
  const { workers } = dispatcherRoutes.queues.answer.parse(await response.json());
  return workers.some((x) => x.id === 'skewed' && x.state === 'online');
}

it.each(['-3600000', '3600000'])(
  'a worker whose clock is an hour off (%s ms) counts as live until it dies',
  async (offset) => {
    child = spawn(process.execPath, ['--no-warnings', main, world.nats.url, offset], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const file = await world.upload();
    const task = await waitFor(async () => {
      const row = await world.taskOf(file.fileId, 'transcribe');
      return row?.status === 'in_progress' ? row : undefined;
    });
    // Only its lease and heartbeat show that it is live, and both watches have settled.
    await world.sql(`update task set claimed_at = now() - interval '1 hour' where uuid = $1`, [task.uuid]);
    await waitFor(async () => {
      const noneLost = (await world.dispatcher.internal('/metrics')).includes('transcription_runs_without_lease 0');
      return noneLost && (await world.gauge('gpu', 'reserved')) === 1 && (await world.gauge('gpu', 'orphaned')) === 0;
    });
    expect(await world.gauge('gpu', 'oldest_unacked_age_seconds')).toBeLessThan(1_000);
    await waitFor(isOnline);

    await kill();
    await waitFor(async () => !(await isOnline()));
    await waitFor(async () => (await world.taskOf(file.fileId, 'transcribe'))?.status === 'pending');
    await world.sql(`update task set status = 'cancelled' where uuid = $1`, [task.uuid]);
  },
);

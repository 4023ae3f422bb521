import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from '@jest/globals';
import { dispatcherRoutes } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { assertionOf, patience } from '../../test/harness.ts';
import { standing } from '../../test/standing.ts';

const w = standing();
const main = fileURLToPath(new URL('../../test/skewed.child.ts', import.meta.url));
let child: ChildProcess | undefined;
const kill = async (): Promise<void> => {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
};
afterEach(kill);

const isOnline = async (): Promise<boolean> => {
  const answer = await w.dispatcher.get('/api/admin/queues', assertionOf(randomUUID(), 'admin'));
  const { workers } = dispatcherRoutes.queues.answer.parse(await answer.json());
  return workers.some((x) => x.id === 'skewed' && x.state === 'online');
};

test.each(['-3600000', '3600000'])(
  'a worker whose clock is an hour off is not taken for dead (%s ms), and is once it is',
  async (off) => {
    child = spawn(process.execPath, ['--no-warnings', main, w.nats.url, off], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const file = await w.upload();
    const task = await waitFor(async () => {
      const seen = await w.taskOf(file.fileId, 'transcribe');
      return seen?.status === 'in_progress' ? seen : undefined;
    }, patience);
    // Nothing but its lease and its heartbeat speaks for it, and both can be judged.
    await w.sql(`update task set claimed_at = now() - interval '1 hour' where uuid = $1`, [task.uuid]);
    await waitFor(async () => {
      const judged = (await w.dispatcher.internal('/metrics')).includes('transcription_runs_without_lease 0');
      return judged && (await w.gauge('gpu', 'reserved')) === 1 && (await w.gauge('gpu', 'orphaned')) === 0;
    }, patience);
    expect(await w.gauge('gpu', 'oldest_unacked_age_seconds')).toBeLessThan(1_000);
    await waitFor(isOnline, patience);

    await kill();
    await waitFor(async () => !(await isOnline()), patience);
    await waitFor(async () => (await w.taskOf(file.fileId, 'transcribe'))?.status === 'pending', patience);
    await w.sql(`update task set status = 'cancelled' where uuid = $1`, [task.uuid]);
  },
);

import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import {
  dispatcherRpc,
  jobDurable,
  mediaEvents,
  stageJobs,
  stages,
  transcriptionEvents,
  type JobDef,
  type Stage,
} from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import type { JsMsg } from 'nats';
import { assertionOf, statusOf, uploadedFile } from '../../test/harness.ts';
import { startTestWorld } from '../../test/test-world.ts';
import { outputs } from '../../test/workers.ts';

const world = startTestWorld();

/** A deterministic pseudo-random generator. */
function createRandom(seed: number) {
  return () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };
}

const all: JobDef[] = Object.values(stageJobs);
const durables = [...new Set(all.map(jobDurable))];

function subjectsOf(durable: string) {
  return all.filter((job) => jobDurable(job) === durable).map((job) => job.subject);
}

/** Random steps of workers and broker: claims, results, deaths, lost and superfluous signals. */
function createRandomStep(random: () => number) {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const pull = async (durable: string): Promise<JsMsg | undefined> => {
    const handle = await world.test.jetstream({ timeout: 30_000 }).consumers.get('JOBS', durable);
    const { num_pending, num_ack_pending } = await handle.info();
    if (num_pending + num_ack_pending === 0) return undefined;
    const batch = await handle.fetch({ max_messages: 1, expires: 1_000 });
    for await (const msg of batch) return msg;
    return undefined;
  };
  const handleSignal = async (msg: JsMsg, durable: string): Promise<void> => {
    const subjects = subjectsOf(durable);
    const claimId = randomUUID();
    const request = { claimId, durable, workerId: 'random', lane: pick(['normal', 'express'] as const), subjects };
    const claim = await world.bus.request(dispatcherRpc.claim, request);
    if (claim.outcome === 'gone') return void (await msg.ackAck());
    if (claim.outcome === 'wait') return msg.nak();
    if (random() < 0.3) expect(await world.bus.request(dispatcherRpc.claim, request)).toEqual(claim);
    const { taskId, token, attempt } = claim;
    const stage = claim.subject.split('.').at(-1) as Stage;
    const ends: (() => Promise<unknown>)[] = [
      () => world.bus.request(dispatcherRpc.complete, { taskId, token, output: outputs[stage](token) }),
      () => world.bus.request(dispatcherRpc.release, { taskId, token }),
      // The worker dies without a result; the signal is redelivered or lost.
      async () => {},
    ];
    if (attempt === 1)
      ends.push(() =>
        world.bus.request(dispatcherRpc.fail, { taskId, token, code: 'x', message: 'x', retryable: true }),
      );
    const end = pick(ends);
    await end();
    if (random() < 0.3) await end();
    if (random() < 0.5) await msg.ackAck();
    else msg.nak();
  };
  return async (): Promise<void> => {
    const durable = pick(durables);
    const chance = random();
    if (chance < 0.04) {
      // A superfluous signal.
      await world.test
        .jetstream({ timeout: 30_000 })
        .publish(pick(subjectsOf(durable)), JSON.stringify({ taskId: randomUUID() }));
    } else if (chance < 0.07) {
      // Lost signals.
      await (await world.test.jetstreamManager()).streams.purge('JOBS', { filter: pick(subjectsOf(durable)), keep: 1 });
    } else {
      const msg = await pull(durable);
      if (msg) await handleSignal(msg, durable);
    }
  };
}

/** Moves all timestamps back one hour, so that backoffs end and lost workers and signals are detected. */
async function advanceTime(): Promise<void> {
  await world.sql(
    `update task set claimed_at = claimed_at - interval '1 hour', published_at = published_at - interval '1 hour',
            next_attempt_at = next_attempt_at - interval '1 hour' where status in ('pending', 'in_progress')`,
  );
  await world.dispatcher.post('/api/tasks/recover-stuck-tasks', assertionOf(randomUUID(), 'admin'));
}

it.each([3, 11])(
  'completes every task exactly once under random loss, duplication and redelivery of signals (seed %i)',
  async (seed) => {
    const random = createRandom(seed);
    const randomStep = createRandomStep(random);
    const files = Array.from({ length: 12 }, () => uploadedFile());
    for (const file of files) await world.emit(mediaEvents.uploaded, file);
    for (const file of files) await waitFor(() => statusOf(world, file.fileId));
    for (let i = 0; i < 80; i += 1) await randomStep();
    const cancelled = files[0];
    if (cancelled) await world.emit(mediaEvents.cancelOrdered, cancelled);

    const workers = await Promise.all([world.worker(), world.worker()]);
    const open = async () => {
      await advanceTime();
      return (await world.sql(`select 1 from run where status = 'running'`)).length > 0;
    };
    await waitFor(async () => !(await open()), { timeoutMs: 400_000, intervalMs: 200 });
    for (const worker of workers) await worker.stop();

    for (const file of files) {
      const status = await statusOf(world, file.fileId);
      // The run may have completed before the cancellation arrived.
      expect(file === cancelled ? ['cancelled', 'completed'] : ['completed']).toContain(status);
    }
    const accepted = (await world.events()).filter(
      (event) => event.subject === transcriptionEvents.stageCompleted.subject,
    );
    for (const file of files.slice(1)) {
      const own = accepted.filter((event) => event.data['fileId'] === file.fileId).map((event) => event.data['stage']);
      // `stage.completed` may be published again for a missing transcript; the stage is accepted once.
      expect([...new Set(own)]).toEqual([...stages]);
      expect(await world.sql('select sequence from run where file_id = $1', [file.fileId])).toEqual([{ sequence: 5 }]);
    }
    const twice = await world.sql(
      `select task_id from task_attempt where outcome = 'completed' group by task_id having count(*) > 1`,
    );
    expect(twice).toEqual([]);
    expect(await world.sql(`select 1 from task_attempt where outcome = 'running'`)).toEqual([]);
  },
  900_000,
);

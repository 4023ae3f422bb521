import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { mediaEvents, type Queue, type RunOptions, type Stage } from '@overtone/contracts';
import { createBus, type Bus } from '@overtone/service-kit';
import { waitFor } from '@overtone/testkit';
import type { DispatcherEnv } from '../src/env.ts';
import {
  createWorld,
  log,
  password,
  patience,
  startDispatcher,
  statusOf,
  uploadedFile,
  type Dispatcher,
  type World,
} from './harness.ts';
import { startMedia, startNeighbours } from './neighbours.ts';
import { startWorker, type Script, type WorkerKind } from './workers.ts';

type Gauge = 'depth' | 'reserved' | 'orphaned' | 'oldest_unacked_age_seconds';
type TaskRow = { uuid: string; status: string; token: number; failures: number; superseded: boolean };
export type Standing = World & {
  dispatcher: Dispatcher;
  neighbours: Awaited<ReturnType<typeof startNeighbours>>;
  media: ReturnType<typeof startMedia>;
  /** What a worker may say, without one behind it. */
  bus: Bus;
} & ReturnType<typeof doings>;

/** Everything the dispatcher lives among, for the tests of one block: made before the first, ended after the last. */
export const standing = (over: Partial<DispatcherEnv> = {}): Standing => {
  const w = {} as Standing;
  const leaving: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    Object.assign(w, await createWorld(), doings(w, leaving));
    w.neighbours = await startNeighbours(w);
    w.media = startMedia(w);
    w.dispatcher = await startDispatcher(w, over);
    w.bus = createBus({
      service: 'transcription-worker',
      url: w.nats.url,
      user: 'transcription-worker',
      password,
      log,
    });
    await w.bus.connect();
  });
  afterEach(async () => {
    for (const leave of leaving.splice(0)) await leave();
  });
  afterAll(async () => {
    await w.bus.close();
    await w.dispatcher.stop();
    await w.neighbours.stop();
    await w.close();
  });
  return w;
};

const doings = (w: World & { dispatcher: Dispatcher }, leaving: (() => Promise<void>)[]) => ({
  /** A worker that stays until the end of the test. */
  worker: async (script: Script = {}, kind: WorkerKind = {}) => {
    const worker = await startWorker(w, script, kind);
    leaving.push(worker.stop);
    return worker;
  },
  /** A file that media has told of. */
  upload: async (options: Partial<RunOptions> = {}) => {
    const file = uploadedFile(options);
    await w.emit(mediaEvents.uploaded, file);
    return file;
  },
  becomes: (fileId: string, status: 'running' | 'completed' | 'failed' | 'cancelled') =>
    waitFor(async () => (await statusOf(w, fileId)) === status, patience),
  taskOf: async (fileId: string, stage: Stage) =>
    (
      await w.sql<TaskRow>(
        'select uuid, status, token, failures, superseded from task where file_id = $1 and stage = $2 and not superseded',
        [fileId, stage],
      )
    )[0],
  gauge: async (queue: Queue, name: Gauge): Promise<number> => {
    const text = await w.dispatcher.internal('/metrics/queues');
    return Number(new RegExp(`^celery_queue_${name}\\{queue="${queue}"\\} (\\S+)$`, 'm').exec(text)?.[1]);
  },
});

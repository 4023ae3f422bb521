import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { mediaEvents, type Queue, type RunOptions, type Stage } from '@overtone/contracts';
import { createBus, type Bus } from '@overtone/service-kit';
import { waitFor } from '@overtone/testkit';
import type { DispatcherEnv } from '../src/env.ts';
import {
  createWorld,
  log,
  password,
  startDispatcher,
  statusOf,
  uploadedFile,
  type Dispatcher,
  type World,
} from './harness.ts';
import { startMedia, startUpstreamServices } from './upstream-services.ts';
import { startWorker, type Script, type WorkerKind } from './workers.ts';

type Gauge = 'depth' | 'reserved' | 'orphaned' | 'oldest_unacked_age_seconds';
type TaskRow = { uuid: string; status: string; token: number; failures: number; superseded: boolean };
export type TestWorld = World & {
  dispatcher: Dispatcher;
  upstream: Awaited<ReturnType<typeof startUpstreamServices>>;
  media: Awaited<ReturnType<typeof startMedia>>;
  /** A bus with the permissions of a worker. */
  bus: Bus;
} & ReturnType<typeof createActions>;

/** Starts the dispatcher and everything it depends on before a file's first test; stops it after the last. */
export function startTestWorld(over: Partial<DispatcherEnv> = {}): TestWorld {
  const world = {} as TestWorld;
  const cleanups: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    Object.assign(world, await createWorld(), createActions(world, cleanups));
    world.upstream = await startUpstreamServices(world);
    world.media = await startMedia(world);
    world.dispatcher = await startDispatcher(world, over);
    world.bus = createBus({
      service: 'transcription-worker',
      url: world.nats.url,
      user: 'transcription-worker',
      password,
      log,
    });
    await world.bus.connect();
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0)) await cleanup();
  });
  afterAll(async () => {
    await world.bus.close();
    await world.dispatcher.stop();
    await world.media.stop();
    await world.upstream.stop();
    await world.close();
  });
  return world;
}

function createActions(world: World & { dispatcher: Dispatcher }, cleanups: (() => Promise<void>)[]) {
  return {
    /** Starts a worker that runs until the end of the test. */
    worker: async (script: Script = {}, kind: WorkerKind = {}) => {
      const worker = await startWorker(world, script, kind);
      cleanups.push(worker.stop);
      return worker;
    },
    /** Publishes an uploaded file. */
    upload: async (options: Partial<RunOptions> = {}) => {
      const file = uploadedFile(options);
      await world.emit(mediaEvents.uploaded, file);
      return file;
    },
    becomes: (fileId: string, status: 'running' | 'completed' | 'failed' | 'cancelled') =>
      waitFor(async () => (await statusOf(world, fileId)) === status),
    taskOf: async (fileId: string, stage: Stage) =>
      (
        await world.sql<TaskRow>(
          'select uuid, status, token, failures, superseded from task where file_id = $1 and stage = $2 and not superseded',
          [fileId, stage],
        )
      )[0],
    gauge: async (queue: Queue, name: Gauge): Promise<number> => {
      const text = await world.dispatcher.internal('/metrics/queues');
      return Number(new RegExp(`^celery_queue_${name}\\{queue="${queue}"\\} (\\S+)$`, 'm').exec(text)?.[1]);
    },
  };
}

import { randomUUID } from 'node:crypto';
import {
  assembleOutput,
  queues,
  stageJobs,
  type workerJobs,
  type OutputOf,
  type Queue,
  type Stage,
} from '@overtone/contracts';
import { worker, type JobDelivery, type WorkerOptions } from '@overtone/jobs';
import { createBus, type Bus } from '@overtone/service-kit';
import { prepared } from '@overtone/testkit/results';
import { log, password } from './harness.ts';

function artefact(stage: string, token: number) {
  return `derived/${stage}-${token}.json`;
}

const engine = { provider: 'scripted', model: 'test', timing: 'engine' } as const;
/** Valid results by stage. */
export const outputs = {
  prepare: (token: number) => prepared({ artefact: artefact('prepare', token) }),
  transcribe: (token: number): OutputOf<typeof workerJobs.transcribe> => ({
    artefact: artefact('transcribe', token),
    engine,
    language: 'en',
    words: 10,
    engine_seconds: 2,
  }),
  diarize: (token: number): OutputOf<typeof workerJobs.diarize> => ({
    artefact: artefact('diarize', token),
    provider: 'test',
    speakers: 2,
    degraded: null,
    engine_seconds: 1,
  }),
  assemble: (token: number) =>
    assembleOutput.parse({ artefact: artefact('assemble', token), segments: 3, speakers: 2, engine_seconds: 0 }),
  index: () => ({ artefact: null, chunks: 1, semantic: true, engine_seconds: 0.1 }),
};

type CompletedJob = { stage: Stage; input: Record<string, unknown>; token: number; attempt: number };
export type Script = Partial<
  Record<Stage, (delivery: JobDelivery, times: number, input: { fileId: string }) => Promise<void> | void>
>;
export type WorkerKind = {
  workerId?: string;
  queues?: readonly Queue[];
  express?: Partial<Record<Queue, number>>;
  about?: WorkerOptions['about'];
};

/** Starts a worker that completes every job immediately, unless its script does otherwise. */
export async function startWorker(world: { nats: { url: string } }, script: Script = {}, kind: WorkerKind = {}) {
  const { workerId = `test.${randomUUID()}`, queues: own = queues, express = {}, about = () => ({}) } = kind;
  const concurrency = Object.fromEntries(queues.map((queue) => [queue, own.includes(queue) ? 1 : 0]));
  const bus = createBus({ service: 'transcription-worker', url: world.nats.url, user: 'test', password, log });
  await bus.connect();
  const done: CompletedJob[] = [];
  const times = new Map<Stage, number>();
  const handle =
    <S extends Stage>(stage: S) =>
    async (input: unknown, delivery: JobDelivery) => {
      times.set(stage, (times.get(stage) ?? 0) + 1);
      await script[stage]?.(delivery, times.get(stage) ?? 0, input as { fileId: string });
      done.push({ stage, input: input as Record<string, unknown>, token: delivery.token, attempt: delivery.attempt });
      return outputs[stage](delivery.token) as ReturnType<(typeof outputs)[S]>;
    };
  const handlers = {
    prepare: handle('prepare'),
    transcribe: handle('transcribe'),
    diarize: handle('diarize'),
    assemble: handle('assemble'),
    index: handle('index'),
  };
  const running = worker(stageJobs, handlers, { workerId, concurrency, express, about }).start(bus);
  const stop = async () => {
    await running.stop();
    await bus.close();
  };
  let stopped: Promise<void> | undefined;
  return {
    bus,
    done,
    workerId,
    stagesDone: () => done.map((dead) => dead.stage),
    stop: () => (stopped ??= stop()),
    /** Simulates kill -9: nothing is sent, released or acknowledged any more. */
    vanish: async () => {
      stopped = Promise.resolve();
      await bus.nc().close();
      // The connection is closed; this only ends the loops.
      void running.stop().catch(() => {});
    },
  };
}

export async function announceWorker(
  bus: Bus,
  id: string,
  value: { pulls: string[]; engine: boolean; service?: string; speechModelPercent?: number },
) {
  const kv = await bus.kv('WORKERS');
  await kv.put(
    `worker.${id}`,
    JSON.stringify({
      service: value.service ?? 'transcription-worker',
      pulls: value.pulls,
      engine: value.engine ? engine : null,
      engineNote: null,
      speechModelPercent: value.speechModelPercent ?? null,
      expiresAt: Date.now() + 60_000,
    }),
  );
}

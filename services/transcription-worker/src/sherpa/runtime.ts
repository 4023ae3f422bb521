import { queueLimits, type EngineTuning, type workerPools } from '@overtone/contracts';
import { z } from 'zod';
import { ChildCrash, createTaskChildren, type TaskChildren } from '../children/task-child.ts';
import { canaryTask } from './config.ts';
import { createModelStore, type Model, type ModelStore } from './model-store.ts';
import type { Processors } from './processors.ts';

export interface SherpaOptions {
  modelCacheDir: string;
  env: Record<string, string>;
  threads: number;
  processors: Processors;
  /** Recordings at once. */
  concurrency: number;
  pool: (typeof workerPools)[number];
  /** Pieces at once inside one recording, at most. */
  largestBatch: number;
  /** How long a child with a loaded model waits for the next recording. */
  idleMs?: number;
}

/** Children for recognition and diarization; models are checked in a child of their own. */
export interface SherpaRuntime {
  recognizers: TaskChildren;
  diarizers: TaskChildren;
  models: ModelStore;
  processors: Processors;
  threads: number;
  close: () => void;
}

const canaryTimeoutMs = 120_000;
const canaryAnswer = z.object({ provider: z.enum(['cpu', 'cuda']) });

const askedForGpu = (model: Model, tuning: EngineTuning): boolean =>
  (model.manifest.kind === 'asr' ? tuning.transcribe_on : tuning.diarize_on) === 'gpu';

/** Lets a child load the model and work on a second of silence, as it will be used. */
const createCanary = (children: TaskChildren, processors: Processors) => async (model: Model) => {
  const tuning = processors.tuningOf(model.manifest.id);
  const task = canaryTask(model, tuning);
  if (!task) return;
  const done = await children.run({ input: task, timeoutMs: canaryTimeoutMs }).catch((error: unknown) => {
    if (!(error instanceof ChildCrash)) throw error;
    throw new Error(`${error.message}: ${error.stderrTail.slice(-300)}`, { cause: error });
  });
  const answer = canaryAnswer.safeParse(done);
  // The library falls back to the CPU without a word to its caller; with a GPU's batch size that would be slow.
  if (answer.success && answer.data.provider === 'cpu' && askedForGpu(model, tuning)) processors.giveUpGpu();
};

/**
 * `prefork`: every recording in work has a process and a copy of the model of its own. `threads`: they share one, which
 * decodes for all of them at once; telling speakers apart keeps its thread busy from end to end and has small models, so
 * it has processes of its own.
 */
export const createSherpaRuntime = (o: SherpaOptions): SherpaRuntime => {
  const shared = o.pool === 'threads';
  const tasksAtOnce = shared ? o.concurrency : 1;
  // Every piece that is decoded holds a thread of Node's pool.
  const env = { ...o.env, UV_THREADPOOL_SIZE: String(Math.min(256, 4 + tasksAtOnce * o.largestBatch)) };
  const { recycleAfter } = queueLimits.gpu;
  const common = { script: new URL('./sherpa.child.ts', import.meta.url), env, heapMb: 512, recycleAfter };
  const idleMs = o.idleMs ?? 60_000;
  const recognizers = createTaskChildren({ ...common, idleMs, tasksAtOnce });
  const diarizers = shared ? createTaskChildren({ ...common, idleMs }) : recognizers;
  const canaries = createTaskChildren({ ...common, idleMs: 0 });
  return {
    recognizers,
    diarizers,
    models: createModelStore(o.modelCacheDir, o.processors.tuningOf, createCanary(canaries, o.processors)),
    processors: o.processors,
    threads: o.threads,
    close: () => {
      for (const children of [recognizers, diarizers, canaries]) children.close();
    },
  };
};

import { queueLimits, type EngineTuning, type workerPools } from '@overtone/contracts';
import { z } from 'zod';
import { ChildCrash } from '../children/protocol.ts';
import { createTaskChildren, type TaskChildren } from '../children/task-child.ts';
import type { Processors } from '../gpu/gpu.ts';
import { canaryTask } from './config.ts';
import { createModelStore, type Model, type ModelStore } from './model-store.ts';

export type SherpaOptions = {
  modelCacheDir: string;
  allowUnverified: boolean;
  env: Record<string, string>;
  threads: number;
  processors: Processors;
  /** Concurrent recordings. */
  concurrency: number;
  pool: (typeof workerPools)[number];
  /** Maximum number of concurrent pieces of one recording. */
  largestBatch: number;
  /** Idle time before a child with a loaded model is ended. */
  idleMs?: number;
};

/** Children for recognition and diarization; models are checked in a separate child. */
export type SherpaRuntime = {
  recognizers: TaskChildren;
  diarizers: TaskChildren;
  models: ModelStore;
  processors: Processors;
  threads: number;
  close: () => void;
};

const canaryTimeoutMs = 120_000;
const canaryAnswer = z.object({ provider: z.enum(['cpu', 'cuda']) });

/**
 * `prefork`: every running recording has its own process and copy of the model. `threads`: all share one process, which
 * decodes concurrently; diarization blocks its thread and has small models, so it always has its own processes.
 */
export function createSherpaRuntime(options: SherpaOptions): SherpaRuntime {
  const shared = options.pool === 'threads';
  const tasksAtOnce = shared ? options.concurrency : 1;
  // Every piece that is decoded holds a thread of Node's pool.
  const env = { ...options.env, UV_THREADPOOL_SIZE: String(Math.min(256, 4 + tasksAtOnce * options.largestBatch)) };
  const { recycleAfter } = queueLimits.gpu;
  const common = { script: new URL('./sherpa.child.ts', import.meta.url), env, heapMb: 512, recycleAfter };
  const idleMs = options.idleMs ?? 60_000;
  const recognizers = createTaskChildren({ ...common, idleMs, tasksAtOnce });
  const diarizers = shared ? createTaskChildren({ ...common, idleMs }) : recognizers;
  const canaries = createTaskChildren({ ...common, idleMs: 0 });
  return {
    recognizers,
    diarizers,
    models: createModelStore({
      cacheDir: options.modelCacheDir,
      allowUnverified: options.allowUnverified,
      tuningOf: options.processors.tuningOf,
      canary: createCanary(canaries, options.processors),
    }),
    processors: options.processors,
    threads: options.threads,
    close: () => {
      for (const children of [recognizers, diarizers, canaries]) children.close();
    },
  };
}

/** Loads a model in a child and decodes one second of silence with the actual settings. */
function createCanary(children: TaskChildren, processors: Processors) {
  return async (model: Model) => {
    const tuning = processors.tuningOf(model.manifest.id);
    const task = canaryTask(model, tuning);
    if (!task) return;
    const done = await children.run({ input: task, timeoutMs: canaryTimeoutMs }).catch((error: unknown) => {
      if (!(error instanceof ChildCrash)) throw error;
      throw new Error(`${error.message}: ${error.stderrTail.slice(-300)}`, { cause: error });
    });
    const answer = canaryAnswer.safeParse(done);
    // The library falls back to the CPU silently, which would be slow with a GPU's batch size.
    if (answer.success && answer.data.provider === 'cpu' && askedForGpu(model, tuning)) processors.giveUpGpu();
  };
}

function askedForGpu(model: Model, tuning: EngineTuning): boolean {
  return (model.manifest.kind === 'asr' ? tuning.transcribe_on : tuning.diarize_on) === 'gpu';
}

import type { EngineTuning, workerPools } from '@overtone/contracts';
import { sherpaFamilies, speechKinds } from '@overtone/models';
import { z } from 'zod';
import { ChildCrash } from '../children/protocol.ts';
import { createTaskChildren, type TaskChildren } from '../children/task-child.ts';
import type { Processors } from '../gpu/gpu.ts';
import { canaryTask, type VadUse } from './config.ts';
import { createModelStore, type Model, type ModelStore } from '../models/models.ts';

export type SherpaUse = {
  /** Threads of one decoder. */
  threads: number;
  /** Concurrent recordings. */
  concurrency: number;
  /** Maximum number of concurrent pieces of one recording. */
  largestBatch: number;
  /** Tasks of a child before it is replaced. */
  recycleAfter: number;
  vad: VadUse;
};

export type SherpaOptions = {
  modelCacheDir: string;
  allowUnverified: boolean;
  env: Record<string, string>;
  processors: Processors;
  /** Read before every task, because administrators change it. */
  use: () => SherpaUse;
  pool: (typeof workerPools)[number];
  /** Idle time before a child with a loaded model is ended. */
  idleMs?: number;
};

/** Children for recognition and diarization; models are checked in a separate child. */
export type SherpaRuntime = {
  recognizers: TaskChildren;
  diarizers: TaskChildren;
  models: ModelStore;
  processors: Processors;
  use: () => SherpaUse;
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
  const { env, use } = options;
  const liveOptions = () => {
    const { concurrency, largestBatch, recycleAfter } = use();
    const tasksAtOnce = shared ? concurrency : 1;
    // Every piece that is decoded holds a thread of Node's pool.
    const poolSize = String(Math.min(256, 4 + tasksAtOnce * largestBatch));
    return { env: { ...env, UV_THREADPOOL_SIZE: poolSize }, recycleAfter, tasksAtOnce };
  };
  const idleMs = options.idleMs ?? 60_000;
  const common = { script: new URL('./sherpa.child.ts', import.meta.url), heapMb: 512, idleMs, ...liveOptions() };
  const recognizers = createTaskChildren(common, liveOptions);
  const diarizers = shared ? createTaskChildren(common, () => ({ ...liveOptions(), tasksAtOnce: 1 })) : recognizers;
  const canaries = createTaskChildren({ ...common, idleMs: 0, tasksAtOnce: 1 });
  return {
    recognizers,
    diarizers,
    models: createModelStore({
      cacheDir: options.modelCacheDir,
      kinds: speechKinds,
      families: sherpaFamilies,
      allowUnverified: options.allowUnverified,
      tuningOf: options.processors.tuningOf,
      canary: createCanary({ children: canaries, processors: options.processors, use }),
    }),
    processors: options.processors,
    use,
    close: () => {
      for (const children of [recognizers, diarizers, canaries]) children.close();
    },
  };
}

/** Loads a model in a child and decodes one second of silence with the actual settings. */
function createCanary({
  children,
  processors,
  use,
}: Pick<SherpaOptions, 'processors' | 'use'> & { children: TaskChildren }) {
  return async (model: Model) => {
    const tuning = processors.tuningOf(model.manifest.id);
    const task = canaryTask(model, tuning, use().vad);
    if (!task) return;
    const done = await children.run({ input: task, timeoutMs: canaryTimeoutMs }).catch((error: unknown) => {
      if (!(error instanceof ChildCrash)) throw error;
      throw new Error(`${error.message}: ${error.stderrTail.slice(-300)}`, { cause: error });
    });
    const answer = canaryAnswer.safeParse(done);
    // The library falls back to the CPU silently, which would be slow with a GPU's batch size.
    if (answer.success && answer.data.provider === 'cpu' && askedForGpu(model, tuning))
      processors.giveUpGpu('The speech library of this worker was built without CUDA: the CPU does everything');
  };
}

function askedForGpu(model: Model, tuning: EngineTuning): boolean {
  return (model.manifest.kind === 'asr' ? tuning.transcribe_on : tuning.diarize_on) === 'gpu';
}

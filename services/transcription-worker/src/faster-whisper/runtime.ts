import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EngineSettings, workerPools } from '@overtone/contracts';
import { ChildCrash } from '../children/protocol.ts';
import { createTaskChildren, type TaskChildren } from '../children/task-child.ts';
import type { Processors } from '../gpu/gpu.ts';
import { threadsOf } from '../settings/settings.ts';
import { createModelStore, type Model, type ModelStore } from '../models/models.ts';
import { isOutOfMemory, loadResult, onCpu, type ModelUse, type WhisperTask } from './protocol.ts';

export type WhisperOptions = {
  modelCacheDir: string;
  allowUnverified: boolean;
  /** Folder of the Python environment that the launcher makes. */
  environment: string;
  env: Record<string, string>;
  processors: Processors;
  /** Read before every task, because administrators change them. */
  settings: () => EngineSettings;
  pool: (typeof workerPools)[number];
  /** Idle time before a child with a loaded model is ended. */
  idleMs?: number;
  /** Called when a recording is left to the CPU for want of GPU memory. */
  onGpuFull?: (model: string) => void;
};

export type WhisperRuntime = Pick<WhisperOptions, 'processors' | 'settings' | 'onGpuFull'> & {
  recognizers: TaskChildren;
  models: ModelStore;
  /** Whether the Python environment is there. */
  isInstalled: () => Promise<boolean>;
  /** The languages of a model that loaded. */
  languagesOf: (model: Model) => readonly string[];
  modelUse: (model: Model) => ModelUse;
  close: () => void;
};

const script = fileURLToPath(new URL('../../python/serve.py', import.meta.url));
const canaryTimeoutMs = 900_000;

/**
 * faster-whisper in Python processes. `prefork`: every running recording has its own process and copy of the model.
 * `threads`: all share one process and one model.
 */
export function createWhisperRuntime(options: WhisperOptions): WhisperRuntime {
  const { processors, settings } = options;
  const python = join(options.environment, 'bin', 'python');
  const workers = (): number => {
    const { gpu_concurrency: normal, express_slots: express } = settings();
    return options.pool === 'threads' ? Math.max(1, normal + express) : 1;
  };
  const live = () => ({ recycleAfter: settings().recycle_after_tasks, tasksAtOnce: workers() });
  const common = {
    command: python,
    // Without the packages of the user, and without compiled files beside the sources.
    args: ['-s', '-B', script],
    env: { ...options.env, OPENBLAS_NUM_THREADS: '1' },
    idleMs: options.idleMs ?? 120_000,
    ...live(),
  };
  const recognizers = createTaskChildren(common, live);
  const canaries = createTaskChildren({ ...common, idleMs: 0, tasksAtOnce: 1 });
  const languages = new Map<string, readonly string[]>();

  const modelUse = ({ folder, manifest }: Model): ModelUse => {
    const { transcribe_on: on, compute_type } = processors.tuningOf(manifest.id);
    return {
      folder,
      device: on === 'gpu' ? 'cuda' : 'cpu',
      compute_type,
      threads: threadsOf(settings()),
      workers: workers(),
    };
  };
  /** Loads a model and decodes one second of silence. */
  const load = async (model: Model, use: ModelUse): Promise<void> => {
    const task: WhisperTask = { task: 'load', model: use };
    const done = await canaries.run({ input: task, timeoutMs: canaryTimeoutMs }).catch((error: unknown) => {
      if (!(error instanceof ChildCrash)) throw error;
      throw new Error(`${error.message}: ${error.stderrTail.slice(-300)}`, { cause: error });
    });
    languages.set(model.folder, loadResult.parse(done).languages);
  };

  return {
    processors,
    settings,
    ...(options.onGpuFull && { onGpuFull: options.onGpuFull }),
    recognizers,
    models: createModelStore({
      cacheDir: options.modelCacheDir,
      kinds: ['asr'],
      families: ['faster-whisper'],
      allowUnverified: options.allowUnverified,
      tuningOf: processors.tuningOf,
      canary: async (model) => {
        const use = modelUse(model);
        try {
          await load(model, use);
        } catch (error) {
          if (use.device === 'cpu') throw error;
          // A model that loads on the CPU is right: the GPU or its libraries are not.
          await load(model, onCpu(use));
          // Other programs may give the memory back.
          if (isOutOfMemory(error)) return;
          processors.giveUpGpu(`faster-whisper cannot use the GPU: ${(error as Error).message}`);
        }
      },
    }),
    isInstalled: () =>
      access(python).then(
        () => true,
        () => false,
      ),
    languagesOf: ({ folder, manifest }) => (manifest.langs.length > 0 ? manifest.langs : (languages.get(folder) ?? [])),
    modelUse,
    close: () => {
      for (const children of [recognizers, canaries]) children.close();
    },
  };
}

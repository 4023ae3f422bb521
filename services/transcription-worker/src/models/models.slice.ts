import { setTimeout as sleep } from 'node:timers/promises';
import { modelRpc, type modelJobs, type ReplyOf } from '@overtone/contracts';
import type { JobHandlers } from '@overtone/jobs';
import {
  entryOf,
  listInstalled,
  ModelError,
  modelBytes,
  pullModel,
  readCatalogue,
  readMachine,
  readSpeechSetup,
  readTasks,
  removeModel,
  suggestModel,
  transferBytes,
  verifyAsTask,
  type CatalogueEntry,
  type Machine,
} from '@overtone/models';
import { rpc, type Log, type Slice } from '@overtone/service-kit';
import type { WorkerEnv } from '../env.ts';
import { createSpeechFetch, pythonsOf, type SpeechFetchEnv } from './speech-fetch.ts';

type Deps = {
  env: SpeechFetchEnv & Pick<WorkerEnv, 'WORKER_QUEUES'>;
  log: Log;
};
type Handlers = JobHandlers<typeof modelJobs>;

const lockRetryMs = 2_000;

/** The model folder: lists its models, and pulls, verifies and removes them. */
export function createModelsSlice({ env, log }: Deps): Slice & { handlers: Handlers } {
  const cacheDir = env.MODEL_CACHE_DIR;
  const catalogue = () => readCatalogue(env.OT_MODEL_CATALOGUE);
  let machine: Promise<Machine> | undefined;

  const describe = async (): Promise<ReplyOf<typeof modelRpc.models>> => {
    machine ??= readMachine();
    const [entries, installed, tasks, setup] = await Promise.all([
      catalogue(),
      listInstalled(cacheDir),
      readTasks(cacheDir),
      readSpeechSetup(cacheDir),
    ]);
    const { text, entry } = suggestModel(await machine, entries);
    return {
      folder: cacheDir,
      installed,
      catalogue: entries.map(toCatalogueModel),
      tasks,
      suggestion: { text, name: entry?.name ?? null },
      speech_setup: setup,
    };
  };

  const pull: Handlers['pull'] = async ({ name, acceptLicence }, { signal }) => {
    const entry = entryOf(await catalogue(), name);
    await endWithModelError({ log, name, signal }, () =>
      pullModel({
        cacheDir,
        entry,
        mirror: env.OT_MODEL_MIRROR,
        allowedRanges: env.OT_OUTBOUND_ALLOWED_RANGES,
        proxied: env.NODE_USE_ENV_PROXY,
        acceptLicence,
        pythons: pythonsOf(env),
        signal,
      }),
    );
    return {};
  };
  const verify: Handlers['verify'] = async ({ name }, { signal }) => {
    await endWithModelError({ log, name, signal }, () => verifyAsTask(cacheDir, name, signal));
    return {};
  };

  return {
    handlers: { pull, verify },
    parts: env.WORKER_QUEUES.includes('download') ? [createSpeechFetch({ env, log })] : [],
    rpcs: [
      rpc(modelRpc.models, describe),
      rpc(modelRpc.removeModel, async ({ name }) => {
        try {
          await removeModel(cacheDir, name);
          return { removed: true };
        } catch (error) {
          if (error instanceof ModelError && error.code === 'model_missing') return { removed: false };
          throw error;
        }
      }),
    ],
  };
}

/**
 * A failure is stored as the status of the model, so the job has ended. Only a job that a stopping worker interrupted is
 * delivered again, and one that waits for another pull waits here.
 */
async function endWithModelError(
  { log, name, signal }: { log: Log; name: string; signal: AbortSignal },
  work: () => Promise<unknown>,
): Promise<void> {
  for (;;) {
    try {
      await work();
      log.info({ model: name }, 'model task completed');
      return;
    } catch (error) {
      if (signal.aborted || !(error instanceof ModelError)) throw error;
      if (error.code !== 'pull_running') {
        log.warn({ model: name, code: error.code, reason: error.message }, 'model task failed');
        return;
      }
      await sleep(lockRetryMs, undefined, { signal });
    }
  }
}

function toCatalogueModel(entry: CatalogueEntry) {
  const { name, title, kind, family, languages, licence, purpose, memory_mib, cpu_real_time_factor } = entry;
  const sizes = { bytes: modelBytes(entry), download_bytes: transferBytes(entry) };
  return { name, title, kind, family, languages, licence, purpose, memory_mib, cpu_real_time_factor, ...sizes };
}

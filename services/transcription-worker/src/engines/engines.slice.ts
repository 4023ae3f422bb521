import { jobDurable, workerJobs, type workerGpu } from '@overtone/contracts';
import type { Log, Slice } from '@overtone/service-kit';
import type { z } from 'zod';
import type { WorkerEnv } from '../env.ts';
import type { Processors } from '../gpu/gpu.ts';
import type { LiveSettings } from '../settings/live-settings.ts';
import type { Engines, SpeechEngine } from './engines.ts';
import { createOpenAiEngine } from './openai.adapter.ts';
import { createPocketSphinx } from './pocketsphinx.adapter.ts';
import { createScripted } from './scripted.adapter.ts';
import { chooseEngine, type Serving } from './selection.ts';

const refreshMs = 5_000;

type Deps = {
  env: WorkerEnv;
  childEnv: Record<string, string>;
  sherpa: SpeechEngine;
  settings: Pick<LiveSettings, 'current' | 'report'>;
  processors: Processors;
  log: Log;
};

/** Chooses the speech engine, again every few seconds, because models are installed and servers fail. */
export function createEnginesSlice({ env, childEnv, sherpa, settings, processors, log }: Deps): Slice & Engines {
  const candidates = createCandidates({ env, childEnv, sherpa, settings });
  const needsEngine = jobDurable(workerJobs.transcribe);
  let serving: Serving = { engine: undefined, info: null, note: 'Looking for a speech engine' };
  let timer: NodeJS.Timeout | undefined;

  const refresh = async (): Promise<void> => {
    const before = serving.info?.model ?? serving.note;
    await processors.look();
    serving = await chooseEngine(candidates, env.ASR_ENGINE);
    if ((serving.info?.model ?? serving.note) !== before)
      log.info({ engine: serving.info, note: serving.note }, 'speech engine selected');
  };
  const tryRefresh = () => refresh().catch((err: unknown) => log.debug({ err }, 'speech engine check failed'));
  const gpu = (): z.infer<typeof workerGpu> => {
    const { devices, note } = processors.state();
    const tuning = serving.engine?.tuning ?? null;
    const concurrency = env.concurrency.gpu ? settings.current().gpu_concurrency : 0;
    return { devices: [...devices], note, concurrency, pool: env.GPU_WORKER_POOL, tuning };
  };

  return {
    engine: () => serving.engine,
    about: () => ({
      engine: serving.info,
      engineNote: serving.note,
      languages: serving.engine ? [...serving.engine.languages] : null,
      gpu: gpu(),
      settings: settings.report(serving.engine?.tuning ?? null),
    }),
    able: (durable) => durable !== needsEngine || serving.engine !== undefined,
    parts: [
      {
        name: 'speech engines',
        start: async () => {
          await tryRefresh();
          timer = setInterval(() => void tryRefresh(), refreshMs);
        },
        stop: async () => {
          clearInterval(timer);
          for (const candidate of candidates) candidate.close();
        },
      },
    ],
  };
}

/** Engines in order of preference; the scripted one only if configured. */
function createCandidates({
  env,
  childEnv,
  sherpa,
  settings,
}: Pick<Deps, 'env' | 'childEnv' | 'sherpa' | 'settings'>): SpeechEngine[] {
  const { ASR_OPENAI_BASE_URL: baseUrl, ASR_OPENAI_API_KEY: apiKey, ASR_OPENAI_MODEL: model } = env;
  const parallel = () => settings.current().threads;
  return [
    ...(env.OT_SCRIPTED_ENGINE ? [createScripted(env.OT_SCRIPTED_ENGINE)] : []),
    sherpa,
    ...(baseUrl ? [createOpenAiEngine({ baseUrl, apiKey, model, parallel })] : []),
    createPocketSphinx({ env: childEnv, parallel }),
  ];
}

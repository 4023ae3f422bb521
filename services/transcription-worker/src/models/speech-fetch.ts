import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultPythons, fetchPauseMs, fetchSpeech, planSpeech, readSpeechSetup } from '@overtone/models';
import type { Log, Part } from '@overtone/service-kit';
import type { WorkerEnv } from '../env.ts';

export type SpeechFetchEnv = Pick<
  WorkerEnv,
  | 'MODEL_CACHE_DIR'
  | 'OT_SPEECH_MODEL'
  | 'OT_SPEECH_ENVIRONMENT'
  | 'OT_MODEL_CATALOGUE'
  | 'OT_MODEL_MIRROR'
  | 'OT_OUTBOUND_ALLOWED_RANGES'
  | 'NODE_USE_ENV_PROXY'
  | 'ASR_ENGINE'
  | 'ASR_OPENAI_BASE_URL'
  | 'OT_SCRIPTED_ENGINE'
>;

/** The Pythons that may have pip, which downloads models that are in packages: in an image, that of faster-whisper. */
export function pythonsOf({ OT_SPEECH_ENVIRONMENT: environment }: Pick<WorkerEnv, 'OT_SPEECH_ENVIRONMENT'>): string[] {
  return [join(environment, 'bin', 'python'), ...defaultPythons];
}

const lookAgainMs = 5_000;

/** Fetches the speech model in the background after the start, as the launcher does outside of containers, and again when that fails. */
export function createSpeechFetch({ env, log }: { env: SpeechFetchEnv; log: Log }): Part {
  const cacheDir = env.MODEL_CACHE_DIR;
  const variables = { ...env, NODE_USE_ENV_PROXY: env.NODE_USE_ENV_PROXY ? '1' : undefined };
  const stopping = new AbortController();
  const { signal } = stopping;

  const fetchOnce = async (): Promise<void> => {
    if (env.OT_SPEECH_MODEL === 'none') return;
    // Another worker that shares the folder, or this one before it was started again.
    while ((await readSpeechSetup(cacheDir))?.state === 'running') await sleep(lookAgainMs, undefined, { signal });
    const plan = await planSpeech(cacheDir, variables);
    if (!plan) return;
    const say = (line: string): void => log.info({}, line);
    await fetchSpeech(plan, { cacheDir, env: variables, say, signal, pythons: pythonsOf(env) });
  };
  const fetchUntilDone = async (): Promise<void> => {
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        return await fetchOnce();
      } catch (err) {
        if (signal.aborted) return;
        log.warn({ err }, 'speech model not fetched');
        await sleep(fetchPauseMs(failures), undefined, { signal }).catch(() => undefined);
      }
    }
  };
  let fetching: Promise<void> | undefined;
  return {
    name: 'speech model',
    start: () => {
      fetching = fetchUntilDone();
      return Promise.resolve();
    },
    stop: async () => {
      stopping.abort();
      await fetching;
    },
  };
}

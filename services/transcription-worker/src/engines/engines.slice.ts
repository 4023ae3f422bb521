import {
  asrRpc,
  asrWorkerRpc,
  jobDurable,
  transcriptionEvents,
  workerJobs,
  type AsrProviderWithKey,
  type ProviderState,
  type workerGpu,
} from '@overtone/contracts';
import { fetchedPercent, isSpeechModelAwaited, readSpeechSetup } from '@overtone/models';
import { rpc, type Bus, type Log, type Slice } from '@overtone/service-kit';
import type { OutboundGuard } from '@overtone/service-kit/outbound';
import type { z } from 'zod';
import type { WorkerEnv } from '../env.ts';
import { engineMissing, translationUnsupported } from '../failures.ts';
import type { Processors } from '../gpu/gpu.ts';
import { createEndpointFetch, type FetchEndpoint } from '../ports/endpoint-fetch.adapter.ts';
import { threadsOf, type LiveSettings } from '../settings/settings.ts';
import type { Candidate, Engines, SpeechEngine } from './engines.ts';
import { createOpenAiEngine } from './openai.adapter.ts';
import { createPocketSphinx } from './pocketsphinx.adapter.ts';
import { createProviderEngines } from './providers.ts';
import { createScripted } from './scripted.adapter.ts';
import { checkEngines, fits, languagesOfCandidate, noteOf, type Checked } from './selection.ts';
import { testProvider } from './test-provider.ts';

const refreshMs = 5_000;
/** In case a change was missed although the broker was connected; jobs read the providers themselves. */
const readProvidersMs = 60_000;

type Deps = {
  env: WorkerEnv;
  childEnv: Record<string, string>;
  whisperWith: (model: string) => SpeechEngine;
  sherpaWith: (model: string) => SpeechEngine;
  settings: Pick<LiveSettings, 'current' | 'report'>;
  processors: Processors;
  /** For the endpoints that administrators enter. */
  guard: OutboundGuard;
  bus: Bus;
  log: Log;
};

/** Follows the providers, and checks their engines every few seconds, because models are installed and servers fail. */
export function createEnginesSlice({
  env,
  childEnv,
  whisperWith,
  sherpaWith,
  settings,
  processors,
  guard,
  bus,
  log,
}: Deps): Slice & Engines {
  const configured = createEndpointFetch();
  const guarded = createEndpointFetch(guard);
  const ofEnvironment = createCandidates({
    env,
    childEnv,
    whisperWith,
    sherpaWith,
    settings,
    fetchEndpoint: configured.fetchEndpoint,
  });
  const providerEngines = createProviderEngines({
    childEnv,
    threads: () => threadsOf(settings.current()),
    whisperWith,
    sherpaWith,
    fetchEndpoint: guarded.fetchEndpoint,
  });
  const needsEngine = jobDurable(workerJobs.transcribe);
  let stored: AsrProviderWithKey[] = [];
  let checked: Checked[] = [];
  let note: string | null = 'Looking for a speech engine';
  let speechModelPercent: number | null = null;
  let timer: NodeJS.Timeout | undefined;
  let providersReadAt = -Infinity;
  let providersChangedAt = -Infinity;
  const firstReady = (): Checked | undefined => checked.find(({ state }) => state.ready);
  const readProviders = async (): Promise<void> => {
    const startedAt = performance.now();
    try {
      stored = (await bus.request(asrRpc.providers, {})).providers;
      providersReadAt = startedAt;
    } catch (err) {
      // The last known ones stay.
      log.debug({ err: err as Error }, 'ASR providers not read');
    }
  };
  const refresh = async (): Promise<void> => {
    const before = selectedNow();
    const isOutdatedList =
      providersReadAt <= providersChangedAt || performance.now() - providersReadAt > readProvidersMs;
    if (isOutdatedList) await readProviders();
    await processors.look();
    const setup = await readSpeechSetup(env.MODEL_CACHE_DIR);
    const percent = isSpeechModelAwaited(setup) && env.ASR_ENGINE === undefined ? fetchedPercent(setup) : null;
    const candidates: Candidate[] =
      stored.length > 0 ? providerEngines.candidatesOf(stored) : withoutLastResort(ofEnvironment, percent);
    checked = await checkEngines(candidates, env.ASR_ENGINE);
    speechModelPercent = firstReady() ? null : percent;
    note =
      speechModelPercent === null
        ? noteOf(checked, env.ASR_ENGINE)
        : `The speech model is being fetched (${speechModelPercent} %)`;
    if (selectedNow() !== before)
      log.info({ engine: firstReady()?.engine.info ?? null, note }, 'speech engine selected');
  };
  // The progress of a download is no change.
  const selectedNow = (): string | null =>
    firstReady()?.engine.info.model ?? (speechModelPercent === null ? note : 'awaited');
  let refreshing: Promise<void> | undefined;
  const tryRefresh = (): Promise<void> =>
    (refreshing ??= refresh()
      .catch((err: unknown) => log.debug({ err }, 'speech engine check failed'))
      .finally(() => {
        refreshing = undefined;
      }));

  const gpu = (): z.infer<typeof workerGpu> => {
    const engine = firstReady()?.engine;
    const { devices, note: why } = (engine?.processors ?? processors).state();
    const tuning = engine?.tuning ?? null;
    const concurrency = env.concurrency.gpu ? settings.current().gpu_concurrency : 0;
    return { devices: [...devices], note: why, concurrency, pool: env.GPU_WORKER_POOL, tuning };
  };
  return {
    enginesFor: async (wish) => {
      // The providers may have changed since the last check; the list itself is read in milliseconds.
      await readProviders();
      if (isOutdated(checked, stored)) await tryRefresh();
      const ready = checked.filter(({ state }) => state.ready);
      // A provider that was deleted since it was chosen is no wish any more.
      const provider = stored.some(({ id }) => id === wish.provider) ? wish.provider : null;
      const fitting = ready.filter((candidate) => fits(candidate, { ...wish, provider }));
      if (fitting.length > 0) return fitting;
      throw wish.task === 'translate' && ready.some((known) => fits(known, { ...wish, provider, task: 'transcribe' }))
        ? translationUnsupported()
        : engineMissing();
    },
    about: () => ({
      engine: firstReady()?.engine.info ?? null,
      engineNote: note,
      speechModelPercent,
      languages: languagesOfAll(checked),
      gpu: gpu(),
      settings: settings.report(firstReady()?.engine.tuning ?? null),
      engines: checked.map(toState),
    }),
    areAllRemote: () => {
      const ready = checked.filter(({ state }) => state.ready);
      return ready.length > 0 && ready.every(({ engine }) => engine.remote);
    },
    able: (durable) => durable !== needsEngine || firstReady() !== undefined,
    rpcs: [
      rpc(asrWorkerRpc.testProvider, ({ provider }) => testProvider(providerEngines, provider)),
      rpc(asrWorkerRpc.checkProviders, async ({ providers }) => {
        const enabled = providers.filter((provider) => provider.enabled);
        const engines = enabled.map(async (provider) => {
          const engine = providerEngines.create(provider);
          return toState({ engine, provider, state: await engine.check() });
        });
        return { engines: await Promise.all(engines) };
      }),
    ],
    parts: [
      {
        name: 'speech engines',
        start: async () => {
          const followChange = (): void => {
            providersChangedAt = performance.now();
            void tryRefresh();
          };
          bus.subscribeLive(transcriptionEvents.settingsChanged, followChange);
          bus.onRenewal(followChange);
          await tryRefresh();
          timer = setInterval(() => void tryRefresh(), refreshMs);
        },
        stop: async () => {
          clearInterval(timer);
          for (const { engine } of ofEnvironment) engine.close();
          await Promise.all([configured.close(), guarded.close()]);
        },
      },
    ],
  };
}

/** Engines of the environment in order of preference; the scripted one only if configured. */
function createCandidates({
  env,
  childEnv,
  whisperWith,
  sherpaWith,
  settings,
  fetchEndpoint,
}: Pick<Deps, 'env' | 'childEnv' | 'whisperWith' | 'sherpaWith' | 'settings'> & {
  fetchEndpoint: FetchEndpoint;
}): Candidate[] {
  const { ASR_OPENAI_BASE_URL: baseUrl, ASR_OPENAI_API_KEY: apiKey, ASR_OPENAI_MODEL: model } = env;
  const parallel = () => threadsOf(settings.current());
  const engines = [
    ...(env.OT_SCRIPTED_ENGINE ? [createScripted(env.OT_SCRIPTED_ENGINE)] : []),
    whisperWith(''),
    sherpaWith(''),
    ...(baseUrl ? [createOpenAiEngine({ baseUrl, apiKey, model, fetchEndpoint, parallel })] : []),
    createPocketSphinx({ env: childEnv, parallel }),
  ];
  return engines.map((engine) => ({ engine, provider: null }));
}

/** While the speech model is being fetched, recordings wait for it instead of being transcribed by PocketSphinx. */
function withoutLastResort(candidates: readonly Candidate[], percent: number | null): Candidate[] {
  return candidates.filter(({ engine }) => percent === null || engine.id !== 'pocketsphinx');
}

/** Whether the checked engines were made of another list of providers. */
function isOutdated(checked: readonly Checked[], stored: readonly AsrProviderWithKey[]): boolean {
  const used = checked.flatMap(({ provider }) => (provider === null ? [] : [provider]));
  const wanted = stored.filter(({ enabled }) => enabled);
  return (stored.length > 0 && used.length < checked.length) || JSON.stringify(used) !== JSON.stringify(wanted);
}

/** All languages of the ready engines; empty: any, null: no engine is ready. */
function languagesOfAll(checked: readonly Checked[]): string[] | null {
  const ready = checked.filter(({ state }) => state.ready).map(languagesOfCandidate);
  if (ready.length === 0) return null;
  return ready.some((languages) => languages.length === 0) ? [] : [...new Set(ready.flat())];
}

function toState({ engine, provider, state }: Checked): ProviderState {
  return {
    id: provider?.id ?? null,
    kind: engine.id,
    model: engine.info.model,
    ready: state.ready,
    why: state.ready ? null : state.why,
    translates: engine.translates,
  };
}

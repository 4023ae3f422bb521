import { availableParallelism } from 'node:os';
import {
  effectiveSettings,
  engineSettings,
  type EngineSettings,
  type EngineTuning,
  type Queue,
  type ReportedSettings,
} from '@overtone/contracts';

/** The engine settings of this worker as they are effective now. */
export type LiveSettings = {
  current: () => EngineSettings;
  /** Values and sources for the heartbeat; `auto` is replaced by what the worker computed for its processors. */
  report: (tuning: EngineTuning | null) => ReportedSettings;
  /** Reads the stored settings again; the last known ones stay while the dispatcher does not respond. */
  refresh: () => Promise<void>;
};

type Deps = {
  /** The environment of this worker by variable. */
  environment: Readonly<Record<string, unknown>>;
  readStored: () => Promise<Record<string, unknown>>;
  onFailure: (error: unknown) => void;
};

/** Follows the stored settings: stored values take precedence over the environment, both over the defaults. */
export function createLiveSettings({ environment, readStored, onFailure }: Deps): LiveSettings {
  const effectiveOf = (stored: Record<string, unknown>) => effectiveSettings(engineSettings, { stored, environment });
  let effective = effectiveOf({});
  return {
    current: () => effective.values,
    report: (tuning) => ({ ...effective.report, ...computedValues(effective.values, tuning) }),
    refresh: async () => {
      try {
        effective = effectiveOf(await readStored());
      } catch (error) {
        onFailure(error);
      }
    },
  };
}

/** Whisper models become hardly faster with more threads. */
const mostThreads = 8;

/** The threads of one recording; `auto` shares the processor cores among the concurrent recordings. */
export function threadsOf(
  { threads, gpu_concurrency: normal, express_slots: express }: EngineSettings,
  cores = availableParallelism(),
): number {
  if (threads !== 'auto') return threads;
  return Math.min(mostThreads, Math.max(2, Math.floor(cores / (normal + express))));
}

function computedValues(settings: EngineSettings, tuning: EngineTuning | null): ReportedSettings {
  const { batch_size: batchSize, compute_type: computeType, hybrid_mode: hybrid } = settings;
  const computed = { source: 'computed' as const };
  const threads = settings.threads === 'auto' ? { threads: { ...computed, value: threadsOf(settings) } } : {};
  if (tuning === null) return threads;
  return {
    ...threads,
    ...(batchSize === 'auto' ? { batch_size: { ...computed, value: tuning.batch_size } } : {}),
    ...(computeType === 'auto' ? { compute_type: { ...computed, value: tuning.compute_type } } : {}),
    ...(hybrid === 'auto' ? { hybrid_mode: { ...computed, value: String(tuning.hybrid) } } : {}),
  };
}

/** The bounds of the number of speakers of one recording: its own, else those of the settings. */
export function speakerBounds(
  own: { minSpeakers: number | null; maxSpeakers: number | null },
  { min_speakers: min, max_speakers: max }: EngineSettings,
): { minSpeakers: number | null; maxSpeakers: number | null } {
  const bound = (value: number | 'auto') => (value === 'auto' ? null : value);
  const least = own.minSpeakers ?? bound(min);
  const most = own.maxSpeakers ?? bound(max);
  if (least === null || most === null || least <= most) return { minSpeakers: least, maxSpeakers: most };
  // A bound of the recording itself takes precedence over the one of the settings.
  return own.minSpeakers === null
    ? { minSpeakers: most, maxSpeakers: most }
    : { minSpeakers: least, maxSpeakers: least };
}

type Concurrency = Partial<Record<Queue, number>>;
/** The slots of a worker by queue; only workers with the role `gpu` have some there. */
export function slotsOf(
  environment: Concurrency,
  { gpu_concurrency: normal, express_slots: express, remote_concurrency: remote }: EngineSettings,
): { concurrency: Concurrency; express: Concurrency; remote: number } {
  const hasRole = (environment.gpu ?? 0) > 0;
  return {
    concurrency: { ...environment, gpu: hasRole ? normal : 0 },
    express: { gpu: hasRole ? express : 0 },
    remote: hasRole ? remote : 0,
  };
}

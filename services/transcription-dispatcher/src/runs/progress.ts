import { stages, type Stage } from '@overtone/contracts';

/** Seconds of work per second of audio, by stage. */
export type Rates = Record<Stage, number>;

/** Used without history: rates of a speech engine on common CPU cores. */
export const defaultRates: Rates = { prepare: 0.01, transcribe: 0.4, diarize: 0.05, assemble: 0.005, index: 0.01 };

export type TimedRun = { audioDurationS: number | null } & {
  [S in Stage as `${S}S`]: number | null;
};

/** The median rate of each stage over past runs; the default rate for a stage without history. */
export function ratesFrom(runs: TimedRun[]): Rates {
  return Object.fromEntries(
    stages.map((stage) => {
      const rates = runs
        .flatMap((run) => {
          const seconds = run[`${stage}S`];
          return seconds !== null && run.audioDurationS ? [seconds / run.audioDurationS] : [];
        })
        .sort((left, right) => left - right);
      return [stage, rates[Math.floor(rates.length / 2)] ?? defaultRates[stage]];
    }),
  ) as Rates;
}

export type StageProgress = { stage: Stage; fraction: number };
export type Overall = { progress: number; etaSeconds: number | null };

/** Minimum share of a stage, so that even a short one moves the progress bar. */
const minShare = 0.01;

/** Each stage's expected share of a run's duration; the shares add up to one. */
export function sharesOf(rates: Rates): Record<Stage, number> {
  const total = stages.reduce((sum, stage) => sum + rates[stage], 0) || 1;
  const raised = stages.map((stage) => Math.max(minShare, rates[stage] / total));
  const sum = raised.reduce((total, item) => total + item, 0);
  return Object.fromEntries(stages.map((stage, i) => [stage, (raised[i] ?? 0) / sum])) as Record<Stage, number>;
}

/**
 * Progress of the whole run, 0 to 100 (at most 99 until it ends), and the estimated time left.
 * @param elapsedSeconds since the current stage started.
 */
export function overallOf(
  at: StageProgress,
  rates: Rates,
  audioSeconds: number | null,
  elapsedSeconds: number,
): Overall {
  const shares = sharesOf(rates);
  const index = stages.indexOf(at.stage);
  const before = stages.slice(0, index).reduce((sum, stage) => sum + shares[stage], 0);
  const progress = Math.min(99, Math.round(1000 * (before + shares[at.stage] * at.fraction)) / 10);
  if (audioSeconds === null) return { progress, etaSeconds: null };
  const later = stages.slice(index + 1).reduce((sum, stage) => sum + rates[stage] * audioSeconds, 0);
  return {
    progress,
    etaSeconds: Math.ceil(secondsLeftInStage(at, rates[at.stage] * audioSeconds, elapsedSeconds) + later),
  };
}

/** Below this fraction a stage's own pace is not used. */
const minMeasuredFraction = 0.02;

/**
 * Estimates the fraction of a stage that reports no progress from past durations; beyond 80 % it approaches 97 %
 * ever more slowly, because the duration of an overdue stage is unknown.
 */
export function estimateFraction(elapsed: number, expected: number): number {
  const part = expected > 0 ? elapsed / expected : 0;
  return part <= 0.8 ? part : 0.97 - 0.17 * Math.exp(-(part - 0.8));
}

/** The stage's reported fraction, or an estimate from past runs while it reports none. */
export function withEstimatedFraction(
  at: StageProgress,
  rates: Rates,
  audioSeconds: number | null,
  elapsed: number,
): StageProgress {
  return at.fraction >= minMeasuredFraction || audioSeconds === null
    ? at
    : { stage: at.stage, fraction: Math.max(at.fraction, estimateFraction(elapsed, rates[at.stage] * audioSeconds)) };
}

/** Blends past durations with the stage's own pace, whose weight grows with its progress. */
function secondsLeftInStage({ fraction }: StageProgress, expected: number, elapsed: number): number {
  const historicEstimate = Math.max(0, expected * (1 - fraction));
  if (fraction < minMeasuredFraction) return historicEstimate;
  const paceEstimate = (elapsed / fraction) * (1 - fraction);
  return historicEstimate * (1 - fraction) + paceEstimate * fraction;
}

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
        .sort((a, b) => a - b);
      return [stage, rates[Math.floor(rates.length / 2)] ?? defaultRates[stage]];
    }),
  ) as Rates;
}

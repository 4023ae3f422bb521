import { stages, type Stage } from '@overtone/contracts';

/** Seconds of work per second of audio, by stage. */
export type Rates = Record<Stage, number>;

/** Before there is any history: a speech engine on ordinary cores, the rest small beside it. */
export const firstRates: Rates = { prepare: 0.01, transcribe: 0.4, diarize: 0.05, assemble: 0.005, index: 0.01 };

export type TimedRun = { audioDurationS: number | null } & {
  [S in Stage as `${S}S`]: number | null;
};

/** The median rate of each stage over past runs; a stage without history keeps its first guess. */
export const ratesFrom = (runs: TimedRun[]): Rates =>
  Object.fromEntries(
    stages.map((stage) => {
      const rates = runs
        .flatMap((r) => {
          const seconds = r[`${stage}S`];
          return seconds !== null && r.audioDurationS ? [seconds / r.audioDurationS] : [];
        })
        .sort((a, b) => a - b);
      return [stage, rates[Math.floor(rates.length / 2)] ?? firstRates[stage]];
    }),
  ) as Rates;

import { stages, type Stage } from '@overtone/contracts';
import type { Rates } from '../timing/timing.ts';

export type StageProgress = { stage: Stage; fraction: number };
export type Overall = { progress: number; etaSeconds: number | null };

/** No stage is shown as nothing: even a short one moves the bar. */
const floorShare = 0.01;

/** Each stage's share of a run's time, as past runs lead one to expect; they add up to one. */
export const sharesOf = (rates: Rates): Record<Stage, number> => {
  const total = stages.reduce((sum, s) => sum + rates[s], 0) || 1;
  const raised = stages.map((s) => Math.max(floorShare, rates[s] / total));
  const sum = raised.reduce((a, b) => a + b, 0);
  return Object.fromEntries(stages.map((s, i) => [s, (raised[i] ?? 0) / sum])) as Record<Stage, number>;
};

/**
 * How far the whole run is, 0 to 100 (99 until it is over), and how long it will still take.
 * @param elapsedSeconds since the current stage was begun.
 */
export const overallOf = (
  at: StageProgress,
  rates: Rates,
  audioSeconds: number | null,
  elapsedSeconds: number,
): Overall => {
  const shares = sharesOf(rates);
  const index = stages.indexOf(at.stage);
  const before = stages.slice(0, index).reduce((sum, s) => sum + shares[s], 0);
  const progress = Math.min(99, Math.round(1000 * (before + shares[at.stage] * at.fraction)) / 10);
  if (audioSeconds === null) return { progress, etaSeconds: null };
  const later = stages.slice(index + 1).reduce((sum, s) => sum + rates[s] * audioSeconds, 0);
  return { progress, etaSeconds: Math.ceil(stageLeft(at, rates[at.stage] * audioSeconds, elapsedSeconds) + later) };
};

/** Below this a stage has not shown a pace of its own. */
const firstSign = 0.02;

/**
 * How far a stage is that says nothing of itself: as far as history lets one expect, ever more slowly towards the end,
 * because being late says nothing about when.
 */
export const guessed = (elapsed: number, expected: number): number => {
  const part = expected > 0 ? elapsed / expected : 0;
  return part <= 0.8 ? part : 0.97 - 0.17 * Math.exp(-(part - 0.8));
};

/** What a stage says of itself; where it says nothing yet, what history says. */
export const effective = (
  at: StageProgress,
  rates: Rates,
  audioSeconds: number | null,
  elapsed: number,
): StageProgress =>
  at.fraction >= firstSign || audioSeconds === null
    ? at
    : { stage: at.stage, fraction: Math.max(at.fraction, guessed(elapsed, rates[at.stage] * audioSeconds)) };

/** History speaks first; the further the stage is, the more its own pace counts. */
const stageLeft = ({ fraction }: StageProgress, expected: number, elapsed: number): number => {
  const byHistory = Math.max(0, expected * (1 - fraction));
  if (fraction < firstSign) return byHistory;
  const byPace = (elapsed / fraction) * (1 - fraction);
  return byHistory * (1 - fraction) + byPace * fraction;
};

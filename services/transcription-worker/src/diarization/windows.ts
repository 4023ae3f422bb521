import type { Turn } from '@overtone/contracts';
import type { TimeSpan } from '../audio/speech-regions.ts';

/** Long enough to know a voice by, short enough to hold one speaker. */
const windowSeconds = 1.6;

/** Cuts stretches of speech into windows of about equal length; a pause always ends a window. */
export const windowsOf = (regions: readonly TimeSpan[]): TimeSpan[] =>
  regions.flatMap(({ start, end }) => {
    const parts = Math.max(1, Math.round((end - start) / windowSeconds));
    const length = (end - start) / parts;
    return Array.from({ length: parts }, (_, i) => ({ start: start + i * length, end: start + (i + 1) * length }));
  });

/** A lone window of another voice between two of the same, without a pause, is a mistake of the clustering. */
const smooth = (windows: readonly TimeSpan[], labels: readonly number[]): number[] =>
  labels.map((label, i) => {
    const [before, here, after] = [windows[i - 1], windows[i], windows[i + 1]];
    if (!before || !here || !after || labels[i - 1] !== labels[i + 1]) return label;
    const breathless = here.start - before.end < 0.05 && after.start - here.end < 0.05;
    return breathless ? (labels[i - 1] ?? label) : label;
  });

/** Neighbouring windows of one voice become a turn. */
export const toTurns = (windows: readonly TimeSpan[], labels: readonly number[]): Turn[] => {
  const smoothed = smooth(windows, labels);
  const turns: Turn[] = [];
  for (const [i, { start, end }] of windows.entries()) {
    const speaker = smoothed[i] ?? 0;
    const last = turns.at(-1);
    if (last && last.speaker === speaker && start - last.end < 1) last.end = end;
    else turns.push({ start, end, speaker });
  }
  return turns;
};

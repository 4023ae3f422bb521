import { t } from '@lingui/core/macro';
import type { Timeline } from '../api/queries.ts';

type Attempt = Timeline['stages'][number]['tries'][number];
type Span = { readonly from: number; readonly to: number };

/** A part of a run: a time with running attempts, or a pause. A long pause is drawn shorter. */
export type Section = Span & { readonly isShortened: boolean };
/** Position and width in percent. */
export type Placement = { readonly left: number; readonly width: number };
export type Axis = { readonly sections: readonly Section[]; readonly placementOf: (span: Span) => Placement };

/** The longest drawn pause, as a share of the working time: a run with a pause of a night stays readable. */
const longestPause = 0.2;

export function spanOf(attempt: Attempt, now: number): Span {
  const from = Date.parse(attempt.started_at);
  return { from, to: Math.max(from, attempt.ended_at === null ? now : Date.parse(attempt.ended_at)) };
}

/** The times with running attempts: overlapping spans are merged, in order of time. */
function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.toSorted((x, y) => x.from - y.from)) {
    const last = merged.at(-1);
    if (last && span.from <= last.to) merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
    else merged.push(span);
  }
  return merged;
}

/** The time axis of a run: working time to scale, long pauses shortened. */
export function axisOf(spans: readonly Span[]): Axis {
  const busy = mergeSpans(spans);
  const workingTime = Math.max(
    1,
    busy.reduce((sum, { from, to }) => sum + (to - from), 0),
  );
  const sections = busy.flatMap((span, i): Section[] => {
    const previous = busy[i - 1];
    const pause = previous ? { from: previous.to, to: span.from } : null;
    return [
      ...(pause ? [{ ...pause, isShortened: pause.to - pause.from > workingTime * longestPause }] : []),
      { ...span, isShortened: false },
    ];
  });
  const lengthOf = ({ from, to, isShortened }: Section): number =>
    isShortened ? workingTime * longestPause : to - from;
  const total = Math.max(
    1,
    sections.reduce((sum, section) => sum + lengthOf(section), 0),
  );
  const positionOf = (time: number): number => {
    let sum = 0;
    for (const section of sections) {
      if (time >= section.to) sum += lengthOf(section);
      else if (time > section.from) sum += (lengthOf(section) * (time - section.from)) / (section.to - section.from);
    }
    return (100 * sum) / total;
  };
  return {
    sections,
    placementOf: ({ from, to }) => ({ left: positionOf(from), width: positionOf(to) - positionOf(from) }),
  };
}

/** A duration as text: `0.4 s`, `12 s`, `3 min 5 s`, `1 h 2 min`. */
export function durationText(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return t`${seconds.toFixed(1)} s`;
  if (seconds < 60) return t`${Math.round(seconds)} s`;
  if (seconds < 3600) return t`${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  if (seconds < 86_400) return t`${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return t`${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3600)} h`;
}

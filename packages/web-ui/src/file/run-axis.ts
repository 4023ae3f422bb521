import type { Timeline } from '../api/queries.ts';

type Try = Timeline['stages'][number]['tries'][number];
type Span = { readonly from: number; readonly to: number };

/** A piece of the time of a run: somebody worked on it, or nobody did for so long that it is drawn shorter. */
export type Piece = Span & { readonly cut: boolean };
/** Where a piece stands and how wide it is, in percent. */
export type Place = { readonly left: number; readonly width: number };
export type Axis = { readonly pieces: readonly Piece[]; readonly placeOf: (span: Span) => Place };

/** A pause is drawn as long as this share of the work at most: a run that failed at night and went on by day stays readable. */
const longestPause = 0.2;

export const spanOf = (one: Try, now: number): Span => {
  const from = Date.parse(one.started_at);
  return { from, to: Math.max(from, one.ended_at === null ? now : Date.parse(one.ended_at)) };
};

/** Stretches in which something was being tried, merged, in order. */
const busyOf = (spans: readonly Span[]): Span[] => {
  const merged: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && span.from <= last.to) merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
    else merged.push(span);
  }
  return merged;
};

/** The time of a run as it is drawn: work to scale, long pauses cut. */
export const axisOf = (spans: readonly Span[]): Axis => {
  const busy = busyOf(spans);
  const work = Math.max(
    1,
    busy.reduce((sum, b) => sum + (b.to - b.from), 0),
  );
  const pieces = busy.flatMap((b, i): Piece[] => {
    const before = busy[i - 1];
    const pause = before ? { from: before.to, to: b.from } : null;
    return [...(pause ? [{ ...pause, cut: pause.to - pause.from > work * longestPause }] : []), { ...b, cut: false }];
  });
  const lengthOf = (p: Piece): number => (p.cut ? work * longestPause : p.to - p.from);
  const total = Math.max(
    1,
    pieces.reduce((sum, p) => sum + lengthOf(p), 0),
  );
  const at = (time: number): number => {
    let sum = 0;
    for (const p of pieces) {
      if (time >= p.to) sum += lengthOf(p);
      else if (time > p.from) sum += (lengthOf(p) * (time - p.from)) / (p.to - p.from);
    }
    return (100 * sum) / total;
  };
  return { pieces, placeOf: ({ from, to }) => ({ left: at(from), width: at(to) - at(from) }) };
};

/** `0.4 s`, `12 s`, `3 min 5 s`, `1 h 2 min`. */
export const took = (ms: number): string => {
  const s = ms / 1000;
  if (s < 10) return `${s.toFixed(1)} s`;
  if (s < 60) return `${Math.round(s)} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${Math.floor(s % 60)} s`;
  if (s < 86_400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  return `${Math.floor(s / 86_400)} d ${Math.floor((s % 86_400) / 3600)} h`;
};

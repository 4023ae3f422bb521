import type { RedactionKind } from '@overtone/contracts';

/** A range of characters with information of one kind. */
export type Span = { kind: RedactionKind; start: number; end: number };

/** Which of two overlapping spans names the union: kinds with a checksum or a fixed form come first. */
const precedence: readonly RedactionKind[] = [
  'account',
  'card',
  'id_number',
  'email',
  'phone',
  'birth_date',
  'secret',
  'address',
  'name',
];

/** Joins overlapping spans, so that each character belongs to at most one. */
export function mergeSpans<S extends Span>(spans: readonly S[]): S[] {
  const merged: S[] = [];
  for (const span of spans.filter(({ start, end }) => end > start).toSorted((x, y) => x.start - y.start)) {
    const last = merged.at(-1);
    if (!last || span.start >= last.end) merged.push(span);
    else merged[merged.length - 1] = unite(last, span);
  }
  return merged;
}

function unite<S extends Span>(left: S, right: S): S {
  const [first] = [left, right].toSorted((x, y) => precedence.indexOf(x.kind) - precedence.indexOf(y.kind));
  return { ...(first as S), start: Math.min(left.start, right.start), end: Math.max(left.end, right.end) };
}

import type { operationKinds, Word } from '@overtone/contracts';
import { realign, tokensOf } from './realign.ts';

export type OperationKind = (typeof operationKinds)[number];
type Span = { start: number; end: number };
type Times = { startTime: number; endTime: number };
export type Passage = {
  id: string;
  speakerId: string | null;
  startTime: number;
  endTime: number;
  text: string;
  words: Word[];
};
/** A passage that replaces others. Without times it gets those of its words. */
export type Piece = {
  id: string;
  text: string;
  speakerId: string | null;
  start?: number;
  end?: number;
  /** The start times of words that a person has checked. */
  accepted?: readonly number[];
};

/**
 * The passages that replace a run of adjacent ones. Words that occur on both sides keep their times, and a passage whose
 * text is unchanged keeps its own. `around`: the time between the adjacent passages, for an insertion.
 */
export function replacePassages(run: readonly Passage[], pieces: readonly Piece[], around: Span): Passage[] {
  const inserted = run.length === 0 ? pieces.flatMap(passageAtItsTimes) : [];
  if (inserted.length > 0 && inserted.length === pieces.length) return inserted;
  const span = run.length === 0 ? around : spanOf(run);
  const joined = pieces.map(({ text }) => text).join(' ');
  const words = realign(run.flatMap(wordsOf), joined, span);
  let from = 0;
  let previousEnd = span.start;
  return pieces.map((piece, i) => {
    const to = from + tokensOf(piece.text).length;
    const own = words.slice(from, to);
    from = to;
    const unchanged = run.find(({ id, text }) => id === piece.id && text === piece.text);
    const isLast = i === pieces.length - 1;
    const passage = unchanged
      ? { ...unchanged, speakerId: piece.speakerId }
      : {
          id: piece.id,
          speakerId: piece.speakerId,
          text: piece.text,
          words: own,
          startTime: i === 0 ? span.start : startOf(own, previousEnd),
          endTime: isLast ? span.end : endOf(own, previousEnd),
        };
    previousEnd = passage.endTime;
    const checked = { ...passage, words: acceptWords(passage.words, piece.accepted ?? []) };
    return retime(checked, { start: piece.start ?? passage.startTime, end: piece.end ?? passage.endTime });
  });
}

/** A new passage whose times are given: its words share them. */
function passageAtItsTimes({ id, speakerId, text, start, end }: Piece): Passage[] {
  if (start === undefined || end === undefined) return [];
  return [{ id, speakerId, text, words: realign([], text, { start, end }), startTime: start, endTime: end }];
}

/** Of passages that overlap in time, the first and the last word are not always the earliest and the latest. */
function startOf(words: readonly Word[], otherwise: number): number {
  return words.reduce((earliest, { start }) => Math.min(earliest, start), words[0]?.start ?? otherwise);
}

function endOf(words: readonly Word[], otherwise: number): number {
  return words.reduce((latest, { end }) => Math.max(latest, end), words[0]?.end ?? otherwise);
}

function spanOf(run: readonly Passage[]): Span {
  return {
    start: Math.min(...run.map(({ startTime }) => startTime)),
    end: Math.max(...run.map(({ endTime }) => endTime)),
  };
}

/** One word for each word of the text. Engines and imports may have stored others. */
function wordsOf({ text, words, startTime, endTime }: Passage): Word[] {
  const isComplete = tokensOf(text).length === words.length;
  return isComplete ? words : realign(words, text, { start: startTime, end: endTime });
}

/** A word that a person has checked has no confidence, like one that a person has typed. */
function acceptWords(words: Word[], accepted: readonly number[]): Word[] {
  const starts = new Set(accepted);
  return words.map((word) =>
    word.confidence !== null && starts.has(word.start) ? { ...word, confidence: null } : word,
  );
}

/** A passage that is moved takes its words along. One that gets longer or shorter keeps their times within its own. */
function retime(passage: Passage, { start, end }: Span): Passage {
  const { startTime, endTime, words } = passage;
  if (start === startTime && end === endTime) return passage;
  const by = start - startTime;
  const isMoved = Math.abs(end - endTime - by) < 0.0015;
  const clamp = (at: number): number => Math.min(Math.max(at, start), end);
  const moved = words.map((word) => {
    if (isMoved) return { ...word, start: milliseconds(word.start + by), end: milliseconds(word.end + by) };
    const next = { ...word, start: clamp(word.start), end: clamp(word.end) };
    return next.start === word.start && next.end === word.end ? word : { ...next, interpolated: true };
  });
  return { ...passage, startTime: start, endTime: end, words: moved };
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

/** The time between the passages next to a run, and the starts of these, between which a given time must be. */
export type Around = { between: Span; earliest: number; latest: number };

/** Where adjacent passages overlap, a passage between them is where the second one starts. */
export function aroundOf(previous: Times | null, next: Times | null): Around {
  const until = next?.startTime ?? Infinity;
  const start = Math.min(previous?.endTime ?? 0, until);
  return {
    between: { start, end: next?.startTime ?? start + 1 },
    earliest: previous?.startTime ?? 0,
    latest: until,
  };
}

/** Whether each passage starts between the adjacent ones, of which the outer ones start at `earliest` and `latest`. */
export function areTimesInOrder(passages: readonly Passage[], { earliest, latest }: Around): boolean {
  let from = earliest;
  return passages.every(({ startTime, endTime }) => {
    const isInOrder = startTime >= from && startTime <= latest && endTime >= startTime;
    from = startTime;
    return isInOrder;
  });
}

/** Whether the times of passages were set that may contradict those of adjacent ones. Times that follow from others do not. */
export function hasGivenTimes(kinds: readonly OperationKind[], pieces: readonly Piece[]): boolean {
  const isTimed = pieces.some(({ start, end }) => start !== undefined || end !== undefined);
  return isTimed && kinds.some((kind) => kind === 'retime' || kind === 'insert');
}

/** What the replacement of a run did, in the words of the history. */
export function kindsOf(run: readonly Passage[], next: readonly Passage[]): OperationKind[] {
  if (run.length === 0) return next.length === 0 ? [] : ['insert'];
  if (next.length === 0) return ['delete'];
  const kinds: OperationKind[] = [];
  if (next.length > run.length) kinds.push('split');
  if (next.length < run.length) kinds.push('merge');
  if (joinedText(run) !== joinedText(next)) kinds.push('text');
  const before = new Map(run.map((passage) => [passage.id, passage]));
  if (next.some(({ id, speakerId }) => speakerId !== (before.get(id) ?? run[0])?.speakerId)) kinds.push('speaker');
  const isRetimed = ({ id, startTime, endTime }: Passage): boolean => {
    const old = before.get(id);
    return old !== undefined && (old.startTime !== startTime || old.endTime !== endTime);
  };
  if (next.length === run.length && next.some(isRetimed)) kinds.push('retime');
  const isTextKept = !kinds.some((kind) => kind !== 'speaker');
  if (isTextKept && next.some((passage) => isAccepted(before.get(passage.id), passage))) kinds.push('accept');
  return kinds;
}

/** Whether words of a passage have lost their confidence. */
export function isAccepted(before: Pick<Passage, 'words'> | undefined, after: Passage): boolean {
  return before !== undefined && withConfidence(before.words) > withConfidence(after.words);
}

function withConfidence(words: readonly Word[]): number {
  return words.filter(({ confidence }) => confidence !== null).length;
}

function joinedText(passages: readonly Passage[]): string {
  return passages
    .map(({ text }) => tokensOf(text).join(' '))
    .filter(Boolean)
    .join(' ');
}

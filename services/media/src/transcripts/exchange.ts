import type { Word } from '@overtone/contracts';
import type { SegmentState } from './operations.store.ts';

/** What of a segment decides whether it was changed since, and where it is inserted again. */
type State = Pick<SegmentState, 'id' | 'speakerId' | 'text' | 'startTime' | 'endTime' | 'words' | 'previousId'>;

/** There is room for as many between two segments. */
const maxInserted = 500;

/** A correction: segments and what replaced them. */
export type Change<S> = { readonly from: readonly S[]; readonly to: readonly S[] };

type Exchange<S> = {
  removed: string[];
  changed: S[];
  /** Each group is inserted at one place. */
  inserted: S[][];
};

/**
 * How segments are replaced by others of the same transcript. `from`: what they must still be. `current`: what they are.
 * `since`: the corrections since `to` was so, as they were applied or reverted, the last one at the end.
 * @returns null when one of them was changed since
 */
export function planExchange<S extends State>(
  from: readonly S[],
  to: readonly S[],
  {
    current,
    speakers,
    since = [],
  }: { current: readonly S[]; speakers: ReadonlySet<string>; since?: readonly Change<S>[] },
): Exchange<S> | null {
  const byId = (list: readonly S[]) => new Map(list.map((state) => [state.id, state]));
  const [left, right, now] = [byId(from), byId(to), byId(current)];
  // Of a segment of which words were only accepted, the words may be in others now.
  const isGone = ({ id }: S): boolean => {
    const [source, wanted] = [left.get(id), right.get(id)];
    return !now.has(id) && !!source && !!wanted && isSameText(source, wanted) && source.speakerId === wanted.speakerId;
  };
  for (const state of from.filter((one) => !isGone(one))) {
    const existing = now.get(state.id);
    // The speaker of a correction may have been merged into another one since.
    const isSpeakerKept =
      existing?.speakerId === state.speakerId ||
      right.get(state.id)?.speakerId === state.speakerId ||
      (state.speakerId !== null && !speakers.has(state.speakerId));
    if (!existing || !isSpeakerKept) return null;
    const wanted = right.get(state.id);
    if (!isSameText(existing, state) && !(wanted && isSameText(state, wanted))) return null;
  }
  if (to.some(({ id }) => !left.has(id) && now.has(id))) return null;

  const accepted = readAcceptance({ from, to }, { current, since });
  const changed: S[] = [];
  const inserted: S[][] = [];
  for (const state of to.filter((one) => !isGone(one))) {
    const speakerId = state.speakerId !== null && speakers.has(state.speakerId) ? state.speakerId : null;
    const source = left.get(state.id);
    if (source) {
      const existing = now.get(state.id) ?? source;
      // A text that the correction has not changed is kept, like the speaker.
      const next = accepted(isSameText(source, state) ? existing : state);
      changed.push({ ...next, speakerId: source.speakerId === state.speakerId ? existing.speakerId : speakerId });
      continue;
    }
    const group = inserted.at(-1);
    const restored = { ...accepted(state), speakerId };
    // Those that were next to each other are inserted together.
    if (group && group.length < maxInserted && group.at(-1)?.id === state.previousId) group.push(restored);
    else inserted.push([restored]);
  }
  // Words that the correction has accepted may be in other passages now.
  for (const state of current) if (!left.has(state.id) && !right.has(state.id)) changed.push(accepted(state));
  return { removed: from.filter(({ id }) => !right.has(id)).map(({ id }) => id), changed, inserted };
}

/** What a word is known by in all corrections that have not changed it. */
export function keyOf({ start, word }: Pick<Word, 'start' | 'word'>): string {
  return `${start} ${word}`;
}

type Keyed = readonly [key: string, word: Word];

/** The words of a state with their keys; those of a passage that was only moved with their keys in `states`. */
function wordsAsIn<S extends State>(states: readonly S[]): (state: S) => Keyed[] {
  const known = new Map(states.map(({ id, words }) => [id, words]));
  return ({ id, words }) => {
    const other = known.get(id);
    const isMoved = other?.length === words.length && other.every(({ word }, i) => word === words[i]?.word);
    return words.map((word, i) => [keyOf((isMoved ? other[i] : undefined) ?? word), word]);
  };
}

/** The words that a correction has accepted, or of which it takes that back, as they are after it. */
export function acceptedWords<S extends State>({ from, to }: Change<S>): Keyed[] {
  const wordsOf = wordsAsIn(to);
  const before = new Map(from.flatMap(wordsOf));
  return to.flatMap(wordsOf).filter(([key, { confidence }]) => {
    const old = before.get(key);
    return old !== undefined && old.confidence !== confidence;
  });
}

/**
 * Whether words are accepted, which is a matter of each word: as the correction left it, else as it is now, else as another
 * correction has left it since, while it was deleted.
 */
function readAcceptance<S extends State>(
  own: Change<S>,
  { current, since }: { current: readonly S[]; since: readonly Change<S>[] },
): (state: S) => S {
  const wordsOf = wordsAsIn(own.to);
  const known = new Map([...since.flatMap(acceptedWords), ...current.flatMap(wordsOf), ...acceptedWords(own)]);
  return (state) => {
    const words = wordsOf(state).map(([key, word]) => {
      const { confidence } = known.get(key) ?? word;
      return confidence === word.confidence ? word : { ...word, confidence };
    });
    return words.some((word, i) => word !== state.words[i]) ? { ...state, words } : state;
  };
}

/** Whether the texts and the times of two states are the same. */
function isSameText(one: State, other: State): boolean {
  return one.text === other.text && one.startTime === other.startTime && one.endTime === other.endTime;
}

/** The segments with the positions that they have in `places`: a redo restores them where they were at the undo. */
export function placedAs<S extends Pick<SegmentState, 'id' | 'previousId' | 'nextId'>>(
  states: readonly S[],
  places: readonly S[],
): S[] {
  const known = new Map(places.map((state) => [state.id, state]));
  return states.map((state) => {
    const { previousId, nextId = null } = known.get(state.id) ?? state;
    return { ...state, previousId, nextId };
  });
}

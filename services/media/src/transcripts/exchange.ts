import type { Word } from '@overtone/contracts';
import type { SegmentState } from './operations.store.ts';

/** What of a segment decides whether it was changed since, and where it is inserted again. */
type State = Pick<SegmentState, 'id' | 'speakerId' | 'text' | 'startTime' | 'endTime' | 'words' | 'previousId'>;

/** There is room for as many between two segments. */
const maxInserted = 500;

type Exchange<S> = {
  removed: string[];
  changed: S[];
  /** Each group is inserted at one place. */
  inserted: S[][];
};

/**
 * How segments are replaced by others of the same transcript. `from`: what they must still be. `current`: what they are.
 * @returns null when one of them was changed since
 */
export function planExchange<S extends State>(
  from: readonly S[],
  to: readonly S[],
  { current, speakers }: { current: readonly S[]; speakers: ReadonlySet<string> },
): Exchange<S> | null {
  const byId = (list: readonly S[]) => new Map(list.map((state) => [state.id, state]));
  const [left, right, now] = [byId(from), byId(to), byId(current)];
  for (const state of from) {
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

  const accepted = readAcceptance({ left, right, now });
  const changed: S[] = [];
  const inserted: S[][] = [];
  for (const state of to) {
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
  return { removed: from.filter(({ id }) => !right.has(id)).map(({ id }) => id), changed, inserted };
}

type ById<S> = ReadonlyMap<string, S>;

/**
 * Whether words are accepted, which is a matter of each word: one that the correction has accepted is as in `right`, each
 * other one in its current state.
 */
function readAcceptance<S extends State>({ left, right, now }: Record<'left' | 'right' | 'now', ById<S>>) {
  // The words of a passage that was only moved are found by their places in it.
  const keysOf = ({ id, words }: S): string[] => {
    const other = right.get(id)?.words;
    const isMoved = other?.length === words.length && other.every(({ word }, i) => word === words[i]?.word);
    return words.map(({ start, word }, i) => `${isMoved ? other[i]?.start : start} ${word}`);
  };
  const wordsOf = (states: ById<S>): ReadonlyMap<string, Word> =>
    new Map([...states.values()].flatMap((state) => zip(keysOf(state), state.words)));
  const [before, after, present] = [wordsOf(left), wordsOf(right), wordsOf(now)];
  return (state: S): S => {
    const words = zip(keysOf(state), state.words).map(([key, word]) => {
      const [old, wanted, current] = [before.get(key), after.get(key), present.get(key)];
      const isReverted = old && wanted && old.confidence !== wanted.confidence;
      const { confidence } = (isReverted ? wanted : current) ?? word;
      return confidence === word.confidence ? word : { ...word, confidence };
    });
    return words.some((word, i) => word !== state.words[i]) ? { ...state, words } : state;
  };
}

function zip(keys: readonly string[], words: readonly Word[]): [string, Word][] {
  return words.map((word, i) => [keys[i] ?? '', word]);
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

import type { SegmentState } from './operations.store.ts';

/** What of a segment decides its place, and who speaks. */
type Placed = Pick<SegmentState, 'id' | 'previousId' | 'startTime' | 'speakerId'>;
type Correction<S> = { before: readonly S[]; after: readonly S[] };
type Node<S> = { state: S; previous: Node<S> | null; next: Node<S> | null };

/**
 * An earlier state of a transcript: its segments without corrections that were made since.
 * Speakers that were merged or removed since are those of the present transcript, as they are in an undo.
 */
export function createHistory<S extends Placed>(present: readonly S[]) {
  const nodes = new Map<string, Node<S>>();
  let first: Node<S> | null = null;

  const insert = (state: S, previous: Node<S> | null): void => {
    const node: Node<S> = { state, previous, next: previous ? previous.next : first };
    if (node.next) node.next.previous = node;
    if (previous) previous.next = node;
    else first = node;
    nodes.set(state.id, node);
  };
  const remove = (node: Node<S>): void => {
    if (node.previous) node.previous.next = node.next;
    else first = node.next;
    if (node.next) node.next.previous = node.previous;
    nodes.delete(node.state.id);
  };
  /** The segment after which one is inserted again. */
  const placeOf = ({ previousId, startTime }: S): Node<S> | null => {
    const known = previousId === null ? null : nodes.get(previousId);
    if (known !== undefined) return known;
    let earlier: Node<S> | null = null;
    for (let node = first; node && node.state.startTime <= startTime; node = node.next) earlier = node;
    return earlier;
  };

  let last: Node<S> | null = null;
  for (const state of present) {
    insert(state, last);
    last = nodes.get(state.id) ?? null;
  }

  return {
    /** Takes back the last correction that was not taken back yet. */
    takeBack: ({ before, after }: Correction<S>): void => {
      const earlier = new Set(before.map(({ id }) => id));
      const later = new Map(after.map((state) => [state.id, state]));
      for (const id of later.keys()) {
        const node = nodes.get(id);
        if (node && !earlier.has(id)) remove(node);
      }
      for (const state of before) {
        const node = nodes.get(state.id);
        if (!node) insert(state, placeOf(state));
        else {
          const isSpeakerKept = later.get(state.id)?.speakerId === state.speakerId;
          node.state = isSpeakerKept ? { ...state, speakerId: node.state.speakerId } : state;
        }
      }
    },
    /** The segments in their order. */
    states: (): S[] => {
      const states: S[] = [];
      for (let node = first; node; node = node.next)
        states.push({
          ...node.state,
          previousId: node.previous?.state.id ?? null,
          nextId: node.next?.state.id ?? null,
        });
      return states;
    },
  };
}

import { TextSelection, type Command, type EditorState, type Transaction } from 'prosemirror-state';
import { attrsOf, noWords, schema, segmentOf, startsOf, type PassageAttrs } from './schema.ts';

function newPassage(attrs: PassageAttrs): PassageAttrs {
  return { ...attrs, uuid: crypto.randomUUID(), base: null, times: null, accepted: noWords };
}

/** Splits a passage in two; the spaces around the place are removed. @returns the start of the second one */
function splitAt(tr: Transaction, at: number): number {
  const $at = tr.doc.resolve(at);
  const { parent, parentOffset } = $at;
  const text = parent.textBetween(0, parent.content.size, undefined, '\ufffc');
  const before = text.slice(0, parentOffset);
  const spaces = before.length - before.trimEnd().length;
  const after = text.slice(parentOffset);
  const from = at - spaces;
  tr.delete(from, at + after.length - after.trimStart().length);
  tr.split(from, 1, [{ type: schema.nodes.passage, attrs: newPassage(attrsOf(parent)) }]);
  return from + 2;
}

/** Enter: the caret goes to the start of the second passage. */
export const splitPassage: Command = (state, dispatch) => {
  if (!dispatch) return true;
  const tr = state.tr.deleteSelection();
  const { $head } = tr.selection;
  if ($head.depth === 0) return true;
  if ($head.parentOffset === 0 && $head.parent.content.size > 0) {
    // The passage keeps its place in the recording; the new one is before it.
    tr.insert($head.before(), schema.nodes.passage.create(newPassage(attrsOf($head.parent))));
  } else {
    const start = splitAt(tr, $head.pos);
    tr.setSelection(TextSelection.create(tr.doc, start));
  }
  dispatch(tr.scrollIntoView());
  return true;
};

/** Backspace at the start of a passage. */
export const joinBefore: Command = (state, dispatch) => {
  const { $cursor } = state.selection as TextSelection;
  if (!$cursor || $cursor.depth === 0 || $cursor.parentOffset > 0 || $cursor.index(0) === 0) return false;
  dispatch?.(joinAt(state, $cursor.before()));
  return true;
};

/** Delete at the end of a passage. */
export const joinAfter: Command = (state, dispatch) => {
  const { $cursor } = state.selection as TextSelection;
  if (!$cursor || $cursor.depth === 0 || $cursor.parentOffset < $cursor.parent.content.size) return false;
  if ($cursor.index(0) >= state.doc.childCount - 1) return false;
  dispatch?.(joinAt(state, $cursor.after()));
  return true;
};

/** The speaker of the first passage with text says both. The caret stays between the two texts. */
function joinAt(state: EditorState, boundary: number): Transaction {
  const { tr } = state;
  const $boundary = state.doc.resolve(boundary);
  const [before, after] = [$boundary.nodeBefore, $boundary.nodeAfter];
  if (!before || !after) return tr;
  if (before.content.size === 0) return tr.delete(boundary - before.nodeSize, boundary).scrollIntoView();
  if (after.content.size > 0) tr.insertText(' ', boundary - 1);
  const at = tr.mapping.map(boundary);
  const accepted = [...attrsOf(before).accepted, ...attrsOf(after).accepted];
  if (accepted.length > 0) tr.setNodeAttribute(boundary - before.nodeSize, 'accepted', accepted);
  tr.join(at);
  const caret = after.content.size > 0 ? at - 1 : boundary - 1;
  return tr.setSelection(TextSelection.create(tr.doc, caret)).scrollIntoView();
}

/**
 * Left at the start of a passage and right at its end: browsers skip a letter of the next one, because of the time
 * between them.
 */
export function moveAcross(by: 1 | -1, isExtended: boolean): Command {
  return ({ tr, doc, selection }, dispatch) => {
    const { $head, $anchor, empty } = selection;
    if ($head.depth === 0 || (!empty && !isExtended)) return false;
    if ($head.parentOffset !== (by === 1 ? $head.parent.content.size : 0)) return false;
    let index = $head.index(0) + by;
    while (index >= 0 && index < doc.childCount && segmentOf(doc.child(index)).withheld) index += by;
    const passage = doc.maybeChild(index);
    if (!passage) return false;
    const start = (startsOf(doc)[index] ?? 0) + 1;
    const head = by === 1 ? start : start + passage.content.size;
    dispatch?.(tr.setSelection(TextSelection.create(doc, isExtended ? $anchor.pos : head, head)).scrollIntoView());
    return true;
  };
}

/** Gives the selected words another speaker: the passage of the caret, or exactly the selection. */
export function assignSpeaker(state: EditorState, speaker: string | null): Transaction {
  const { tr, selection } = state;
  let { from, to } = selection;
  if (!selection.empty) {
    const $to = tr.doc.resolve(to);
    if ($to.depth > 0 && $to.parentOffset > 0 && $to.parentOffset < $to.parent.content.size) splitAt(tr, to);
    const $from = tr.doc.resolve(from);
    if ($from.depth > 0 && $from.parentOffset > 0 && $from.parentOffset < $from.parent.content.size)
      from = splitAt(tr, from);
    to = Math.max(from, tr.mapping.map(to, -1));
  }
  tr.doc.nodesBetween(from, Math.max(to, from + (selection.empty ? 0 : 1)), (node, at) => {
    const isTouched = selection.empty || (at + 1 < to && at + node.nodeSize - 1 >= from);
    if (node.type === schema.nodes.passage && isTouched) tr.setNodeAttribute(at, 'speaker', speaker);
    return false;
  });
  return tr;
}

/** Deletes the passages that the selection touches. */
export const deletePassages: Command = (state, dispatch) => {
  const { $from, $to } = state.selection;
  if ($from.depth === 0 || $to.depth === 0) return false;
  const tr = state.tr.delete($from.before(1), $to.after(1));
  const near = Math.min($from.before(1), tr.doc.content.size);
  if (tr.doc.childCount > 0) tr.setSelection(TextSelection.near(tr.doc.resolve(near)));
  dispatch?.(tr.scrollIntoView());
  return true;
};

/** Moves the start or the end of the caret's passage. @returns nothing where a neighbour forbids it */
export function nudge(state: EditorState, edge: 'start' | 'end', by: number): { tr: Transaction; at: number } | null {
  const { $head } = state.selection;
  const index = $head.index(0);
  const { doc } = state;
  if ($head.depth === 0) return null;
  const { start_time: start, end_time: end } = segmentOf(doc.child(index));
  const times = { start, end };
  times[edge] = Math.max(0, Math.round((times[edge] + by) * 1000) / 1000);
  const earliest = index > 0 ? segmentOf(doc.child(index - 1)).start_time : 0;
  const latest = index + 1 < doc.childCount ? segmentOf(doc.child(index + 1)).start_time : Infinity;
  if (times.start < earliest || times.start > latest || times.end < times.start) return null;
  if (attrsOf(doc.child(index)).base === null) return null;
  return { tr: state.tr.setNodeAttribute($head.before(1), 'times', times), at: times[edge] };
}

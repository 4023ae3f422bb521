import { TextSelection, type Command, type EditorState, type Transaction } from 'prosemirror-state';
import type { Conflict } from './merge.ts';
import {
  attrsOf,
  contentOf,
  groupWithNext,
  indexAt,
  isInPassage,
  maskedOf,
  noWords,
  passagesOf,
  replacePassages,
  schema,
  segmentOf,
  startsOf,
  visitPassages,
  type PassageAttrs,
} from './schema.ts';

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
  if (!isInPassage($head)) return true;
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
  if (!$cursor || !isInPassage($cursor) || $cursor.parentOffset > 0 || indexAt($cursor) === 0) return false;
  dispatch?.(joinPassages(state, indexAt($cursor) - 1));
  return true;
};

/** Delete at the end of a passage. */
export const joinAfter: Command = (state, dispatch) => {
  const { $cursor } = state.selection as TextSelection;
  if (!$cursor || !isInPassage($cursor) || $cursor.parentOffset < $cursor.parent.content.size) return false;
  if (indexAt($cursor) >= passagesOf(state.doc).length - 1) return false;
  dispatch?.(joinPassages(state, indexAt($cursor)));
  return true;
};

/** A passage with the next one. The speaker of the first with text says both. The caret stays between the two texts. */
function joinPassages({ tr, doc }: EditorState, index: number): Transaction {
  const [before, after] = [passagesOf(doc)[index], passagesOf(doc)[index + 1]];
  if (!before || !after) return tr;
  if (before.content.size === 0) {
    replacePassages(tr, index, index + 1, []);
    return tr.scrollIntoView();
  }
  groupWithNext(tr, index);
  const at = startsOf(tr.doc)[index] ?? 0;
  const end = at + 1 + before.content.size;
  const caret = after.content.size > 0 ? end + 1 : end;
  if (after.content.size > 0) tr.insertText(' ', end);
  const accepted = [...attrsOf(before).accepted, ...attrsOf(after).accepted];
  if (accepted.length > 0) tr.setNodeAttribute(at, 'accepted', accepted);
  // One step: an undo after changes of others must bring back both passages or none.
  tr.join(caret + 1);
  return tr.setSelection(TextSelection.create(tr.doc, caret)).scrollIntoView();
}

/**
 * Left at the start of a passage and right at its end: browsers skip a letter of the next one, because of the time
 * between them.
 */
export function moveAcross(by: 1 | -1, isExtended: boolean): Command {
  return ({ tr, doc, selection }, dispatch) => {
    const { $head, $anchor, empty } = selection;
    if (!isInPassage($head) || (!empty && !isExtended)) return false;
    if ($head.parentOffset !== (by === 1 ? $head.parent.content.size : 0)) return false;
    const passages = passagesOf(doc);
    let index = indexAt($head) + by;
    let passage = passages[index];
    while (passage && segmentOf(passage).withheld) passage = passages[(index += by)];
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
    if (isInPassage($to) && $to.parentOffset > 0 && $to.parentOffset < $to.parent.content.size) splitAt(tr, to);
    const $from = tr.doc.resolve(from);
    if (isInPassage($from) && $from.parentOffset > 0 && $from.parentOffset < $from.parent.content.size)
      from = splitAt(tr, from);
    to = Math.max(from, tr.mapping.map(to, -1));
  }
  visitPassages(tr.doc, from, Math.max(to, from + (selection.empty ? 0 : 1)), (passage, at) => {
    const isTouched = selection.empty || (at + 1 < to && at + passage.nodeSize - 1 >= from);
    if (isTouched) tr.setNodeAttribute(at, 'speaker', speaker);
  });
  return tr;
}

/** Deletes the passages that the selection touches. */
export const deletePassages: Command = (state, dispatch) => {
  const { $from, $to } = state.selection;
  if (!isInPassage($from) || !isInPassage($to)) return false;
  const { tr } = state;
  const first = indexAt($from);
  replacePassages(tr, first, indexAt($to) + 1, []);
  const near = startsOf(tr.doc)[first] ?? tr.doc.content.size;
  if (tr.doc.childCount > 0) tr.setSelection(TextSelection.near(tr.doc.resolve(near)));
  dispatch?.(tr.scrollIntoView());
  return true;
};

/** Makes a correction again that could not be saved, on the current passage. */
export function keepOwn(tr: Transaction, index: number, { text, speaker, times, isRemoval }: Conflict): Transaction {
  const node = passagesOf(tr.doc)[index];
  if (!node) return tr;
  if (isRemoval) {
    replacePassages(tr, index, index + 1, []);
    return tr;
  }
  const at = startsOf(tr.doc)[index] ?? 0;
  if (speaker !== undefined) tr.setNodeAttribute(at, 'speaker', speaker);
  if (times) tr.setNodeAttribute(at, 'times', times);
  const { base } = attrsOf(node);
  if (text !== '') tr.replaceWith(at + 1, at + 1 + node.content.size, contentOf(text, base ? maskedOf(base) : []));
  return tr;
}

/** Moves the start or the end of the caret's passage. @returns nothing where the passage before or after it forbids that */
export function nudge(state: EditorState, edge: 'start' | 'end', by: number): { tr: Transaction; at: number } | null {
  const { $head } = state.selection;
  const passages = passagesOf(state.doc);
  const index = indexAt($head);
  const passage = passages[index];
  if (!passage || !isInPassage($head)) return null;
  const { start_time: start, end_time: end } = segmentOf(passage);
  const times = { start, end };
  times[edge] = Math.max(0, Math.round((times[edge] + by) * 1000) / 1000);
  const [previous, next] = [passages[index - 1], passages[index + 1]];
  const earliest = previous ? segmentOf(previous).start_time : 0;
  const latest = next ? segmentOf(next).start_time : Infinity;
  if (times.start < earliest || times.start > latest || times.end < times.start) return null;
  if (attrsOf(passage).base === null) return null;
  return { tr: state.tr.setNodeAttribute($head.before(), 'times', times), at: times[edge] };
}

import { baseKeymap, chainCommands, deleteSelection } from 'prosemirror-commands';
import { history, isHistoryTransaction, redo, undo } from 'prosemirror-history';
import { keymap } from 'prosemirror-keymap';
import type { Node } from 'prosemirror-model';
import { Plugin, Selection, TextSelection, type Command, type EditorState, type Transaction } from 'prosemirror-state';
import { readCaret } from './caret.ts';
import { deletePassages, joinAfter, joinBefore, moveAcross, splitPassage } from './commands.ts';
import { marksPlugin } from './marks.ts';
import {
  attrsOf,
  changedBetween,
  indexesOf,
  noWords,
  passagesOf,
  replacePassages,
  schema,
  startsOf,
} from './schema.ts';

/** Commands of the page that a key runs while the text has the focus. */
export type EditorKeys = {
  readonly toggle: () => void;
  readonly leave: () => void;
  readonly undo: () => void;
  readonly redo: () => void;
  readonly chooseSpeaker: () => void;
  readonly speakerAt: (index: number) => void;
  readonly nudge: (edge: 'start' | 'end', by: number) => void;
  /** Goes to the next or the previous word that may be wrong. */
  readonly uncertain: (by: 1 | -1) => void;
  readonly accept: () => void;
  /** Puts the caret to the word that is playing. */
  readonly goToSound: () => void;
  readonly playFromCaret: () => void;
  readonly comment: () => void;
  readonly highlight: () => void;
  readonly code: () => void;
  readonly isEditable: () => boolean;
};

/**
 * Every passage has an id of its own, and shows its speaker where the one before it has another. An undone deletion brings
 * nothing back that is there: what others have changed was not deleted.
 */
function keepPassages(
  before: EditorState,
  state: EditorState,
  { isUndo, isTyped }: { isUndo: boolean; isTyped: boolean },
): Transaction | null {
  const changed = changedBetween(before.doc, state.doc);
  const isText = changed.after.every((node, i) => isTextOf(changed.before[i], node));
  if (isText && changed.before.length === changed.after.length) return null;
  if (isUndo) {
    const twice = placesTwice(before.doc, state.doc);
    if (twice.length > 0) {
      const { tr } = state;
      for (const index of twice.toReversed()) replacePassages(tr, index, index + 1, []);
      return tr;
    }
  }
  const texts = new Map(changed.before.map((node) => [attrsOf(node).uuid, node.textContent]));
  const seen = new Set<string>();
  let previous: string | null | undefined;
  let tr: Transaction | null = null;
  passagesOf(state.doc).forEach((node, index) => {
    const { uuid, speaker, turn, times } = attrsOf(node);
    const offset = startsOf(state.doc)[index] ?? 0;
    if (uuid === '' || seen.has(uuid)) {
      tr ??= state.tr;
      tr.setNodeAttribute(offset, 'uuid', crypto.randomUUID()).setNodeAttribute(offset, 'base', null);
      tr.setNodeAttribute(offset, 'times', null).setNodeAttribute(offset, 'accepted', noWords);
      // Pasted text belongs to the speaker before it.
      if (uuid === '') tr.setNodeAttribute(offset, 'speaker', previous ?? null);
    }
    // Times that were set are not those of a passage that was joined or split: it has those of its words.
    if (isTyped && times !== null && (texts.get(uuid) ?? node.textContent) !== node.textContent)
      (tr ??= state.tr).setNodeAttribute(offset, 'times', null);
    seen.add(uuid);
    const said = uuid === '' ? (previous ?? null) : speaker;
    if (turn !== (said !== previous)) (tr ??= state.tr).setNodeAttribute(offset, 'turn', said !== previous);
    previous = said;
  });
  return tr;
}

/** The indexes of passages that stand a second time, and have been in the document all the time. */
function placesTwice(before: Node, doc: Node): number[] {
  const passages = passagesOf(doc);
  const counts = new Map<string, number>();
  for (const node of passages) counts.set(attrsOf(node).uuid, (counts.get(attrsOf(node).uuid) ?? 0) + 1);
  const twice: number[] = [];
  passages.forEach((node, at) => {
    const { uuid } = attrsOf(node);
    const index = uuid !== '' && (counts.get(uuid) ?? 0) > 1 ? indexesOf(before).get(uuid) : undefined;
    if (index === undefined || passagesOf(before)[index] === node) return;
    twice.push(at);
    counts.set(uuid, (counts.get(uuid) ?? 0) - 1);
  });
  return twice;
}

function isTextOf(before: Node | undefined, after: Node): boolean {
  if (!before) return false;
  const [old, now] = [attrsOf(before), attrsOf(after)];
  return old.uuid === now.uuid && old.speaker === now.speaker && old.turn === now.turn;
}

/** What a person must not remove by typing: withheld passages, and the masked parts of a passage that stays. */
function keepsHiddenText(tr: Transaction, { doc }: EditorState): boolean {
  if (!tr.docChanged || tr.getMeta('addToHistory') === false) return true;
  return changedBetween(doc, tr.doc).before.every((passage) => {
    if (!hasHiddenText(passage)) return true;
    const { uuid, base } = attrsOf(passage);
    const index = indexesOf(tr.doc).get(uuid);
    if (base?.withheld) return index !== undefined && passagesOf(tr.doc)[index]?.content.eq(passage.content) === true;
    return index === undefined || maskedIn(passage).every((masked) => isMaskedIn(tr.doc, masked));
  });
}

function hasHiddenText(passage: Node): boolean {
  return attrsOf(passage).base?.withheld === true || passage.children.some(({ type }) => type === schema.nodes.masked);
}

function maskedIn(passage: Node): string[] {
  return passage.children.flatMap(({ type, attrs }) => (type === schema.nodes.masked ? [String(attrs['uuid'])] : []));
}

function isMaskedIn(doc: Node, uuid: string): boolean {
  return passagesOf(doc).some((passage) => maskedIn(passage).includes(uuid));
}

/** The text at the ends of the document is usually not in the DOM, so that the browser cannot go there. */
function moveTo(end: 'start' | 'end', isExtended: boolean): Command {
  return ({ tr, doc, selection }, dispatch) => {
    const { $head } = end === 'start' ? Selection.atStart(doc) : Selection.atEnd(doc);
    const $anchor = isExtended ? selection.$anchor : $head;
    dispatch?.(tr.setSelection(TextSelection.between($anchor, $head)).scrollIntoView());
    return true;
  };
}

export function pluginsOf(keys: EditorKeys): Plugin[] {
  const whenEditable =
    (command: Command): Command =>
    (state, dispatch, view) =>
      keys.isEditable() && command(state, dispatch, view);
  const run =
    (work: () => void): Command =>
    () => {
      work();
      return true;
    };
  const nudges = (edge: 'start' | 'end', by: number) => whenEditable(run(() => keys.nudge(edge, by)));
  const speakers = Object.fromEntries(
    Array.from({ length: 9 }, (_, i) => [`Alt-${i + 1}`, whenEditable(run(() => keys.speakerAt(i)))]),
  );
  return [
    new Plugin({
      props: {
        handleKeyDown: (view) => {
          readCaret(view);
          return false;
        },
      },
    }),
    keymap({
      'Mod-Home': moveTo('start', false),
      'Mod-End': moveTo('end', false),
      'Shift-Mod-Home': moveTo('start', true),
      'Shift-Mod-End': moveTo('end', true),
      ArrowLeft: moveAcross(-1, false),
      ArrowRight: moveAcross(1, false),
      'Shift-ArrowLeft': moveAcross(-1, true),
      'Shift-ArrowRight': moveAcross(1, true),
      Tab: whenEditable(run(keys.toggle)),
      Escape: run(keys.leave),
      'Mod-z': whenEditable(run(keys.undo)),
      'Mod-y': whenEditable(run(keys.redo)),
      'Mod-Shift-z': whenEditable(run(keys.redo)),
      Enter: whenEditable(splitPassage),
      'Shift-Enter': whenEditable(splitPassage),
      Backspace: chainCommands(deleteSelection, joinBefore),
      Delete: chainCommands(deleteSelection, joinAfter),
      'Mod-Shift-Backspace': whenEditable(deletePassages),
      'Alt-u': run(() => keys.uncertain(1)),
      'Alt-Shift-u': run(() => keys.uncertain(-1)),
      'Alt-a': whenEditable(run(keys.accept)),
      'Alt-e': whenEditable(run(keys.goToSound)),
      'Alt-p': run(keys.playFromCaret),
      'Alt-c': run(keys.comment),
      'Alt-h': run(keys.highlight),
      'Alt-g': run(keys.code),
      'Alt-s': whenEditable(run(keys.chooseSpeaker)),
      'Alt-ArrowUp': nudges('start', -0.1),
      'Alt-ArrowDown': nudges('start', 0.1),
      'Alt-Shift-ArrowUp': nudges('end', -0.1),
      'Alt-Shift-ArrowDown': nudges('end', 0.1),
      'Alt-PageUp': nudges('start', -1),
      'Alt-PageDown': nudges('start', 1),
      'Alt-Shift-PageUp': nudges('end', -1),
      'Alt-Shift-PageDown': nudges('end', 1),
      ...speakers,
    }),
    keymap({ 'Mod-a': baseKeymap['Mod-a'] as Command }),
    history({ newGroupDelay: 500 }),
    marksPlugin(),
    new Plugin({
      filterTransaction: keepsHiddenText,
      appendTransaction: (transactions, before, state) =>
        transactions.some(({ docChanged }) => docChanged)
          ? keepPassages(before, state, {
              isUndo: transactions.some(isHistoryTransaction),
              isTyped: !transactions.some((tr) => isHistoryTransaction(tr) || tr.getMeta('addToHistory') === false),
            })
          : null,
    }),
  ];
}

/** Undoes and redoes what was typed since the last save; older changes are the server's. */
export const local = { undo, redo };

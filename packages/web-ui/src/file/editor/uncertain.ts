import { TextSelection, type EditorState, type Transaction } from 'prosemirror-state';
import { doubtOf } from '../transcript.ts';
import { wordsOf } from './marks.ts';
import { attrsOf, indexAt, passagesOf, startsOf, visitPassages } from './schema.ts';

type FoundWord = { readonly index: number; readonly from: number; readonly to: number; readonly start: number };

/** The next or the previous word that may be wrong, seen from the caret; null when there is none. */
export function findUncertain({ doc, selection }: EditorState, by: 1 | -1): FoundWord | null {
  const passages = passagesOf(doc);
  for (let index = indexAt(selection.$head); ; index += by) {
    const passage = passages[index];
    if (!passage) return null;
    const at = (startsOf(doc)[index] ?? 0) + 1;
    const words = wordsOf(passage).filter(({ token }) => doubtOf(token.confidence) !== null);
    const ahead = words.filter(({ from, to }) => (by === 1 ? at + from >= selection.to : at + to <= selection.from));
    const found = ahead.at(by === 1 ? 0 : -1);
    if (found) return { index, from: at + found.from, to: at + found.to, start: found.token.start };
  }
}

export function selectWord(state: EditorState, { from, to }: FoundWord): Transaction {
  return state.tr.setSelection(TextSelection.create(state.doc, from, to));
}

/** Says that the selected words, or the one at the caret, are right. @returns null when none of them is uncertain */
export function acceptWords(state: EditorState): Transaction | null {
  const { tr, doc, selection } = state;
  let isChanged = false;
  visitPassages(doc, selection.from, selection.to, (node, at) => {
    const checked = wordsOf(node)
      .filter(({ from, to }) => at + 1 + from <= selection.to && at + 1 + to >= selection.from)
      .filter(({ token }) => doubtOf(token.confidence) !== null);
    if (checked.length > 0) {
      isChanged = true;
      const accepted = [...attrsOf(node).accepted, ...checked.map(({ token }) => token.start)];
      tr.setNodeAttribute(at, 'accepted', accepted);
    }
  });
  return isChanged ? tr : null;
}

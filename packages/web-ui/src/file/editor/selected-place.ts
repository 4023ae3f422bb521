import type { EditorState } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';
import type { Place } from '../comments/notes.ts';
import type { Token } from '../transcript.ts';
import { wordsOf } from './marks.ts';
import { attrsOf, isInPassage, segmentOf, visitPassages } from './schema.ts';

/** The word at the caret, or the last one before it; null in a passage without words. */
export function wordAtCaret({ selection: { $from } }: EditorState): Token | null {
  if (!isInPassage($from)) return null;
  const words = wordsOf($from.parent);
  return (words.findLast(({ from }) => from <= $from.parentOffset) ?? words[0])?.token ?? null;
}

/** The times of the selected words; null while no word is selected that the server has stored. */
export function selectedPlace(view: EditorView): Place | null {
  const range = selectedRange(view);
  if (!range) return null;
  let [start, end] = [Infinity, -Infinity];
  const texts: string[] = [];
  const speakers = new Set<string>();
  visitPassages(view.state.doc, range.from, range.to, (node, at) => {
    if (attrsOf(node).base === null || segmentOf(node).withheld) return;
    for (const { from, to, token } of wordsOf(node)) {
      if (at + 1 + from >= range.to || at + 1 + to <= range.from) continue;
      start = Math.min(start, token.start);
      end = Math.max(end, token.end);
      texts.push(token.text);
      const { speaker } = attrsOf(node);
      if (speaker !== null) speakers.add(speaker);
    }
  });
  return texts.length === 0 ? null : { start, end, quote: texts.join(' '), speakers: [...speakers] };
}

/** What the browser shows as selected: a text that cannot be edited has no selection of the editor. */
function selectedRange(view: EditorView): { from: number; to: number } | null {
  const shown = document.getSelection();
  const isHere = shown?.anchorNode && shown.focusNode && view.dom.contains(shown.anchorNode);
  if (isHere && shown.focusNode && view.dom.contains(shown.focusNode)) {
    if (shown.isCollapsed || !shown.anchorNode) return null;
    const ends = [
      view.posAtDOM(shown.anchorNode, shown.anchorOffset),
      view.posAtDOM(shown.focusNode, shown.focusOffset),
    ];
    return { from: Math.min(...ends), to: Math.max(...ends) };
  }
  const { from, to, empty } = view.state.selection;
  return empty || !view.editable ? null : { from, to };
}

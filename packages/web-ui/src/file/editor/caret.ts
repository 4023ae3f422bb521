import { TextSelection } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';

/**
 * Reads the caret that the browser shows. It reports a moved caret later, often after the next key: a command or a
 * redraw would otherwise set it back. @returns false while an input method composes text, when nothing may be redrawn
 */
export function readCaret(view: EditorView): boolean {
  if (view.composing) return false;
  if (!view.hasFocus()) return true;
  const shown = document.getSelection();
  if (!shown?.anchorNode || !shown.focusNode) return true;
  if (!view.dom.contains(shown.anchorNode) || !view.dom.contains(shown.focusNode)) return true;
  const anchor = view.posAtDOM(shown.anchorNode, shown.anchorOffset);
  const head = view.posAtDOM(shown.focusNode, shown.focusOffset);
  const { doc, selection, tr } = view.state;
  if (anchor === selection.anchor && head === selection.head) return true;
  const read = TextSelection.between(doc.resolve(anchor), doc.resolve(head));
  if (!read.eq(selection)) view.dispatch(tr.setSelection(read));
  return true;
}

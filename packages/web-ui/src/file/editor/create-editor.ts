import { t } from '@lingui/core/macro';
import { EditorState, TextSelection } from 'prosemirror-state';
import { EditorView } from 'prosemirror-view';
import { codeOf } from '../../api/problem.ts';
import type { Segment } from '../../api/queries.ts';
import { notify, notifyError } from '../../ui/notify.ts';
import type { SpeakerLook } from '../file-context.ts';
import type { Player } from '../player.ts';
import { isTurnStart, positionAt } from '../transcript.ts';
import { createAutosave, type Autosave, type AutosaveDeps } from './autosave.ts';
import { assignSpeaker, nudge } from './commands.ts';
import css from './editor.module.css';
import {
  createGroupView,
  createMaskedView,
  createPassageView,
  type PassageContext,
  type PassageView,
} from './passage-view.ts';
import { pluginsOf, type EditorKeys } from './plugins.ts';
import { attrsOf, docOf, indexesOf, isInPassage, passageOf, passagesOf, schema, startsOf } from './schema.ts';
import { wordAtCaret } from './selected-place.ts';
import { acceptWords, findUncertain, selectWord } from './uncertain.ts';
import { createUndo, type Undo } from './undo.ts';
import { focusAt, keepSpace, scrollToPassage, showSelection, type Followed, type Heights } from './viewport.ts';

export type Editor = {
  /** Selects the next or the previous word that may be wrong. */
  readonly uncertain: (by: 1 | -1) => void;
  /** Says that the selected words are right, and goes to the next ones that may be wrong. */
  readonly accept: () => void;
  readonly view: EditorView;
  readonly autosave: Autosave;
  readonly undo: Undo;
  readonly refresh: () => void;
  /** Sends what is not saved yet. Nothing may use the editor after it. */
  readonly close: () => void;
};

/** What changes while the editor is open. */
type Latest = Followed & {
  editable: boolean;
  /** Of the speech, by which the browser checks the spelling: it is found while the first passages are shown already. */
  language: string | null;
  speakers: ReadonlyMap<string, SpeakerLook>;
  /** A word was clicked. */
  onWord: (seconds: number) => void;
  onPassage: (uuid: string | null) => void;
  onNote: (id: string | null) => void;
  onComment: () => void;
  onHighlight: () => void;
  onCode: () => void;
};
type Setup = {
  readonly host: HTMLElement;
  readonly segments: readonly Segment[];
  readonly deps: AutosaveDeps;
  readonly latest: Latest;
  readonly heights: Heights;
  readonly context: Omit<PassageContext, 'onSpeaker'>;
  readonly player: Player;
  readonly onChoose: () => void;
  readonly onLeave: () => void;
};

/** The document, its keys, and how it is saved and undone. */
export function createEditor(setup: Setup): Editor {
  const { host, segments, deps, latest, heights, context, player, onChoose, onLeave } = setup;
  const passages = new Set<PassageView>();
  const assign = (speaker: string | null): void => view.dispatch(assignSpeaker(view.state, speaker));
  const uncertain = (by: 1 | -1): void => {
    const word = findUncertain(view.state, by);
    if (!word) return notify(by === 1 ? t`No uncertain word after this one.` : t`No uncertain word before this one.`);
    view.dispatch(selectWord(view.state, word));
    // The key that plays starts at the word.
    if (!player.state.get().playing) player.seek(word.start);
    scrollToPassage(view, word.index, 'nearest');
    if (latest.editable) view.focus();
    else showSelection(view);
  };
  const accept = (): void => {
    const accepted = acceptWords(view.state);
    if (accepted) view.dispatch(accepted);
    uncertain(1);
  };
  const keys: EditorKeys = {
    toggle: player.toggle,
    leave: onLeave,
    undo: () => void revert({ view, undo }, 'undo'),
    redo: () => void revert({ view, undo }, 'redo'),
    chooseSpeaker: onChoose,
    speakerAt: (index) => {
      const look = [...latest.speakers.values()][index];
      if (look) assign(look.speaker.uuid);
    },
    nudge: (edge, by) => {
      const moved = nudge(view.state, edge, by);
      if (!moved) return;
      view.dispatch(moved.tr);
      // The sound at the new place says whether it is right.
      player.seek(edge === 'start' ? moved.at : Math.max(0, moved.at - 1));
      player.play();
    },
    goToSound: () => {
      const spoken = positionAt(latest.loaded, player.now());
      if (spoken) focusAt(view, spoken.index, spoken.word);
    },
    playFromCaret: () => {
      const word = wordAtCaret(view.state);
      if (word) player.seek(word.start);
      player.play();
    },
    comment: () => latest.onComment(),
    highlight: () => latest.onHighlight(),
    code: () => latest.onCode(),
    uncertain,
    accept,
    isEditable: () => latest.editable,
  };
  const passageContext: PassageContext = {
    ...context,
    onSpeaker: (uuid) => {
      const index = indexesOf(view.state.doc).get(uuid) ?? -1;
      const passage = passagesOf(view.state.doc)[index];
      if (!passage) return;
      const at = startsOf(view.state.doc)[index] ?? 0;
      const { from, to, empty } = view.state.selection;
      const end = at + passage.nodeSize;
      // A selection in this passage is what gets the speaker; otherwise the whole passage does.
      if (empty || to <= at || from >= end)
        view.dispatch(view.state.tr.setSelection(TextSelection.create(view.state.doc, at + 1)));
      onChoose();
    },
  };
  const reportPassage = (isFocused: boolean): void => {
    const { $head } = view.state.selection;
    const isHere = isFocused && latest.editable && isInPassage($head) && attrsOf($head.parent).base !== null;
    latest.onPassage(isHere ? attrsOf($head.parent).uuid : null);
  };
  const view: EditorView = new EditorView(host, {
    state: EditorState.create({
      schema,
      doc: docOf(segments.map((segment, i) => passageOf(segment, isTurnStart(segments, i)))),
      plugins: pluginsOf(keys),
    }),
    editable: () => latest.editable,
    attributes: () => ({
      'aria-label': t`Transcript`,
      ...(latest.language !== null && { lang: latest.language }),
      ...(latest.editable
        ? {
            role: 'textbox',
            'aria-multiline': 'true',
            'aria-description': t`Tab plays and pauses. Escape leaves the text.`,
            spellcheck: 'true',
          }
        : { role: 'group' }),
      class: css['rows'] ?? '',
    }),
    nodeViews: {
      group: (_node, _view, _getPos, _decorations, inner) => createGroupView(inner),
      passage: (node) => {
        const made = createPassageView(node, passageContext);
        passages.add(made);
        return { ...made, destroy: () => void passages.delete(made) };
      },
      masked: (node, editorView) => createMaskedView(node, editorView, passageContext),
    },
    handleClick: (_view, at, event) => {
      if (!(event.target instanceof Element)) return false;
      const time = event.target.closest<HTMLElement>('[data-t]')?.dataset['t'];
      // A click that ends a text selection does not seek.
      if (time === undefined || event.shiftKey || !(getSelection()?.isCollapsed ?? true)) return false;
      // The browser reports the new caret later, and the mark of the spoken word must not take it back.
      view.dispatch(view.state.tr.setSelection(TextSelection.near(view.state.doc.resolve(at))));
      latest.onWord(Number(time));
      const note = event.target.closest<HTMLElement>('[data-note-id]')?.dataset['noteId'];
      latest.onNote(note ?? null);
      return false;
    },
    handleDOMEvents: {
      focus: () => reportPassage(true),
      blur: () => reportPassage(false),
    },
    // Passages have ids: they are not dragged, and pasted text gets new ones.
    handleDrop: () => true,
    // Cells of a table are words of one passage.
    transformPastedHTML: (html) => html.replaceAll(/<\/(td|th)>/gi, ' </$1>'),
    clipboardTextSerializer: ({ content }) => content.textBetween(0, content.size, '\n'),
    dispatchTransaction: (tr) => {
      view.updateState(view.state.apply(tr));
      keepSpace(view, heights);
      reportPassage(view.hasFocus());
      if (!tr.docChanged || tr.getMeta('addToHistory') === false) return;
      latest.typed = true;
      undo.changed();
      autosave.changed();
    },
  });
  keepSpace(view, heights);
  const autosave: Autosave = createAutosave(view, segments, deps);
  const undo = createUndo({ view, autosave });
  return {
    view,
    autosave,
    undo,
    uncertain,
    accept,
    refresh: () => {
      for (const passage of passages) passage.refresh();
    },
    close: () => {
      autosave.close();
      view.destroy();
    },
  };
}

/** Undoes or repeats the last change, and shows where. */
export async function revert({ view, undo }: Pick<Editor, 'view' | 'undo'>, which: 'undo' | 'redo'): Promise<void> {
  try {
    const changed = await undo.revert(which);
    if (changed === null) return notify(t`Nothing to redo.`);
    const index = changed.map((uuid) => indexesOf(view.state.doc).get(uuid)).find((one) => one !== undefined);
    scrollToPassage(view, index, 'nearest');
  } catch (error) {
    if (codeOf(error) === 'nothing_to_undo') notify(which === 'undo' ? t`Nothing to undo.` : t`Nothing to redo.`);
    else notifyError(which === 'undo' ? t`This couldn’t be undone` : t`This couldn’t be redone`, error);
  }
}

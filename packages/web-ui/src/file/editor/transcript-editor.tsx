import { t } from '@lingui/core/macro';
import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { EditorState, TextSelection } from 'prosemirror-state';
import { EditorView } from 'prosemirror-view';
import { useEffect, useMemo, useRef, useState, useSyncExternalStore, type ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { call } from '../../api/client.ts';
import { codeOf } from '../../api/problem.ts';
import type { Segment } from '../../api/queries.ts';
import { observable } from '../../lib/observable.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Icon } from '../../ui/icons.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { copyLinkTo } from '../copy-link.ts';
import { useFile, type SpeakerLook } from '../file-context.ts';
import css from './editor.module.css';
import type { Find } from '../find-bar.tsx';
import { fileRedactionQuery } from '../redaction-queries.ts';
import type { CodeMark, Note, Place } from '../comments/notes.ts';
import { isTurnStart, positionAt, type Match } from '../transcript.ts';
import type { Transcript } from '../use-transcript.ts';
import { createAutosave, type Autosave } from './autosave.ts';
import { assignSpeaker, keepOwn, nudge } from './commands.ts';
import { changeMarks } from './marks.ts';
import type { Conflict } from './merge.ts';
import {
  createGroupView,
  createMaskedView,
  createPassageView,
  type PassageContext,
  type PassageView,
} from './passage-view.ts';
import { pluginsOf, type EditorKeys } from './plugins.ts';
import { attrsOf, docOf, indexesOf, isInPassage, passageOf, passagesOf, schema, startsOf } from './schema.ts';
import { selectedPlace, wordAtCaret } from './selected-place.ts';
import { ConflictNotes, SaveNote } from './save-notes.tsx';
import { SpeakerDialog } from './speaker-dialog.tsx';
import { acceptWords, findUncertain, selectWord } from './uncertain.ts';
import { createUndo, type Undo } from './undo.ts';
import { useAutosaveDeps } from './use-autosave.ts';
import {
  createHeights,
  focusAt,
  keepSpace,
  scrollToPassage,
  selectMatch,
  showSelection,
  useFollowPlayback,
  useVisiblePassages,
  type Followed,
  type Heights,
} from './viewport.ts';

export type EditorCommands = {
  /** Puts the caret to a word. */
  readonly focusAt: (index: number, word: number) => void;
  readonly selectMatch: (match: Match) => void;
  readonly revert: (which: 'undo' | 'redo') => void;
  /** Selects the next or the previous word that may be wrong. */
  readonly uncertain: (by: 1 | -1) => void;
  /** Says that the selected words are right, and goes to the next ones that may be wrong. */
  readonly accept: () => void;
  /** Saves what was typed, without waiting for a pause. */
  readonly save: () => Promise<void>;
  /** When the selected words are said; null: none is selected. */
  readonly place: () => Place | null;
};
type Props = {
  readonly transcript: Transcript;
  readonly find: Find;
  /** A passage to scroll to, once. */
  readonly shown: number | null;
  readonly onShown: () => void;
  /** Highlights and comments. */
  readonly notes: readonly Note[];
  readonly codes: readonly CodeMark[];
  /** Names of others whose caret is in a passage, by its id. */
  readonly people: ReadonlyMap<string, string>;
  /** The caret came to another passage; null: it left the text. */
  readonly onPassage: (uuid: string | null) => void;
  /** The words of a highlight or a comment were pressed; null: others. */
  readonly onNote: (id: string | null) => void;
  readonly onComment: () => void;
  readonly onHighlight: () => void;
  readonly onCode: () => void;
  readonly editable: boolean;
  /** Where the state of saving is shown. */
  readonly bar: HTMLElement | null;
  /** Receives the commands that the keys of the page run. */
  readonly onReady: (commands: EditorCommands | null) => void;
};

type Editor = Pick<EditorCommands, 'uncertain' | 'accept'> & {
  readonly view: EditorView;
  readonly autosave: Autosave;
  readonly undo: Undo;
  readonly refresh: () => void;
};

/** The transcript as one document. What is typed is saved at once, as operations. */
export function TranscriptEditor({
  transcript,
  find,
  shown,
  onShown,
  notes,
  codes,
  people,
  onPassage,
  onNote,
  onComment,
  onHighlight,
  onCode,
  editable,
  bar,
  onReady,
}: Props) {
  const { file, player, speakers } = useFile();
  const host = useRef<HTMLDivElement>(null);
  /** Where the focus goes when the text is left: the key Tab goes on to what follows. */
  const end = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<Editor | null>(null);
  const [choosing, setChoosing] = useState(false);
  const deps = useAutosaveDeps(file.uuid);
  const heights = useMemo(createHeights, []);
  const canReveal = useMemo(() => observable(false), []);
  const { data: redaction } = useQuery(fileRedactionQuery(file.uuid));
  useEffect(() => canReveal.set(redaction?.can_reveal ?? false), [canReveal, redaction]);
  const latest = useRef({
    editable: false,
    speakers,
    loaded: transcript.loaded,
    typed: false,
    onWord: (_seconds: number): void => undefined,
    onPassage,
    onNote,
    onComment,
    onHighlight,
    onCode,
  });
  const [isComplete, setComplete] = useState(false);
  if (!isComplete && transcript.complete && transcript.consistent) setComplete(true);
  const isEditable = editable && isComplete;
  Object.assign(latest.current, {
    editable: isEditable,
    speakers,
    loaded: transcript.loaded,
    onPassage,
    onNote,
    onComment,
    onHighlight,
    onCode,
  });

  useEffect(() => {
    if (!host.current) return undefined;
    const made = createEditor({
      host: host.current,
      segments: latest.current.loaded.map(({ segment }) => segment),
      language: file.language,
      deps,
      latest: latest.current,
      heights,
      context: {
        speakers: () => latest.current.speakers,
        isEditable: () => latest.current.editable,
        onSeek: (seconds) => {
          player.seek(seconds);
          player.play();
        },
        onCopyLink: (seconds) => void copyLinkTo(seconds),
        canReveal,
        reveal: (uuid) => revealPart(file.uuid, uuid),
      },
      player,
      onChoose: () => setChoosing(true),
      onLeave: () => end.current?.focus({ preventScroll: true }),
    });
    setEditor(made);
    return () => {
      made.autosave.close();
      made.view.destroy();
      setEditor(null);
    };
  }, [deps, canReveal, heights, player, file.uuid, file.language]);

  // Pages that arrive, and changes of others.
  const segments = useMemo(() => transcript.loaded.map(({ segment }) => segment), [transcript.loaded]);
  const { consistent } = transcript;
  useEffect(() => {
    if (consistent) void editor?.autosave.receivePassages(segments);
  }, [editor, segments, consistent]);
  useEffect(() => {
    if (!editor) return;
    editor.view.setProps({ editable: () => isEditable });
    editor.refresh();
  }, [editor, isEditable, speakers]);
  useRestore(editor, isEditable);

  const view = editor?.view ?? null;
  const following = useFollowPlayback(view, latest.current, transcript.loaded);
  useVisiblePassages(view, heights);
  const hits = useMemo(() => Map.groupBy(find.matches, ({ index }) => index), [find.matches]);
  const current = find.current;
  useEffect(() => {
    if (!view) return;
    const uuidOf = (index: number): string => transcript.segments[index]?.uuid ?? '';
    const byId = new Map<string, readonly Match[]>([...hits].map(([index, matches]) => [uuidOf(index), matches]));
    const marked = current && { uuid: uuidOf(current.index), match: current };
    view.dispatch(changeMarks(view.state, { hits: byId, current: marked }));
  }, [view, hits, current, transcript.segments]);
  useEffect(() => {
    view?.dispatch(changeMarks(view.state, { notes }));
  }, [view, notes]);
  useEffect(() => {
    view?.dispatch(changeMarks(view.state, { codes }));
  }, [view, codes]);
  useEffect(() => {
    view?.dispatch(changeMarks(view.state, { people }));
  }, [view, people]);
  useEffect(() => {
    if (view && current) scrollToPassage(view, current.index, 'center');
  }, [view, current]);
  useEffect(() => {
    if (shown === null || !view) return;
    const uuid = transcript.segments[shown]?.uuid ?? '';
    scrollToPassage(view, indexesOf(view.state.doc).get(uuid), 'center');
    onShown();
  }, [shown, onShown, view, transcript.segments]);
  useEffect(() => {
    onReady(
      editor && {
        focusAt: (index, word) => focusAt(editor.view, index, word),
        selectMatch: (match) => selectMatch(editor.view, match),
        revert: (which) => void revert(editor, which),
        uncertain: editor.uncertain,
        accept: editor.accept,
        save: editor.autosave.flush,
        place: () => selectedPlace(editor.view),
      },
    );
    return () => onReady(null);
  }, [editor, onReady]);

  const { resume } = following;
  useEffect(() => {
    latest.current.onWord = (seconds) => {
      player.seek(seconds);
      player.play();
      resume();
    };
  }, [player, resume]);
  return (
    <>
      {editor && isEditable && bar && createPortal(<Saving editor={editor} />, bar)}
      {editor && <Conflicts editor={editor} />}
      <div
        ref={host}
        className={css['document']}
        data-testid="transcript"
        data-total={transcript.total}
        data-complete={transcript.complete}
      />
      {transcript.pending && <TranscriptPending />}
      {transcript.error !== null && (
        <ErrorNote
          error={transcript.error}
          title={
            transcript.loaded.length === 0
              ? t`The transcript couldn’t be loaded`
              : t`Part of the transcript couldn’t be loaded`
          }
          onRetry={transcript.retry}
        />
      )}
      <div ref={end} tabIndex={-1} className={css['end']} />
      {following.isPaused && (
        <Button
          className={css['follow'] ?? ''}
          size="xs"
          radius="xl"
          leftSection={<Icon name="follow" size={16} />}
          onClick={following.resume}
        >
          {t`Back to current passage`}
        </Button>
      )}
      {choosing && editor && (
        <SpeakerDialog
          onClose={() => setChoosing(false)}
          onChoose={(speaker) => {
            setChoosing(false);
            editor.view.dispatch(assignSpeaker(editor.view.state, speaker));
            editor.view.focus();
          }}
        />
      )}
    </>
  );
}

function TranscriptPending(): ReactNode {
  return (
    <div role="status" aria-label={t`Loading the transcript`}>
      {[92, 74, 88, 60].map((width) => (
        <Skeleton key={width} h={14} w={`${width}%`} my="sm" />
      ))}
    </div>
  );
}

function Saving({ editor: { autosave } }: { editor: Editor }): ReactNode {
  const { status } = useSyncExternalStore(autosave.state.subscribe, autosave.state.get);
  return <SaveNote status={status} />;
}

function Conflicts({ editor: { view, autosave } }: { editor: Editor }): ReactNode {
  const { conflicts } = useSyncExternalStore(autosave.state.subscribe, autosave.state.get);
  const { speakers } = useFile();
  const indexOf = ({ segmentUuid }: Conflict) => indexesOf(view.state.doc).get(segmentUuid ?? '');
  const keep = (conflict: Conflict): void => {
    const index = indexOf(conflict) ?? -1;
    if (index === -1) return;
    autosave.dropConflict(conflict);
    view.dispatch(keepOwn(view.state.tr, index, conflict));
  };
  return (
    <ConflictNotes
      conflicts={conflicts}
      speakers={speakers}
      canKeep={(conflict) => indexOf(conflict) !== undefined}
      onShow={(conflict) => scrollToPassage(view, indexOf(conflict), 'center')}
      onKeep={keep}
      onDrop={autosave.dropConflict}
    />
  );
}

type Latest = Followed & {
  editable: boolean;
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
  /** Of the speech, by which the browser checks the spelling. */
  readonly language: string | null;
  readonly deps: Parameters<typeof createAutosave>[2];
  readonly latest: Latest;
  readonly heights: Heights;
  readonly context: Omit<PassageContext, 'onSpeaker'>;
  readonly player: ReturnType<typeof useFile>['player'];
  readonly onChoose: () => void;
  readonly onLeave: () => void;
};

function createEditor(setup: Setup): Editor {
  const { host, segments, language, deps, latest, heights, context, player, onChoose, onLeave } = setup;
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
  const tellPassage = (isFocused: boolean): void => {
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
      ...(language !== null && { lang: language }),
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
      focus: () => tellPassage(true),
      blur: () => tellPassage(false),
    },
    // Passages have ids: they are not dragged, and pasted text gets new ones.
    handleDrop: () => true,
    // Cells of a table are words of one passage.
    transformPastedHTML: (html) => html.replaceAll(/<\/(td|th)>/gi, ' </$1>'),
    clipboardTextSerializer: ({ content }) => content.textBetween(0, content.size, '\n'),
    dispatchTransaction: (tr) => {
      view.updateState(view.state.apply(tr));
      keepSpace(view, heights);
      tellPassage(view.hasFocus());
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
  };
}

async function revert({ view, undo }: Pick<Editor, 'view' | 'undo'>, which: 'undo' | 'redo'): Promise<void> {
  try {
    const changed = await undo.revert(which);
    const index = changed.map((uuid) => indexesOf(view.state.doc).get(uuid)).find((one) => one !== undefined);
    scrollToPassage(view, index, 'nearest');
  } catch (error) {
    if (codeOf(error) === 'nothing_to_undo') notify(which === 'undo' ? t`Nothing to undo.` : t`Nothing to redo.`);
    else notifyError(which === 'undo' ? t`This couldn’t be undone` : t`This couldn’t be redone`, error);
  }
}

async function revealPart(fileId: string, redactionId: string): Promise<string | null> {
  try {
    const { text } = await call('POST /api/files/{uuid}/redactions/{redaction_uuid}/reveal', {
      params: { uuid: fileId, redaction_uuid: redactionId },
    });
    return text;
  } catch (error) {
    notifyError(t`The text wasn’t revealed`, error);
    return null;
  }
}

/** Continues with what an earlier visit could not save. */
function useRestore(editor: Editor | null, isEditable: boolean): void {
  const restored = useRef<Autosave>(null);
  useEffect(() => {
    if (!editor || !isEditable) return undefined;
    const { autosave } = editor;
    if (restored.current !== autosave) void autosave.restore();
    restored.current = autosave;
    const save = (): void => void autosave.flush();
    const keep = (): void => autosave.keepDraft();
    addEventListener('online', save);
    addEventListener('pagehide', keep);
    return () => {
      removeEventListener('online', save);
      removeEventListener('pagehide', keep);
    };
  }, [editor, isEditable]);
}

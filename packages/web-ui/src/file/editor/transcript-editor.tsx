import { t } from '@lingui/core/macro';
import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import {
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type ReactNode,
  type RefObject,
} from 'react';
import { createPortal } from 'react-dom';
import { call } from '../../api/client.ts';
import { observable } from '../../lib/observable.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Icon } from '../../ui/icons.tsx';
import { notifyError } from '../../ui/notify.ts';
import { copyLinkTo } from '../copy-link.ts';
import { canEdit, useFile } from '../file-context.ts';
import css from './editor.module.css';
import type { Find } from '../find-bar.tsx';
import { fileRedactionQuery } from '../redaction-queries.ts';
import type { CodeMark, Note, Place } from '../comments/notes.ts';
import type { Match } from '../transcript.ts';
import type { Transcript } from '../use-transcript.ts';
import type { Autosave } from './autosave.ts';
import { assignSpeaker, keepOwn } from './commands.ts';
import { createEditor, revert, type Editor } from './create-editor.ts';
import { changeMarks } from './marks.ts';
import type { Conflict } from './merge.ts';
import { ConflictNotes, SaveNote } from './save-notes.tsx';
import { indexesOf } from './schema.ts';
import { selectedPlace } from './selected-place.ts';
import { SpeakerDialog } from './speaker-dialog.tsx';
import { useAutosaveDeps } from './use-autosave.ts';
import {
  createHeights,
  focusAt,
  scrollToPassage,
  selectMatch,
  useFollowPlayback,
  useVisiblePassages,
} from './viewport.ts';

/** What the keys and the tools of the page do with the text. */
export type EditorCommands = Pick<Editor, 'uncertain' | 'accept'> & {
  /** Puts the caret to a word. */
  readonly focusAt: (index: number, word: number) => void;
  readonly selectMatch: (match: Match) => void;
  readonly revert: (which: 'undo' | 'redo') => void;
  /** Saves what was typed, without waiting for a pause. */
  readonly save: () => Promise<void>;
  /** Forgets what is not saved. */
  readonly discard: () => void;
  /** The times of the selected words; null: none is selected. */
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
  /** Where the focus goes when the text is left: the key Tab then reaches what follows. */
  const end = useRef<HTMLDivElement>(null);
  const [choosing, setChoosing] = useState(false);
  const deps = useAutosaveDeps(file.uuid);
  const heights = useMemo(createHeights, []);
  const canReveal = useMemo(() => observable(false), []);
  const { data: redaction } = useQuery(fileRedactionQuery(file.uuid));
  useEffect(() => canReveal.set(redaction?.can_reveal ?? false), [canReveal, redaction]);
  const latest = useRef({
    editable: false,
    language: file.language,
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
    language: file.language,
    speakers,
    loaded: transcript.loaded,
    onPassage,
    onNote,
    onComment,
    onHighlight,
    onCode,
  });

  const open = useCallback(
    (element: HTMLElement) =>
      createEditor({
        host: element,
        segments: latest.current.loaded.map(({ segment }) => segment),
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
      }),
    [deps, canReveal, heights, player, file.uuid],
  );
  const editor = useEditor(host, open);

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
  }, [editor, isEditable, file.language, speakers]);
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
        discard: editor.autosave.discard,
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
      {editor && canEdit(file) && <Conflicts editor={editor} />}
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

/**
 * The editor that `open` makes. A render with another `open` has none, so that no effect, and nothing that one has scheduled,
 * has an editor that is closed.
 */
function useEditor(host: RefObject<HTMLElement | null>, open: (host: HTMLElement) => Editor): Editor | null {
  const [made, setMade] = useState<{ readonly by: typeof open; readonly editor: Editor } | null>(null);
  useEffect(() => {
    if (!host.current) return undefined;
    const editor = open(host.current);
    setMade({ by: open, editor });
    return editor.close;
  }, [host, open]);
  return made?.by === open ? made.editor : null;
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

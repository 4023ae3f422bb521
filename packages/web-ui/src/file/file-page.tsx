import { t } from '@lingui/core/macro';
import { Button, Group, Skeleton, Text, Title } from '@mantine/core';
import { useDocumentTitle, useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useParams, useRouterState, useSearch } from '@tanstack/react-router';
import {
  lazy,
  Suspense,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { ApiError, problemFrom, urlOf } from '@overtone/client';
import type { ClipKind } from '@overtone/contracts';
import { fileQuery, meQuery, type FileDetail } from '../api/queries.ts';
import { hasRecording, isInProgress, toneOf } from '../library/status.ts';
import type { Visitor } from '../live/presence-store.ts';
import { push, session } from '../state/services.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { notify } from '../ui/notify.ts';
import { VersionsMenu } from '../versions/versions-menu.tsx';
import { downloadClip, type Part } from './clips/download-clip.ts';
import { useCodings } from './codings/use-codings.ts';
import { CommentDialog } from './comments/comment-dialog.tsx';
import { CommentTools } from './comments/comment-tools.tsx';
import { ChosenThread } from './comments/comments-panel.tsx';
import { useComments } from './comments/use-comments.ts';
import { TranscriptEditor, type EditorCommands } from './editor/transcript-editor.tsx';
import { FileProvider, speakerLooksOf, canEdit, useFile } from './file-context.ts';
import { FileHead } from './file-head.tsx';
import css from './file.module.css';
import { FindBar, useFind } from './find-bar.tsx';
import { GoneFile } from './gone-file.tsx';
import { KeptDrafts } from './kept-drafts.tsx';
import { usePlaybackMemory, usePlaybackPreferences } from './playback-memory.ts';
import { PlayerDock } from './player-dock.tsx';
import { createPlayer, type PlayFailure } from './player.ts';
import { nameOfPerson } from './presence/people.ts';
import { usePresence } from './presence/use-presence.ts';
import { ProcessingNote } from './processing-note.tsx';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';
import { SidePanels } from './side-panels.tsx';
import {
  EmptyTranscript,
  ImportNote,
  OverlapLegend,
  QuarantineNote,
  RemovedNote,
  UncertainNote,
} from './transcript-notes.tsx';
import { positionAt } from './transcript.ts';
import { useKeys } from './use-keys.ts';
import { useHasDocument, useTranscript, type Transcript } from './use-transcript.ts';

const GiveCodeDialog = lazy(() =>
  import('../codes/give-code-dialog.tsx').then((result) => ({ default: result.GiveCodeDialog })),
);
const ReplaceBar = lazy(() => import('../replace/replace-bar.tsx').then((result) => ({ default: result.ReplaceBar })));

export function FilePage() {
  const { uuid } = useParams({ from: '/inside/files/$uuid' });
  const connected = useSyncExternalStore(push.state.subscribe, push.state.get) === 'open';
  const query = useQuery({
    ...fileQuery(uuid),
    refetchInterval: ({ state }) => (state.data && isInProgress(state.data) ? (connected ? 15_000 : 3000) : false),
  });
  const isAdmin = (useQuery(meQuery).data?.role ?? 'user') !== 'user';
  useDocumentTitle(query.data ? t`${query.data.title} · Overtone` : 'Overtone');
  // Also after it was open: someone deleted it, or shares it no longer.
  if (query.error instanceof ApiError && (query.error.status === 404 || query.error.status === 400))
    return <GoneFile fileId={uuid} file={query.data} />;
  if (query.data?.quarantine && !isAdmin)
    return (
      <div className={css['page']}>
        <Title order={1} size="h2" mb="md">
          {query.data.title}
        </Title>
        <QuarantineNote file={query.data} mayOpen={false} />
      </div>
    );
  if (query.data) return <OpenFile key={uuid} file={query.data} />;
  return (
    <div className={css['page']}>
      {query.isError ? (
        <ErrorNote
          error={query.error}
          title={t`This recording couldn’t be loaded`}
          onRetry={() => void query.refetch()}
        />
      ) : (
        <div role="status" aria-label={t`Opening`}>
          <Skeleton h={34} w="min(28rem, 80%)" mb="md" />
          <Skeleton h={14} w="40%" />
        </div>
      )}
    </div>
  );
}

function clipKindsOf({ has_video: hasVideo }: FileDetail): readonly ClipKind[] {
  return hasVideo ? ['sound', 'video'] : ['sound'];
}

/** Without selected words, the passage of the caret. */
function partOf({ loaded }: Transcript, passage: string | null): Part | null {
  const found = loaded.find(({ segment }) => segment.uuid === passage)?.segment;
  return found ? { start: found.start_time, end: found.end_time } : null;
}

function OpenFile({ file }: { file: FileDetail }) {
  const search = useSearch({ from: '/inside/files/$uuid' });
  const [player] = useState(() =>
    createPlayer({ renew: session.renew, findFailure: () => findPlayFailure(file.uuid) }),
  );
  const visit = useRouterState({ select: (state) => state.location.state.key ?? '' });
  const speakers = useMemo(() => speakerLooksOf(file.speakers), [file.speakers]);
  const context = useMemo(() => ({ file, player, speakers }), [file, player, speakers]);
  // The router leaves the scroll position to a link with a time. The first passage is at the top already.
  const isLinked = search.t !== undefined;
  useLayoutEffect(() => {
    if (isLinked) scrollTo(0, 0);
  }, [isLinked]);
  useEffect(() => {
    if (search.t === undefined) return;
    player.seek(search.t);
    if (search.play) player.play();
  }, [player, search.t, search.play]);
  // Runs after the effect above: on a reload the stored position takes precedence over the link.
  usePlaybackMemory(player, file.uuid, visit, isLinked);
  usePlaybackPreferences(player);
  return (
    <FileProvider value={context}>
      <Workspace initialFind={search.q ?? ''} startAt={search.t ?? null} />
    </FileProvider>
  );
}

/** Asks for one byte of the recording, to receive the error that the media element does not show; null: there is none. */
async function findPlayFailure(uuid: string): Promise<PlayFailure | null> {
  const response = await fetch(urlOf('GET /api/files/{uuid}/content', { params: { uuid } }), {
    credentials: 'same-origin',
    headers: { range: 'bytes=0-0' },
  });
  if (response.ok) {
    await response.body?.cancel();
    return response.headers.get('x-playback-copy') === 'pending' ? 'converting' : null;
  }
  const { code } = problemFrom(response.status, await response.text(), null);
  if (code === 'audio_masking_pending') return 'masking';
  return code === 'audio_masking_failed' ? 'masking_failed' : 'unplayable';
}

function Workspace({ initialFind, startAt }: { initialFind: string; startAt: number | null }) {
  const context = useFile();
  const { file, player, speakers } = context;
  const transcript = useTranscript(file.uuid, file.total_segments, file.transcript_version);
  const hasDocument = useHasDocument(file, transcript);
  const find = useFind(transcript, initialFind);
  const [shown, setShown] = useState<number | null>(null);
  const [help, setHelp] = useState(false);
  const [replacing, setReplacing] = useState(false);
  const [bar, setBar] = useState<HTMLElement | null>(null);
  const [reading, setReading] = useState(() => matchMedia('(pointer: coarse)').matches);
  const editor = useRef<EditorCommands>(null);
  const findInput = useRef<HTMLInputElement>(null);
  const editable = canEdit(file) && file.quarantine === null && (!isInProgress(file) || file.stage === 'index');
  const isTouched = useMediaQuery('(pointer: coarse)', undefined, { getInitialValueInEffect: false }) ?? false;
  const comments = useComments(context, () => editor.current?.place() ?? null);
  const codes = useCodings(file, () => editor.current?.place() ?? null);
  const [passage, setPassage] = useState<string | null>(null);
  const visitors = usePresence(file.uuid, passage);
  /** Also after the focus has gone to a button. */
  const lastPassage = useRef<string>(null);
  const onPassage = useCallback((uuid: string | null) => {
    setPassage(uuid);
    lastPassage.current = uuid ?? lastPassage.current;
  }, []);
  const people = useMemo(() => namesByPassage(visitors), [visitors]);
  const onShown = useCallback(() => setShown(null), []);
  const onReady = useCallback((ready: EditorCommands | null) => {
    editor.current = ready;
  }, []);
  const failed = toneOf(file) === 'failed';
  // A file that couldn't be decoded, or was not downloaded, has nothing to play.
  const playable = hasRecording(file) && file.quarantine === null && (file.duration !== null || !failed);
  const lanes = useMemo(
    () =>
      transcript.loaded.map(({ segment }) => ({
        start: segment.start_time,
        end: segment.end_time,
        color: (segment.speaker && speakers.get(segment.speaker.uuid)?.color) ?? 'var(--ot-wave)',
      })),
    [transcript.loaded, speakers],
  );
  useLoadStart(transcript.prioritize, startAt, file);
  const jumpTo = (seconds: number): void => {
    player.seek(seconds);
    if (playable) player.play();
    const position = positionAt(transcript.loaded, seconds);
    if (position) setShown(position.index);
    else loadAround(transcript.prioritize, seconds, file);
  };
  useKeys({
    player,
    transcript,
    onEdit: ({ index, word }) => editor.current?.focusAt(index, word),
    onUncertain: (by) => editor.current?.uncertain(by),
    onFind: hasDocument
      ? () => {
          findInput.current?.focus();
          findInput.current?.select();
        }
      : null,
    onReplace: () => editable && !reading && setReplacing(true),
    onComment: comments.start,
    onHighlight: () => comments.highlight(comments.color),
    onCode: codes.start,
    onHelp: () => setHelp(true),
    onHistory: (which) => editable && editor.current?.revert(which),
  });
  return (
    <div className={css['page']}>
      <FileHead visitors={visitors} onHelp={() => setHelp(true)} />
      <div className={css['layout']}>
        <SidePanels transcript={transcript} comments={comments} codes={codes} isPlayable={playable} onJump={jumpTo} />
        <section className={css['main']} aria-label={t`Transcript`}>
          <RemovedNote file={file} />
          <QuarantineNote file={file} mayOpen />
          {file.quarantine === null && <ProcessingNote file={file} />}
          <div className={css['stickyTools']}>
            {hasDocument && (
              <FindBar
                find={find}
                complete={transcript.complete}
                inputRef={findInput}
                onLeave={editable && !reading ? (match) => editor.current?.selectMatch(match) : null}
                onReplace={editable && !reading ? () => setReplacing(!replacing) : null}
                onHistory={editable && !reading ? (which) => editor.current?.revert(which) : null}
              />
            )}
            {hasDocument && (
              <Group gap="xs" className={css['editBar'] ?? ''} justify="space-between" wrap="nowrap">
                <div ref={setBar} />
                <Group gap="xs" wrap="nowrap">
                  <CommentTools
                    color={comments.color}
                    onComment={comments.start}
                    onHighlight={comments.highlight}
                    onCode={codes.start}
                    onCopy={comments.copyQuote}
                    clips={playable ? clipKindsOf(file) : []}
                    onClip={(kind) => {
                      const part = editor.current?.place() ?? partOf(transcript, lastPassage.current);
                      if (part) void downloadClip(file.uuid, part, kind);
                      else notify(t`Select the words first.`);
                    }}
                  />
                  <VersionsMenu file={file} editable={editable} saveFirst={() => editor.current?.save()} />
                  {editable && isTouched && (
                    <Button size="compact-xs" variant="default" onClick={() => setReading(!reading)}>
                      {reading ? t`Edit` : t`Reading view`}
                    </Button>
                  )}
                </Group>
              </Group>
            )}
          </div>
          <Suspense>
            {replacing && (
              <ReplaceBar
                file={file}
                onShow={jumpTo}
                saveFirst={() => editor.current?.save()}
                onClose={() => setReplacing(false)}
              />
            )}
          </Suspense>
          {hasDocument && !canEdit(file) && (
            <KeptDrafts fileId={file.uuid} onDiscard={() => editor.current?.discard()} />
          )}
          {hasDocument && !canEdit(file) && (
            <p className={css['legend']} data-testid="view-only">
              {t`You can view this transcript. Its owner can let you correct it.`}
            </p>
          )}
          <ImportNote file={file} transcript={transcript} />
          <UncertainNote
            transcript={transcript}
            onMove={(by) => editor.current?.uncertain(by)}
            onAccept={editable && !reading ? () => editor.current?.accept() : null}
          />
          <OverlapLegend transcript={transcript} />
          {hasDocument && transcript.total === 0 && transcript.error === null && (
            <Text c="dimmed" py="xl" ta="center" data-testid="emptied">
              {t`All passages were deleted. Undo (Ctrl+Z) or a version brings them back.`}
            </Text>
          )}
          {hasDocument ? (
            <TranscriptEditor
              transcript={transcript}
              find={find}
              shown={shown}
              onShown={onShown}
              notes={comments.notes}
              codes={codes.marks}
              people={people}
              onPassage={onPassage}
              onNote={comments.choose}
              onComment={comments.start}
              onHighlight={() => comments.highlight(comments.color)}
              onCode={codes.start}
              editable={editable && !reading}
              bar={bar}
              onReady={onReady}
            />
          ) : (
            <EmptyTranscript file={file} pending={transcript.pending} />
          )}
        </section>
      </div>
      {playable && <PlayerDock lanes={lanes} />}
      {comments.chosen !== null && (
        <ChosenThread
          key={comments.chosen}
          id={comments.chosen}
          onJump={jumpTo}
          onClose={() => comments.choose(null)}
        />
      )}
      {comments.place && <CommentDialog place={comments.place} onClose={comments.close} />}
      <Suspense>
        {codes.place && <GiveCodeDialog fileId={file.uuid} place={codes.place} onClose={codes.close} />}
      </Suspense>
      {help && <ShortcutsDialog onClose={() => setHelp(false)} />}
    </div>
  );
}

/** Who has the caret in a passage, by its id. */
function namesByPassage(visitors: readonly Visitor[]): ReadonlyMap<string, string> {
  const there = visitors.filter(({ segmentId }) => segmentId !== null);
  const passages = Map.groupBy(there, ({ segmentId }) => segmentId ?? '');
  return new Map([...passages].map(([id, people]) => [id, [...new Set(people.map(nameOfPerson))].join(', ')]));
}

/** Loads the part of the transcript around the start time of a link first. */
function useLoadStart(prioritize: (from: number, to: number) => void, startAt: number | null, file: FileDetail): void {
  return useEffect(() => {
    if (startAt !== null)
      loadAround(prioritize, startAt, { duration: file.duration, total_segments: file.total_segments });
  }, [prioritize, startAt, file.duration, file.total_segments]);
}

function loadAround(
  prioritize: (from: number, to: number) => void,
  seconds: number,
  { duration: length, total_segments: total }: Pick<FileDetail, 'duration' | 'total_segments'>,
): void {
  if (!length || total === 0) return;
  const guess = Math.floor((seconds / length) * total);
  prioritize(Math.max(0, guess - 400), Math.min(total - 1, guess + 400));
}

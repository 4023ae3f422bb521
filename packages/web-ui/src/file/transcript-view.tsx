import { t } from '@lingui/core/macro';
import { Button, Skeleton, Text } from '@mantine/core';
import { defaultRangeExtractor, useWindowVirtualizer, type Range, type Virtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useMemo, useRef, useState, type MouseEvent, type RefObject } from 'react';
import type { Segment } from '../api/queries.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { Icon } from '../ui/icons.tsx';
import { useFile } from './file-context.ts';
import css from './file.module.css';
import type { Find } from './find-bar.tsx';
import type { Player } from './player.ts';
import { SegmentRow, type RowActions } from './segment-row.tsx';
import { isTurnStart, positionAt, type Match } from './transcript.ts';
import { copyLinkTo } from './copy-link.ts';
import type { Editing } from './use-editing.ts';
import { useSegmentEdit, useSegmentRemoval, useSegmentReplacement } from './use-edits.ts';
import type { Transcript } from './use-transcript.ts';

type Props = {
  readonly transcript: Transcript;
  readonly find: Find;
  readonly editing: Editing;
  /** A row to scroll to, once. */
  readonly shown: number | null;
  readonly onShown: () => void;
  readonly editable: boolean;
};
type Rows = Virtualizer<Window, Element>;

const noHits: readonly Match[] = [];
/** Header, find bar and player must not cover a row that was scrolled to. */
const covered = { top: 120, bottom: 140 };

/** The transcript. Only the visible rows are in the DOM. */
export function TranscriptView({ transcript, find, editing, shown, onShown, editable }: Props) {
  const { file, player, speakers } = useFile();
  const list = useRef<HTMLDivElement>(null);
  const rows = useRows(transcript, list, editing);
  const following = useFollowPlayback(transcript, rows, list);
  const actions = useRowActions(editing, transcript.segments);
  const hits = useMemo(() => Map.groupBy(find.matches, ({ index }) => index), [find.matches]);

  useEffect(() => {
    if (find.current) rows.scrollToIndex(find.current.index, { align: 'center' });
  }, [find.current, rows]);

  useEffect(() => {
    if (shown === null) return;
    rows.scrollToIndex(shown, { align: 'center' });
    onShown();
  }, [shown, onShown, rows]);

  const onClick = (event: MouseEvent): void => {
    if (!(event.target instanceof HTMLElement)) return;
    const time = event.target.dataset['t'];
    // A click that ends a text selection does not seek.
    if (time === undefined || !(getSelection()?.isCollapsed ?? true)) return;
    player.seek(Number(time));
    player.play();
    following.resume();
  };
  if (transcript.error !== null && transcript.loaded.length === 0) {
    return (
      <ErrorNote error={transcript.error} title={t`The transcript couldn’t be loaded`} onRetry={transcript.retry} />
    );
  }
  if (transcript.pending) return <TranscriptPending />;
  return (
    <>
      <div
        ref={list}
        className={css['rows']}
        style={{ height: rows.getTotalSize() }}
        onClick={onClick}
        data-testid="transcript"
        data-total={transcript.total}
        data-complete={transcript.complete}
      >
        {rows.getVirtualItems().map(({ index, key, start }) => {
          const segment = transcript.segments[index];
          return (
            <div
              key={key}
              ref={rows.measureElement}
              data-index={index}
              className={css['rowAt']}
              style={{ transform: `translateY(${start - rows.options.scrollMargin}px)` }}
            >
              {segment ? (
                <SegmentRow
                  fileId={file.uuid}
                  segment={segment}
                  index={index}
                  isTurnStart={isTurnStart(transcript.segments, index)}
                  speakers={speakers}
                  hits={hits.get(index) ?? noHits}
                  currentHit={find.current?.index === index ? find.current : null}
                  editing={editable && editing.isOpen(segment.uuid)}
                  editable={editable}
                  actions={actions}
                />
              ) : (
                <RowPending />
              )}
            </div>
          );
        })}
      </div>
      {transcript.error !== null && (
        <ErrorNote
          error={transcript.error}
          title={t`Part of the transcript couldn’t be loaded`}
          onRetry={transcript.retry}
        />
      )}
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
    </>
  );
}

function useRows(transcript: Transcript, list: RefObject<HTMLDivElement | null>, editing: Editing): Rows {
  const editedIndex = transcript.segments.findIndex(
    (segment) => segment !== undefined && segment.uuid === editing.latest,
  );
  const [margin, setMargin] = useState(0);
  const rows = useWindowVirtualizer({
    count: transcript.total,
    estimateSize: (index) => estimateHeight(transcript.segments[index]),
    overscan: 8,
    // The row being edited stays rendered, otherwise its editor would lose the focus.
    rangeExtractor: useCallback(
      (range: Range) => {
        const shown = defaultRangeExtractor(range);
        return editedIndex === -1 || shown.includes(editedIndex)
          ? shown
          : [...shown, editedIndex].sort((x, y) => x - y);
      },
      [editedIndex],
    ),
    scrollMargin: margin,
    scrollPaddingStart: covered.top,
    scrollPaddingEnd: covered.bottom,
  });
  useEffect(() => {
    const measure = (): void => {
      if (list.current) setMargin(Math.round(list.current.getBoundingClientRect().top + scrollY));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [list, transcript.pending]);
  const first = rows.range?.startIndex ?? 0;
  const last = rows.range?.endIndex ?? 0;
  const { prioritize } = transcript;
  useEffect(() => prioritize(first, last), [prioritize, first, last]);
  return rows;
}

function estimateHeight(segment: Segment | undefined): number {
  return 36 + Math.ceil((segment?.text.length ?? 120) / 70) * 28;
}

/**
 * Marks the spoken word directly in the DOM, so that React does not render during playback. Follows the playback until
 * the person scrolls away, and never while an editor is visible.
 */
function useFollowPlayback(transcript: Transcript, rows: Rows, list: RefObject<HTMLDivElement | null>) {
  const { player } = useFile();
  const [isPaused, setPaused] = useState(false);
  const state = useRef({ following: true, index: -1 });
  const { loaded } = transcript;
  const isOutOfView = useCurrentOutOfView(isPaused, player, list);

  useEffect(() => {
    let marked: Element | null = null;
    let row: Element | null = null;
    const clear = (): void => {
      marked?.removeAttribute('data-now');
      row?.removeAttribute('data-current');
    };
    const unsubscribe = player.onTick((now) => {
      const position = positionAt(loaded, now);
      const nextRow = position && list.current?.querySelector(`[data-seg="${position.index}"]`);
      const word = position && nextRow?.querySelector(`[data-w="${position.word}"]`);
      if (position && position.index !== state.current.index) {
        const jumped = Math.abs(position.index - state.current.index) > 1;
        state.current.index = position.index;
        if (state.current.following && player.state.get().follow && (player.state.get().playing || jumped) && now > 0) {
          if (isEditorInView(list.current)) setPaused(true);
          else rows.scrollToIndex(position.index, { align: jumped ? 'center' : 'auto' });
        }
      }
      if (word === marked && nextRow === row) return;
      clear();
      marked = word ?? null;
      row = nextRow ?? null;
      marked?.setAttribute('data-now', '');
      row?.setAttribute('data-current', '');
    });
    return () => {
      unsubscribe();
      clear();
    };
  }, [player, loaded, rows, list]);

  useEffect(() => {
    const stopFollowing = (): void => {
      if (!player.state.get().playing) return;
      state.current.following = false;
      setPaused(true);
    };
    addEventListener('wheel', stopFollowing, { passive: true });
    addEventListener('touchmove', stopFollowing, { passive: true });
    return () => {
      removeEventListener('wheel', stopFollowing);
      removeEventListener('touchmove', stopFollowing);
    };
  }, [player]);

  const resume = useCallback(() => {
    state.current.following = true;
    setPaused(false);
    const position = positionAt(loaded, player.now());
    if (position) rows.scrollToIndex(position.index, { align: 'center' });
  }, [loaded, player, rows]);
  return { isPaused: isPaused && isOutOfView, resume };
}

/** Whether the current passage is not completely visible; observed only while the view does not follow the playback. */
function useCurrentOutOfView(observed: boolean, player: Player, list: RefObject<HTMLDivElement | null>): boolean {
  const [isOutOfView, setOutOfView] = useState(false);
  useEffect(() => {
    if (!observed) return undefined;
    const update = (): void => {
      const row = list.current?.querySelector('[data-current]');
      setOutOfView(!row || !isCompletelyVisible(row));
    };
    update();
    const unsubscribe = player.onTick(update);
    addEventListener('scroll', update, { passive: true });
    addEventListener('resize', update);
    return () => {
      unsubscribe();
      removeEventListener('scroll', update);
      removeEventListener('resize', update);
    };
  }, [observed, player, list]);
  return isOutOfView;
}

/** Also true for a passage that is higher than the window and fills it. */
function isCompletelyVisible(row: Element): boolean {
  const { top, bottom } = row.getBoundingClientRect();
  const [from, to] = [covered.top, innerHeight - covered.bottom];
  return (top >= from && bottom <= to) || (top <= from && bottom >= to);
}

function isEditorInView(list: Element | null): boolean {
  return [...(list?.querySelectorAll('[data-editing]') ?? [])].some((editor) => {
    const { top, bottom } = editor.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  });
}

function useRowActions(
  { open, keepRendered, close, takeFocus }: Editing,
  segments: Transcript['segments'],
): RowActions {
  const { file, player, speakers } = useFile();
  const edit = useSegmentEdit(file.uuid);
  const { mutateAsync, mutate } = edit;
  const { mutateAsync: remove } = useSegmentRemoval(file.uuid);
  const replace = useSegmentReplacement(file.uuid);
  const latest = useRef(segments);
  latest.current = segments;
  return useMemo(
    () => ({
      onEdit: (segment) => open(segment.uuid),
      onClose: close,
      onFocus: keepRendered,
      takeFocus,
      onCopyLink: (seconds) => void copyLinkTo(seconds),
      onSeek: (seconds) => {
        player.seek(seconds);
        player.play();
      },
      onDelete: remove,
      onSave: async (segment, text) => {
        await mutateAsync({ segment, change: { text }, shown: { ...segment, text, edited: true } });
      },
      onSplit: async (segment, before, after) => {
        const uuid = crypto.randomUUID();
        await replace(
          [segment],
          [
            { uuid: segment.uuid, text: before },
            { uuid, text: after },
          ],
        );
        open(uuid, 0);
      },
      onAssign: (segment, parts) => {
        const pieces = parts.filter(({ text }) => text !== '');
        return replace(
          [segment],
          pieces.map((piece, i) => ({ ...piece, uuid: i === 0 ? segment.uuid : crypto.randomUUID() })),
        );
      },
      onRetime: async (segment, edge, by) => {
        const times = { start_time: segment.start_time, end_time: segment.end_time };
        times[edge] = Math.max(0, Math.round((times[edge] + by) * 1000) / 1000);
        await replace([segment], [{ uuid: segment.uuid, ...times }]);
        // The sound at the new place tells whether it is right.
        player.seek(edge === 'start_time' ? times.start_time : Math.max(times.start_time, times.end_time - 1));
        player.play();
      },
      onMerge: async (segment, text) => {
        const previous = previousOf(segment, latest.current);
        if (!previous) throw new Error(t`The passage before it is not loaded yet.`);
        const merged = `${previous.text} ${text}`.trim();
        await replace([previous, segment], [{ uuid: previous.uuid, text: merged }]);
        open(previous.uuid, merged.length - text.length);
      },
      onSpeaker: (segment, uuid) => {
        const speaker = uuid === null ? null : (speakers.get(uuid)?.speaker ?? null);
        mutate({ segment, change: { speaker_uuid: uuid }, shown: { ...segment, speaker } });
      },
    }),
    [open, keepRendered, close, takeFocus, player, mutateAsync, mutate, remove, replace, speakers],
  );
}

function previousOf(segment: Segment, segments: Transcript['segments']): Segment | undefined {
  return segments[segments.findIndex((one) => one?.uuid === segment.uuid) - 1];
}

function TranscriptPending() {
  return (
    <div role="status" aria-label={t`Loading the transcript`}>
      {Array.from({ length: 5 }, (_, i) => (
        <RowPending key={i} />
      ))}
    </div>
  );
}

function RowPending() {
  return (
    <div className={css['row']} style={{ height: 84 }} aria-hidden="true">
      <Text size="xs">&nbsp;</Text>
      <div>
        <Skeleton h={14} w="92%" mt={8} />
        <Skeleton h={14} w="71%" mt={10} />
      </div>
    </div>
  );
}

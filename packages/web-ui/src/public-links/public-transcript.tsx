import { t } from '@lingui/core/macro';
import { Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { speakerName } from '@overtone/contracts/speakers';
import type { PublicSegment, PublicView } from '@overtone/contracts';
import { memo, useEffect, type MouseEvent } from 'react';
import { call } from '../api/client.ts';
import { lastAtOrBefore } from '../lib/find-index.ts';
import { QueryStatus } from '../ui/query-status.tsx';
import { SeekButton, type Seek } from './seek-button.tsx';
import { wordsOfText } from './words.ts';
import css from './public-links.module.css';

const pageSize = 500;
type Props = { view: PublicView; position: number; onSeek: Seek };

/** The masked transcript. A press on a word plays from there; so does the time of a passage, by keyboard, too. */
export function PublicTranscript({ view, position, onSeek }: Props) {
  const pages = useInfiniteQuery({
    queryKey: ['public', 'segments', view.uuid],
    queryFn: ({ pageParam, signal }) =>
      call('GET /api/public/links/{uuid}/segments', {
        params: { uuid: view.uuid },
        query: { segment_limit: pageSize, segment_offset: pageParam },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: ({ segments, total_segments: total }, _, offset) =>
      segments.length > 0 && offset + segments.length < total ? offset + segments.length : undefined,
    staleTime: Infinity,
  });
  const { hasNextPage, isFetching, isError, fetchNextPage } = pages;
  // All of it, so that the browser finds every word in the page.
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  const segments = pages.data?.pages.flatMap((page) => page.segments) ?? [];
  const now = onSeek && position > 0 ? lastAtOrBefore(segments, position, ({ start_time }) => start_time) : -1;
  const names = new Map(view.speakers.map((speaker) => [speaker.name, speakerName(speaker)]));
  const onPress = ({ target }: MouseEvent): void => {
    const start = target instanceof HTMLElement ? target.dataset['start'] : undefined;
    if (start !== undefined && getSelection()?.isCollapsed !== false) onSeek?.(Number(start));
  };
  return (
    <section aria-labelledby="public-transcript">
      <Title order={2} size="h4" mb="sm" id="public-transcript">
        {t`Transcript`}
      </Title>
      <div
        onClick={onPress}
        lang={view.language ?? undefined}
        data-playable={onSeek !== undefined}
        className={css['passages']}
      >
        {segments.map((segment, i) => (
          <Passage
            key={i}
            segment={segment}
            name={segment.speaker === segments[i - 1]?.speaker ? null : (names.get(segment.speaker ?? '') ?? null)}
            isNow={i === now}
            onSeek={onSeek}
          />
        ))}
      </div>
      <QueryStatus of={pages} failure={t`The transcript couldn’t be loaded`} height={200} />
      {pages.data?.pages[0]?.total_segments === 0 && (
        <Text size="sm" c="dimmed">
          {t`There is no transcript.`}
        </Text>
      )}
    </section>
  );
}

type PassageProps = { segment: PublicSegment; name: string | null; isNow: boolean; onSeek: Seek };

const Passage = memo(PassageOf, (before, after) => {
  const isPlayable = (before.onSeek === undefined) === (after.onSeek === undefined);
  return isPlayable && before.segment === after.segment && before.isNow === after.isNow && before.name === after.name;
});

function PassageOf({ segment, name, isNow, onSeek }: PassageProps) {
  return (
    <div className={css['passage']} data-now={isNow}>
      {name !== null && <div className={css['speaker']}>{name}</div>}
      <p dir="auto" data-withheld={segment.withheld}>
        <SeekButton seconds={segment.start_time} onSeek={onSeek} />{' '}
        {wordsOfText(segment).map(({ text, start, isMasked }, i) =>
          isMasked ? (
            <mark key={i} className={css['masked']}>
              {text}
            </mark>
          ) : (
            <span key={i} data-start={start}>
              {text}
            </span>
          ),
        )}
      </p>
    </div>
  );
}

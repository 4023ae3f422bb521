import { t } from '@lingui/core/macro';
import { Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { PublicView } from '@overtone/contracts';
import { useEffect, useRef, useState, type RefObject, type SyntheticEvent } from 'react';
import { codeOf } from '../api/problem.ts';
import { duration, moment } from '../lib/format.ts';
import { Wordmark } from '../ui/logo.tsx';
import { PublicSummaryPart } from './public-summary.tsx';
import { PublicTranscript } from './public-transcript.tsx';
import { viewQuery } from './queries.ts';
import css from './public-links.module.css';

/** An opened link: player, summary and transcript, as far as it shows them. */
export function PublicRecording({ opened, onEnd }: { opened: PublicView; onEnd: () => void }) {
  const query = useQuery(viewQuery(opened));
  const view = query.data;
  const media = useRef<HTMLMediaElement>(null);
  const [position, setPosition] = useState(0);
  const hasEnded = codeOf(query.error) === 'not_found';
  useDocumentTitle(t`${view.title} · Overtone`);
  useEffect(() => {
    if (hasEnded) onEnd();
  }, [hasEnded, onEnd]);
  const play = (seconds: number): void => {
    if (!media.current) return;
    media.current.currentTime = seconds;
    // A browser may refuse to play, for example without sound; the position is right then.
    media.current.play().catch(() => undefined);
  };
  const seek = view.recording === 'ready' ? play : undefined;
  const facts = [
    view.recorded_date && moment(view.recorded_date),
    view.duration !== null && duration(view.duration),
    t`available until ${moment(view.expires_at)}`,
  ];
  return (
    <main className={css['page']}>
      <header className={css['head']}>
        <Wordmark />
        <Title order={1} size="h2" className={css['title'] ?? ''}>
          {view.title}
        </Title>
        <Text size="sm" c="dimmed">
          {facts.filter(Boolean).join(' · ')}
        </Text>
      </header>
      {view.recording === 'ready' && (
        <div className={css['player']}>
          <Media
            ref={media}
            isVideo={view.has_video}
            src={`/api/public/links/${view.uuid}/recording`}
            onPosition={setPosition}
          />
        </div>
      )}
      {view.recording === 'pending' && (
        <Text size="sm" role="status">
          {t`Masked parts are being removed from the sound. The recording can be played when this is done.`}
        </Text>
      )}
      {view.recording === 'failed' && (
        <Text size="sm" role="alert">
          {t`This recording can’t be played: its masked parts couldn’t be removed from the sound.`}
        </Text>
      )}
      <Stack gap="xl">
        {view.parts.includes('summary') && <PublicSummaryPart uuid={view.uuid} onSeek={seek} />}
        {view.parts.includes('text') && <PublicTranscript view={view} position={position} onSeek={seek} />}
      </Stack>
    </main>
  );
}

type MediaProps = {
  ref: RefObject<HTMLMediaElement | null>;
  isVideo: boolean;
  src: string;
  onPosition: (seconds: number) => void;
};

/** The player of the browser. Its captions are the transcript on the page. */
function Media({ ref, isVideo, src, onPosition }: MediaProps) {
  const common = {
    className: css['media'] ?? '',
    'aria-label': t`Player`,
    controls: true,
    preload: 'metadata',
    src,
    onTimeUpdate: (event: SyntheticEvent<HTMLMediaElement>) => onPosition(event.currentTarget.currentTime),
  } as const;
  return isVideo ? (
    <video ref={ref as RefObject<HTMLVideoElement | null>} data-video {...common} />
  ) : (
    <audio ref={ref} {...common} />
  );
}

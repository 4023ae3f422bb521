import { t } from '@lingui/core/macro';
import { ActionIcon } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { Icon } from '../ui/icons.tsx';
import { notifyError } from '../ui/notify.ts';
import { sampleUrl, type Voice } from './voice-queries.ts';

/** Plays a part in which the voice speaks; the browser ends it there. */
export function VoiceSample({ voice }: { voice: Voice }) {
  const audio = useRef<HTMLAudioElement | null>(null);
  const [playing, setPlaying] = useState(false);
  const url = sampleUrl(voice);
  useEffect(() => () => audio.current?.pause(), []);
  if (url === null) return null;
  const stop = (): void => {
    audio.current?.pause();
    setPlaying(false);
  };
  const play = (): void => {
    const element = new Audio(url);
    element.onpause = () => setPlaying(false);
    element.onended = () => setPlaying(false);
    audio.current = element;
    setPlaying(true);
    element.play().catch((error: unknown) => {
      setPlaying(false);
      notifyError(t`The sample can’t be played`, error);
    });
  };
  const title = voice.file_title;
  return (
    <ActionIcon
      aria-label={playing ? t`Stop the sample from ${title}` : t`Play a sample from ${title}`}
      data-testid="sample"
      onClick={playing ? stop : play}
    >
      <Icon name={playing ? 'pause' : 'play'} size={17} />
    </ActionIcon>
  );
}

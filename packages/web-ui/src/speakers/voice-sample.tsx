import { t } from '@lingui/core/macro';
import { ActionIcon } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { Icon } from '../ui/icons.tsx';
import { notifyError } from '../ui/notify.ts';
import { sampleUrl, voiceName, type Voice } from './voice-queries.ts';

/** The sample that plays: another one ends it. */
let playingSample: HTMLAudioElement | undefined;

/** Plays a part in which the voice speaks; the browser ends it there. */
export function VoiceSample({ voice }: { voice: Voice }) {
  const audio = useRef<HTMLAudioElement | null>(null);
  const [playing, setPlaying] = useState(false);
  const url = sampleUrl(voice);
  useEffect(() => () => audio.current?.pause(), []);
  if (url === null) return null;
  const play = (): void => {
    playingSample?.pause();
    const element = new Audio(url);
    element.onpause = () => setPlaying(false);
    element.onended = () => setPlaying(false);
    audio.current = element;
    playingSample = element;
    setPlaying(true);
    element.play().catch((error: unknown) => {
      setPlaying(false);
      // Paused before it began to play.
      if (!(error instanceof DOMException && error.name === 'AbortError'))
        notifyError(t`The sample can’t be played`, error);
    });
  };
  const [title, name] = [voice.file_title, voiceName(voice)];
  return (
    <ActionIcon
      variant="light"
      aria-label={playing ? t`Stop the sample of ${name} in ${title}` : t`Play a sample of ${name} in ${title}`}
      data-testid="sample"
      onClick={playing ? () => audio.current?.pause() : play}
    >
      <Icon name={playing ? 'pause' : 'play'} size={17} />
    </ActionIcon>
  );
}

import { Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { duration } from '../lib/format.ts';
import { voiceName, type Voice } from './voice-queries.ts';
import { VoiceSample } from './voice-sample.tsx';

/** A voice in a recording: a sample, the recording, and what can be done with the voice. */
export function VoiceEntry({ voice, title, children }: { voice: Voice; title?: ReactNode; children?: ReactNode }) {
  return (
    <Group gap="xs" justify="space-between">
      <Group gap="sm" wrap="nowrap" style={{ flex: '1 1 220px', minWidth: 0 }}>
        <VoiceSample voice={voice} />
        <div style={{ minWidth: 0 }}>
          {title}
          <Text size="sm" truncate>
            <Link
              className="ot-link"
              dir="auto"
              to="/files/$uuid"
              params={{ uuid: voice.file_uuid }}
              title={voice.file_title}
            >
              {voice.file_title}
            </Link>
          </Text>
          <Text size="xs" c="dimmed">
            {voiceName(voice)} · {duration(voice.talk_time)}
          </Text>
        </div>
      </Group>
      {children && <Group gap="xs">{children}</Group>}
    </Group>
  );
}

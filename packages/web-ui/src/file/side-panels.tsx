import { plural, t } from '@lingui/core/macro';
import { Group, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { urlOf } from '@overtone/client';
import { AskPanel } from '../ask/ask-panel.tsx';
import { toneOf } from '../library/status.ts';
import { DecisionButtons } from '../speakers/decision-buttons.tsx';
import { useDecision } from '../speakers/use-decision.ts';
import { percentOf, voiceName, voiceSuggestionsQuery } from '../speakers/voice-queries.ts';
import { VoiceSample } from '../speakers/voice-sample.tsx';
import { Icon } from '../ui/icons.tsx';
import { VocabularySuggestions } from '../vocabulary/vocabulary-suggestions.tsx';
import { CodingsPanel, codingsTitle } from './codings/codings-panel.tsx';
import type { useCodings } from './codings/use-codings.ts';
import { CommentsPanel, commentsTitle } from './comments/comments-panel.tsx';
import type { useComments } from './comments/use-comments.ts';
import { DetailsPanel } from './details-panel.tsx';
import { useFile } from './file-context.ts';
import css from './file.module.css';
import { QualityPanel } from './quality/quality-panel.tsx';
import { RedactionPanel } from './redaction-panel.tsx';
import { RunTimeline } from './run-timeline.tsx';
import { SpeakersPanel } from './speakers-panel.tsx';
import { SuggestionsPanel } from './suggestions-panel.tsx';
import { SummaryPanel } from './summary/summary-panel.tsx';
import type { Transcript } from './use-transcript.ts';

type Props = {
  readonly transcript: Transcript;
  readonly comments: Pick<ReturnType<typeof useComments>, 'threads'>;
  readonly codes: Pick<ReturnType<typeof useCodings>, 'codings'>;
  readonly isPlayable: boolean;
  readonly onJump: (seconds: number) => void;
};

/** The recording, and what is known about it besides its text. */
export function SidePanels({ transcript, comments, codes, isPlayable, onJump }: Props) {
  const { file, speakers } = useFile();
  const wide = useMediaQuery('(min-width: 62em)', undefined, { getInitialValueInEffect: false });
  const failed = toneOf(file) === 'failed';
  const hasText = file.total_segments > 0;
  return (
    <aside className={css['side']} aria-label={t`About this recording`}>
      {isPlayable && <Media />}
      {(hasText || !failed) && (
        <>
          <Panel title={t`Summary`} icon="file" open={wide ?? true}>
            <SummaryPanel onJump={onJump} />
          </Panel>

          <Panel
            title={speakers.size > 0 ? plural(speakers.size, { one: '# speaker', other: '# speakers' }) : t`Speakers`}
            icon="users"
            open={wide ?? true}
          >
            <VoiceSuggestions fileId={file.uuid} />
            <SpeakersPanel />
          </Panel>
        </>
      )}
      {hasText && (
        <>
          <Panel title={commentsTitle(comments.threads)} icon="comment" open={false}>
            <CommentsPanel onJump={onJump} />
          </Panel>
          <Panel title={t`Quality`} icon="check" open={false}>
            <QualityPanel transcript={transcript} onJump={onJump} />
          </Panel>
          <Panel title={codingsTitle(codes.codings)} icon="tag" open={false}>
            <CodingsPanel onJump={onJump} />
          </Panel>
          <Panel title={t`Suggestions`} icon="tag" open={false}>
            <VocabularySuggestions fileId={file.uuid} version={file.transcript_version} />
            <SuggestionsPanel />
          </Panel>
          <Panel title={t`Ask`} icon="ask" open={false}>
            <AskPanel scope="file" uuid={file.uuid} />
          </Panel>
        </>
      )}
      <Panel title={t`Details`} icon="info" open={false}>
        <DetailsPanel />
      </Panel>
      <Panel title={t`Masking`} icon="shield" open={false}>
        <RedactionPanel />
      </Panel>
      {file.has_media && (
        <Panel title={t`Processing`} icon="clock" open={failed && (wide ?? true)}>
          <RunTimeline uuid={file.uuid} />
        </Panel>
      )}
    </aside>
  );
}

function Media() {
  const { file, player } = useFile();
  const src = urlOf('GET /api/files/{uuid}/content', { params: { uuid: file.uuid } });
  return file.has_video ? (
    <video
      ref={player.attach}
      className={css['video']}
      src={src}
      preload="metadata"
      playsInline
      poster={
        file.has_thumbnail ? urlOf('GET /api/files/{uuid}/thumbnail', { params: { uuid: file.uuid } }) : undefined
      }
      aria-label={file.title}
      data-testid="media"
      onClick={player.toggle}
    />
  ) : (
    <audio ref={player.attach} src={src} preload="metadata" aria-label={file.title} data-testid="media" />
  );
}

function Panel({
  title,
  icon,
  open,
  children,
}: {
  title: string;
  icon: 'check' | 'users' | 'info' | 'clock' | 'shield' | 'file' | 'tag' | 'ask' | 'comment';
  open: boolean;
  children: ReactNode;
}) {
  const [shown, setShown] = useState(open);
  return (
    <details
      className={`ot-card ${css['panel']}`}
      open={shown}
      onToggle={(event) => setShown(event.currentTarget.open)}
    >
      <summary>
        <Icon name={icon} size={17} /> {title}
      </summary>
      {shown && <div className={css['panelBody']}>{children}</div>}
    </details>
  );
}

/** Who the speakers of a file probably are, by their voices. */
function VoiceSuggestions({ fileId }: { fileId: string }) {
  const suggestions = useQuery(voiceSuggestionsQuery(fileId)).data?.suggestions ?? [];
  const decision = useDecision();
  if (suggestions.length === 0) return null;
  return (
    <Stack gap="xs" mb="sm" data-testid="voice-suggestions">
      {suggestions.map((suggestion) => {
        const { voice, profile, confidence } = suggestion;
        const percent = percentOf(confidence);
        return (
          <div key={voice.speaker_uuid}>
            <Text size="sm">{t`${voiceName(voice)} is probably ${profile.name} (${percent} %)`}</Text>
            <Group gap={4}>
              <VoiceSample voice={voice} />
              <DecisionButtons
                speaker={voiceName(voice)}
                profile={profile}
                size="compact-xs"
                disabled={decision.isListMoving}
                onDecide={(action) => decision.mutate({ suggestion, action })}
              />
            </Group>
          </div>
        );
      })}
    </Stack>
  );
}

import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Alert, Button, Text, Tooltip } from '@mantine/core';
import { useMemo, type MouseEvent } from 'react';
import type { FileDetail } from '../api/queries.ts';
import { moment } from '../lib/format.ts';
import { isInProgress, toneOf } from '../library/status.ts';
import { Icon } from '../ui/icons.tsx';
import css from './file.module.css';
import { countDoubts } from './transcript.ts';
import type { Transcript } from './use-transcript.ts';

/** Why a recording can no longer be played. */
export function RemovedNote({ file }: { file: FileDetail }) {
  if (file.recording_removed_at === null) return null;
  return (
    <Alert variant="light" color="gray" mb="sm" icon={<Icon name="info" />} data-testid="recording-removed">
      {t`A retention rule removed the recording on ${moment(file.recording_removed_at)}. The transcript remains; playing and transcribing again are no longer possible.`}
    </Alert>
  );
}

/** Why a recording is in quarantine. */
export function QuarantineNote({ file, mayOpen }: { file: FileDetail; mayOpen: boolean }) {
  if (file.quarantine === null) return null;
  const { reason, since } = file.quarantine;
  return (
    <Alert
      variant="light"
      color="red"
      mb="sm"
      icon={<Icon name="shield" />}
      title={since === null ? t`In quarantine` : t`In quarantine since ${moment(since)}`}
      data-testid="quarantine"
    >
      {reason !== '' && <Text size="sm">{t`Reason: ${reason}`}</Text>}
      <Text size="sm">
        {mayOpen
          ? t`Only administrators can open and download this recording; nobody can play it. Release it in the menu of its actions.`
          : t`Nobody can play, read or export this recording until an administrator releases it.`}
      </Text>
    </Alert>
  );
}

/** Says what an imported transcript cannot do. */
export function ImportNote({ file, transcript }: { file: FileDetail; transcript: Transcript }) {
  const isInterpolated = useMemo(
    // An edit estimates times, too, but only those of its words.
    () => transcript.loaded.some(({ segment }) => !segment.edited && segment.words.some((word) => word.interpolated)),
    [transcript.loaded],
  );
  if (file.has_media && !isInterpolated) return null;
  return (
    <p className={css['legend']} data-testid="import-note">
      {!file.has_media && t`This transcript was imported without a recording, so there is nothing to play.`}{' '}
      {isInterpolated && t`The imported file has no times for single words. They are estimated within each passage.`}
    </p>
  );
}

/** Explains the double underline if any word has it. */
export function OverlapLegend({ transcript }: { transcript: Transcript }) {
  const hasOverlap = useMemo(
    () => transcript.loaded.some(({ segment }) => segment.words.some(({ overlap }) => overlap)),
    [transcript.loaded],
  );
  return hasOverlap ? (
    <p className={css['legend']} data-testid="overlap-legend">
      <Trans>
        Words with a <span data-overlap="">double underline</span> were spoken while two people spoke at once.
      </Trans>
    </p>
  ) : null;
}

type UncertainProps = {
  readonly transcript: Transcript;
  readonly onMove: (by: 1 | -1) => void;
  /** Says that the selected word is right; null for those who may only read. */
  readonly onAccept: (() => void) | null;
};

/** How many words may be wrong, what their marks mean, and the way from one to the next. */
export function UncertainNote({ transcript, onMove, onAccept }: UncertainProps) {
  const { words, some, strong } = useMemo(() => countDoubts(transcript.loaded), [transcript.loaded]);
  const uncertain = some + strong;
  if (uncertain === 0) return null;
  // One word in a thousand is not “0 %”.
  const share = uncertain * 200 < words ? t`under 1 %` : `${Math.round((uncertain / words) * 100)} %`;
  return (
    <div className={css['uncertain']} data-testid="legend">
      <p className={css['legend']}>
        {plural(uncertain, {
          one: `# word may be wrong (${share})`,
          other: `# words may be wrong (${share})`,
        })}
        {'. '}
        <Trans>
          Underlined: <span data-unsure="some">perhaps wrong</span>, <span data-unsure="strong">probably wrong</span>
        </Trans>
      </p>
      <Tooltip label={t`Previous uncertain word (Alt+Shift+U)`}>
        <ActionIcon aria-label={t`Previous uncertain word`} onMouseDown={keepFocus} onClick={() => onMove(-1)}>
          <Icon name="chevronUp" size={18} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t`Next uncertain word (Alt+U)`}>
        <ActionIcon aria-label={t`Next uncertain word`} onMouseDown={keepFocus} onClick={() => onMove(1)}>
          <Icon name="chevronDown" size={18} />
        </ActionIcon>
      </Tooltip>
      {onAccept && (
        <Tooltip label={t`It is right; go to the next one (Alt+A)`}>
          <Button size="compact-xs" variant="default" onMouseDown={keepFocus} onClick={onAccept}>
            {t`Accept`}
          </Button>
        </Tooltip>
      )}
    </div>
  );
}

/** The selected word stays selected. */
function keepFocus(event: MouseEvent): void {
  event.preventDefault();
}

/** Why there is no text. */
export function EmptyTranscript({ file, pending }: { file: FileDetail; pending: boolean }) {
  if (pending || toneOf(file) === 'failed' || toneOf(file) === 'stopped') return null;
  return (
    <Text c="dimmed" py="xl" ta="center" data-testid="no-words">
      {isInProgress(file)
        ? t`The transcript will appear here when it’s ready.`
        : t`No speech detected. There is nothing to transcribe in this recording.`}
    </Text>
  );
}

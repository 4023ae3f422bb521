import { t } from '@lingui/core/macro';
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { clock } from '../../lib/format.ts';
import { copyAndNotify } from '../../ui/copy-text.ts';
import css from './editor.module.css';
import type { SaveState } from './autosave.ts';
import type { SpeakerLook } from '../file-context.ts';
import type { Conflict } from './merge.ts';

/** Whether everything is saved. */
export function SaveNote({ status }: Pick<SaveState, 'status'>) {
  const labels = { saved: t`Saved`, saving: t`Saving…`, offline: t`Offline: kept here` };
  return (
    <Text
      size="xs"
      c={status === 'offline' ? 'orange' : 'dimmed'}
      role="status"
      data-testid="save-state"
      data-status={status}
    >
      {labels[status]}
    </Text>
  );
}

type Speakers = ReadonlyMap<string, SpeakerLook>;
type ConflictProps = {
  readonly conflicts: readonly Conflict[];
  readonly speakers: Speakers;
  /** Whether the passage still exists. */
  readonly canKeep: (conflict: Conflict) => boolean;
  readonly onShow: (conflict: Conflict) => void;
  readonly onKeep: (conflict: Conflict) => void;
  readonly onDrop: (conflict: Conflict) => void;
};

/** Corrections that could not be saved: someone else has changed the passage, or the server refused them. */
export function ConflictNotes({ conflicts, speakers, canKeep, onShow, onKeep, onDrop }: ConflictProps) {
  const copy = (text: string): void => void copyAndNotify(text, t`Text copied.`, t`The text couldn’t be copied`);
  return conflicts.map((conflict, i) => (
    <Alert
      key={i}
      role="alert"
      color="yellow"
      variant="light"
      mb="xs"
      data-testid="conflict"
      title={titleOf(conflict, canKeep(conflict))}
    >
      <Stack gap="xs">
        <OwnCorrection conflict={conflict} speakers={speakers} />
        <Group gap="xs">
          {canKeep(conflict) && (
            <>
              <Button size="xs" onClick={() => onKeep(conflict)}>
                {conflict.isRefused && !conflict.isChanged ? t`Try again` : t`Keep mine`}
              </Button>
              <Button size="xs" variant="default" onClick={() => onDrop(conflict)}>
                {conflict.isRefused ? t`Discard` : t`Use theirs`}
              </Button>
              <Button size="xs" variant="default" onClick={() => onShow(conflict)}>
                {t`Show`}
              </Button>
            </>
          )}
          {!canKeep(conflict) && (
            <>
              {conflict.text !== '' && (
                <Button size="xs" variant="default" onClick={() => copy(conflict.text)}>
                  {t`Copy`}
                </Button>
              )}
              <Button size="xs" variant="default" onClick={() => onDrop(conflict)}>
                {t`Discard`}
              </Button>
            </>
          )}
        </Group>
      </Stack>
    </Alert>
  ));
}

function titleOf({ isRefused, isChanged, start }: Conflict, canKeep: boolean): string {
  if (isChanged) return t`The passage at ${clock(start)} was changed`;
  if (isRefused) return t`The correction at ${clock(start)} wasn’t saved`;
  return canKeep ? t`Someone else edited this passage` : t`The passage at ${clock(start)} was changed`;
}

/** What the person wanted, beside what the transcript has now. */
function OwnCorrection({ conflict, speakers }: { conflict: Conflict; speakers: Speakers }) {
  const { text, speaker, times, isRemoval = false, isRefused = false } = conflict;
  const name = speaker == null ? t`No speaker` : (speakers.get(speaker)?.name ?? t`Unknown speaker`);
  return (
    <>
      {text !== '' && (
        <>
          <Text size="sm">{isRefused ? t`Your text, not saved:` : t`Their text is in the transcript. Your text:`}</Text>
          <Text size="sm" component="blockquote" dir="auto" m={0} className={css['theirs'] ?? ''}>
            {text}
          </Text>
        </>
      )}
      {speaker !== undefined && <Text size="sm">{t`Your speaker, not saved: ${name}`}</Text>}
      {times && <Text size="sm">{t`Your times, not saved: ${tenths(times.start)} to ${tenths(times.end)}`}</Text>}
      {isRemoval && <Text size="sm">{t`You deleted this. It’s still in the transcript.`}</Text>}
    </>
  );
}

/** People move times by tenths of a second. */
function tenths(seconds: number): string {
  return `${clock(seconds)}.${Math.floor(seconds * 10 + 0.001) % 10}`;
}

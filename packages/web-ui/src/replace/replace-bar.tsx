import { plural, t } from '@lingui/core/macro';
import { ActionIcon, Button, Group, Text } from '@mantine/core';
import { useEffect, useRef, type KeyboardEvent } from 'react';
import type { FileDetail } from '../api/queries.ts';
import { speakerName } from '@overtone/contracts/speakers';
import { ErrorNote } from '../ui/error-note.tsx';
import { Icon } from '../ui/icons.tsx';
import { PlaceList } from './place-list.tsx';
import css from './replace.module.css';
import { SearchFields } from './search-fields.tsx';
import { useReplacing } from './use-replacing.ts';

type Props = {
  readonly file: FileDetail;
  /** Shows a moment of the recording in the transcript. */
  readonly onShow: (seconds: number) => void;
  /** Saves what was typed in the transcript. */
  readonly saveFirst: () => Promise<void> | undefined;
  readonly onClose: () => void;
};

/** Find and replace in the transcript below it. */
export function ReplaceBar({ file, onShow, saveFirst, onClose }: Props) {
  const replacing = useReplacing([file.uuid], { version: file.transcript_version, askToLeave: false });
  const { run, chosen, chosenCount, current, draft } = replacing;
  const findField = useRef<HTMLInputElement>(null);
  useEffect(() => findField.current?.focus(), []);
  const close = (): void => {
    draft.drop();
    onClose();
  };
  const replace = async (): Promise<void> => {
    await saveFirst();
    run.mutate(chosen);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    close();
  };
  return (
    <section className={css['bar']} aria-label={t`Find and replace`} onKeyDown={onKeyDown} data-testid="replace-bar">
      <div className={css['barHead']}>
        <Text size="sm" fw={600}>{t`Find and replace`}</Text>
        <ActionIcon aria-label={t`Close find and replace`} onClick={close}>
          <Icon name="close" size={18} />
        </ActionIcon>
      </div>
      <SearchFields
        replacing={replacing}
        findRef={findField}
        speakers={file.speakers.map((one) => ({ value: one.display_name ?? one.name, label: speakerName(one) }))}
      />
      <PlaceList replacing={replacing} onShow={({ start_time }) => onShow(start_time)} />
      {run.error && <ErrorNote error={run.error} title={t`Nothing was replaced`} />}
      <Group justify="flex-end" mt="xs">
        <Button
          size="sm"
          disabled={chosenCount === 0 || !current}
          loading={run.isPending}
          onClick={() => void replace()}
        >
          {chosenCount > 0 ? plural(chosenCount, { one: 'Replace # place', other: 'Replace # places' }) : t`Replace`}
        </Button>
      </Group>
    </section>
  );
}

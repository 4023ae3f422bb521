import { t } from '@lingui/core/macro';
import { ActionIcon, Button, Group, Kbd, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type KeyboardEvent } from 'react';
import { call } from '../../api/client.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Icon } from '../../ui/icons.tsx';
import { useFile } from '../file-context.ts';

type Props = { readonly onChoose: (speaker: string | null) => void; readonly onClose: () => void };

/** Chooses the speaker of a passage or of the selected words: by a click, by a digit, or a new name. */
export function SpeakerDialog({ onChoose, onClose }: Props) {
  const { file, speakers } = useFile();
  const client = useQueryClient();
  const [name, setName] = useState('');
  const add = useMutation({
    mutationFn: (display_name: string) =>
      call('POST /api/speakers', { query: { media_file_uuid: file.uuid }, body: { display_name } }),
    onSuccess: async ({ uuid }) => {
      await client.invalidateQueries({ queryKey: ['file', file.uuid], exact: true });
      onChoose(uuid);
    },
  });
  const looks = [...speakers.values()];
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey) return;
    const look = looks[Number(event.key) - 1];
    if (!/^[1-9]$/.test(event.key) || !look) return;
    event.preventDefault();
    onChoose(look.speaker.uuid);
  };
  return (
    <Dialog onClose={onClose} title={<b>{t`Speaker`}</b>} size="xs" onKeyDown={onKeyDown}>
      <Stack gap={4}>
        {looks.map(({ speaker, name: label, color }, i) => (
          <Button
            key={speaker.uuid}
            variant="subtle"
            color="gray"
            justify="flex-start"
            data-autofocus={i === 0 ? true : undefined}
            leftSection={<span className="ot-dot" style={{ color }} />}
            rightSection={i < 9 ? <Kbd size="xs">{i + 1}</Kbd> : null}
            onClick={() => onChoose(speaker.uuid)}
          >
            {label}
          </Button>
        ))}
        <Button variant="subtle" color="gray" justify="flex-start" onClick={() => onChoose(null)}>
          {t`No speaker`}
        </Button>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (name.trim() !== '' && !add.isPending) add.mutate(name.trim());
          }}
        >
          <Group gap={4} wrap="nowrap">
            <TextInput
              size="sm"
              style={{ flex: 1 }}
              aria-label={t`Name of a new speaker`}
              placeholder={t`New speaker`}
              maxLength={200}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <ActionIcon type="submit" size="lg" color="petrol" aria-label={t`Add and choose`} loading={add.isPending}>
              <Icon name="check" size={17} />
            </ActionIcon>
          </Group>
        </form>
        {add.error && <ErrorNote error={add.error} title={t`The speaker wasn’t added`} />}
      </Stack>
    </Dialog>
  );
}

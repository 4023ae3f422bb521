import { t } from '@lingui/core/macro';
import { ActionIcon, Button, Group, Menu, Stack, Text, TextInput, Tooltip } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { call } from '../api/client.ts';
import type { FileDetail } from '../api/queries.ts';
import { Icon } from '../ui/icons.tsx';
import { notifyError } from '../ui/notify.ts';
import { confirmDiscard, RestoredNote, type Draft } from '../ui/draft.tsx';
import { useDraft, useStoredDraft } from '../state/use-draft.ts';
import { useFocusReturn } from '../ui/use-focus-return.ts';
import { isInProgress } from '../library/status.ts';
import { duration } from '../lib/format.ts';
import { transcriptVersions } from '../live/transcript-versions.ts';
import { canEdit, useFile, type SpeakerLook } from './file-context.ts';
import css from './file.module.css';
import { NameGuess } from './suggestions-panel.tsx';
import { useUndo } from './use-undo.ts';

/** The speakers with their share of the talk time, and the forms that rename, merge, add and remove them. */
export function SpeakersPanel() {
  const { file, speakers } = useFile();
  const looks = [...speakers.values()];
  const totalTime = looks.reduce((sum, { speaker }) => sum + speaker.talk_time, 0);
  if (looks.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {isInProgress(file) ? t`Speakers will appear here.` : t`No speech detected.`}
      </Text>
    );
  }
  return (
    <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }} data-testid="speakers">
      {looks.map((look) => (
        <SpeakerItem
          key={look.speaker.uuid}
          look={look}
          others={looks.filter((other) => other !== look)}
          share={totalTime > 0 ? look.speaker.talk_time / totalTime : 0}
          fileId={file.uuid}
          editable={canEdit(file)}
        />
      ))}
      {canEdit(file) && <AddSpeaker fileId={file.uuid} />}
    </Stack>
  );
}

type ItemProps = {
  readonly look: SpeakerLook;
  readonly others: readonly SpeakerLook[];
  readonly share: number;
  readonly fileId: string;
  readonly editable: boolean;
};

function SpeakerItem({ look, others, share, fileId, editable }: ItemProps) {
  const { speaker, name, color } = look;
  const [opened, setOpened] = useState(false);
  const editing = useStoredDraft(speakerDraftKey(speaker.uuid)) !== undefined || opened;
  const merge = useMerge(fileId);
  const remove = useRemoval(fileId);
  const item = useRef<HTMLLIElement>(null);
  useFocusReturn(editing, () => item.current?.querySelector('button'));
  return (
    <li ref={item} data-testid="speaker" data-name={name}>
      {editing ? (
        <RenameForm look={look} fileId={fileId} onClose={() => setOpened(false)} />
      ) : (
        <Group gap={4} wrap="nowrap">
          <span className="ot-dot" style={{ color }} />
          <Text size="sm" fw={600} truncate ml={4} style={{ flex: 1 }} title={name}>
            {name}
          </Text>
          <Text size="xs" c="dimmed" className="ot-tabular" style={{ whiteSpace: 'nowrap' }}>
            {duration(speaker.talk_time)} · {Math.round(share * 100)} %
          </Text>
          {editable && (
            <Tooltip label={t`Rename`}>
              <ActionIcon className={css['small'] ?? ''} aria-label={t`Rename ${name}`} onClick={() => setOpened(true)}>
                <Icon name="edit" size={15} />
              </ActionIcon>
            </Tooltip>
          )}
          {editable && (
            <Menu width={230}>
              <Menu.Target>
                <ActionIcon className={css['small'] ?? ''} aria-label={t`Actions for ${name}`}>
                  <Icon name="more" size={15} />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                {others.length > 0 && <Menu.Label>{t`${name} is the same person as`}</Menu.Label>}
                {others.map((other) => (
                  <Menu.Item
                    key={other.speaker.uuid}
                    leftSection={<span className="ot-dot" style={{ color: other.color }} />}
                    onClick={() => merge.mutate({ from: look, into: other })}
                  >
                    {other.name}
                  </Menu.Item>
                ))}
                {others.length > 0 && <Menu.Divider />}
                <Menu.Item c="red" leftSection={<Icon name="trash" size={15} />} onClick={() => remove.mutate(look)}>
                  {t`Remove speaker`}
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          )}
        </Group>
      )}
      {!editing && <NameGuess speakerId={speaker.uuid} />}
      <div
        className={css['talk']}
        style={{ color, marginTop: 6 }}
        role="img"
        aria-label={t`${name} speaks ${Math.round(share * 100)} percent of the time`}
      >
        <div style={{ width: `${Math.max(1, share * 100)}%` }} />
      </div>
    </li>
  );
}

function speakerDraftKey(speakerId: string): string {
  return `speaker:${speakerId}`;
}

function RenameForm({ look, fileId, onClose }: { look: SpeakerLook; fileId: string; onClose: () => void }) {
  const client = useQueryClient();
  const draft = useDraft(speakerDraftKey(look.speaker.uuid), look.speaker.display_name ?? '');
  const rename = useMutation({
    mutationFn: (display_name: string | null) =>
      call('PUT /api/speakers/{uuid}', { params: { uuid: look.speaker.uuid }, body: { display_name } }),
    onMutate: () => ({ edit: transcriptVersions.beginEdit(fileId) }),
    onSuccess: (_response, display_name) => {
      client.setQueryData<FileDetail>(
        ['file', fileId],
        (file) =>
          file && {
            ...file,
            speakers: file.speakers.map((speaker) =>
              speaker.uuid === look.speaker.uuid ? { ...speaker, display_name } : speaker,
            ),
          },
      );
      draft.drop();
      onClose();
    },
    onError: (error) => notifyError(t`The name wasn’t saved`, error),
    onSettled: (response, _error, _name, context) => {
      // The rows take the name from the file, so the transcript is not loaded again.
      if (context) transcriptVersions.endEdit(fileId, context.edit, response !== undefined);
      void client.invalidateQueries({ queryKey: ['file', fileId] });
    },
  });
  return (
    <NameField
      label={t`Name of ${look.name}`}
      placeholder={look.name}
      saveLabel={t`Save name`}
      cancelLabel={t`Cancel`}
      saving={rename.isPending}
      draft={draft}
      onSave={() => (draft.changed ? rename.mutate(draft.value.trim() === '' ? null : draft.value.trim()) : onClose())}
      onClose={onClose}
    />
  );
}

type NameFieldProps = {
  readonly label: string;
  readonly placeholder?: string;
  readonly saveLabel: string;
  readonly cancelLabel: string;
  readonly saving: boolean;
  readonly draft: Draft<string>;
  readonly onSave: () => void;
  readonly onClose: () => void;
};

/** A field for a name. It stays open with its text until the name is saved or discarded. */
function NameField({
  label,
  placeholder = '',
  saveLabel,
  cancelLabel,
  saving,
  draft,
  onSave,
  onClose,
}: NameFieldProps) {
  const cancel = async (): Promise<void> => {
    if (await confirmDiscard(draft)) onClose();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!saving) onSave();
      }}
    >
      <Group gap={4} wrap="nowrap">
        <TextInput
          size="xs"
          aria-label={label}
          placeholder={placeholder}
          autoFocus={!draft.restored}
          maxLength={200}
          value={draft.value}
          onChange={(event) => draft.set(event.currentTarget.value)}
          onKeyDown={(event) => event.key === 'Escape' && void cancel()}
          style={{ flex: 1 }}
        />
        <ActionIcon type="submit" size="md" color="petrol" aria-label={saveLabel} loading={saving}>
          <Icon name="check" size={17} />
        </ActionIcon>
        <ActionIcon size="md" aria-label={cancelLabel} onClick={() => void cancel()}>
          <Icon name="close" size={17} />
        </ActionIcon>
      </Group>
      <RestoredNote draft={draft} />
    </form>
  );
}

function useMerge(fileId: string) {
  const { refresh, offerUndo } = useUndo(fileId);
  return useMutation({
    mutationFn: ({ from, into }: { from: SpeakerLook; into: SpeakerLook }) =>
      call('POST /api/speakers/{uuid}/merge/{target_uuid}', {
        params: { uuid: from.speaker.uuid, target_uuid: into.speaker.uuid },
      }),
    onSuccess: ({ undo }, { from, into }) => {
      void refresh();
      offerUndo(t`Merged ${from.name} into ${into.name}.`, undo);
    },
    onError: (error) => notifyError(t`The speakers weren’t merged`, error),
  });
}

function useRemoval(fileId: string) {
  const { refresh, offerUndo } = useUndo(fileId);
  return useMutation({
    mutationFn: ({ speaker }: SpeakerLook) => call('DELETE /api/speakers/{uuid}', { params: { uuid: speaker.uuid } }),
    onSuccess: ({ undo }, { name }) => {
      void refresh();
      offerUndo(t`Removed ${name}.`, undo);
    },
    onError: (error) => notifyError(t`The speaker wasn’t removed`, error),
  });
}

function AddSpeaker({ fileId }: { fileId: string }) {
  const client = useQueryClient();
  const draft = useDraft(`new-speaker:${fileId}`, '');
  const [opened, setOpened] = useState(false);
  const item = useRef<HTMLLIElement>(null);
  const open = opened || draft.changed;
  useFocusReturn(open, () => item.current?.querySelector('button'));
  const add = useMutation({
    mutationFn: (display_name: string) =>
      call('POST /api/speakers', { query: { media_file_uuid: fileId }, body: { display_name } }),
    onSuccess: () => {
      draft.drop();
      setOpened(false);
      void client.invalidateQueries({ queryKey: ['file', fileId] });
    },
    onError: (error) => notifyError(t`The speaker wasn’t added`, error),
  });
  return (
    <li ref={item}>
      {open ? (
        <NameField
          label={t`Name of the new speaker`}
          saveLabel={t`Add`}
          cancelLabel={t`Cancel`}
          saving={add.isPending}
          draft={draft}
          onSave={() => draft.value.trim() !== '' && add.mutate(draft.value.trim())}
          onClose={() => setOpened(false)}
        />
      ) : (
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          leftSection={<Icon name="plus" size={15} />}
          onClick={() => setOpened(true)}
        >
          {t`Add a speaker`}
        </Button>
      )}
    </li>
  );
}

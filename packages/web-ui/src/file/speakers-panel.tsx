import { ActionIcon, Button, Group, Menu, Stack, Text, TextInput, Tooltip } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.ts';
import type { FileDetail } from '../api/queries.ts';
import { Icon } from '../app/icons.tsx';
import { say, sayError } from '../app/notify.ts';
import { duration } from '../lib/format.ts';
import { transcriptVersions } from '../live/transcript-versions.ts';
import { mayCorrect, useFile, type SpeakerLook } from './file-context.ts';
import css from './file.module.css';

/** Who speaks and for how long; names are given here. */
export const SpeakersPanel = () => {
  const { file, speakers } = useFile();
  const looks = [...speakers.values()];
  const all = looks.reduce((sum, l) => sum + l.speaker.talk_time, 0);
  if (looks.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Speakers show here as soon as they are told apart.
      </Text>
    );
  }
  return (
    <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }} data-testid="speakers">
      {looks.map((look) => (
        <SpeakerItem
          key={look.speaker.uuid}
          look={look}
          others={looks.filter((o) => o !== look)}
          share={all > 0 ? look.speaker.talk_time / all : 0}
          fileId={file.uuid}
          editable={mayCorrect(file)}
        />
      ))}
      {mayCorrect(file) && <AddSpeaker fileId={file.uuid} />}
    </Stack>
  );
};

type ItemProps = {
  readonly look: SpeakerLook;
  readonly others: readonly SpeakerLook[];
  readonly share: number;
  readonly fileId: string;
  readonly editable: boolean;
};

const SpeakerItem = ({ look, others, share, fileId, editable }: ItemProps) => {
  const { speaker, name, color } = look;
  const [editing, setEditing] = useState(false);
  const merge = useMerge(fileId);
  return (
    <li data-testid="speaker" data-name={name}>
      {editing ? (
        <RenameForm look={look} fileId={fileId} onClose={() => setEditing(false)} />
      ) : (
        <Group gap={4} wrap="nowrap">
          <span className={css['dot']} style={{ color }} />
          <Text size="sm" fw={600} truncate ml={4} style={{ flex: 1 }} title={name}>
            {name}
          </Text>
          <Text size="xs" c="dimmed" className="ot-tabular" style={{ whiteSpace: 'nowrap' }}>
            {duration(speaker.talk_time)} · {Math.round(share * 100)} %
          </Text>
          {editable && (
            <Tooltip label="Rename">
              <ActionIcon size="sm" aria-label={`Rename ${name}`} onClick={() => setEditing(true)}>
                <Icon name="edit" size={15} />
              </ActionIcon>
            </Tooltip>
          )}
          {editable && others.length > 0 && (
            <Menu width={210}>
              <Menu.Target>
                <ActionIcon size="sm" aria-label={`Merge ${name}`}>
                  <Icon name="merge" size={15} />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Label>{name} is the same person as</Menu.Label>
                {others.map((other) => (
                  <Menu.Item
                    key={other.speaker.uuid}
                    leftSection={<span className={css['dot']} style={{ color: other.color }} />}
                    onClick={() => merge.mutate({ from: look, into: other })}
                  >
                    {other.name}
                  </Menu.Item>
                ))}
              </Menu.Dropdown>
            </Menu>
          )}
        </Group>
      )}
      <div
        className={css['talk']}
        style={{ color, marginTop: 6 }}
        role="img"
        aria-label={`${name} speaks ${Math.round(share * 100)} percent of the time`}
      >
        <div style={{ width: `${Math.max(1, share * 100)}%` }} />
      </div>
    </li>
  );
};

const RenameForm = ({ look, fileId, onClose }: { look: SpeakerLook; fileId: string; onClose: () => void }) => {
  const client = useQueryClient();
  const [name, setName] = useState(look.speaker.display_name ?? '');
  const rename = useMutation({
    mutationFn: (display_name: string | null) =>
      call('updateSpeaker', { params: { uuid: look.speaker.uuid }, body: { display_name } }),
    onMutate: (display_name) => {
      client.setQueryData<FileDetail>(
        ['file', fileId],
        (file) =>
          file && {
            ...file,
            speakers: file.speakers.map((s) => (s.uuid === look.speaker.uuid ? { ...s, display_name } : s)),
          },
      );
      onClose();
      return { own: transcriptVersions.begin(fileId) };
    },
    onError: (error) => sayError('The name was not saved', error),
    onSettled: (answer, _error, _name, context) => {
      // The rows take the name from the file: its transcript need not be fetched for it.
      if (context) transcriptVersions.end(fileId, context.own, answer !== undefined);
      void client.invalidateQueries({ queryKey: ['file', fileId] });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        rename.mutate(name.trim() === '' ? null : name.trim());
      }}
    >
      <Group gap={4} wrap="nowrap">
        <TextInput
          size="xs"
          aria-label={`Name of ${look.name}`}
          placeholder={look.name}
          autoFocus
          maxLength={200}
          value={name}
          onChange={(e) => setName(e.currentTarget.value)}
          onKeyDown={(e) => e.key === 'Escape' && onClose()}
          style={{ flex: 1 }}
        />
        <ActionIcon type="submit" size="md" color="petrol" aria-label="Save name">
          <Icon name="check" size={17} />
        </ActionIcon>
        <ActionIcon size="md" aria-label="Keep the old name" onClick={onClose}>
          <Icon name="close" size={17} />
        </ActionIcon>
      </Group>
    </form>
  );
};

const useMerge = (fileId: string) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ from, into }: { from: SpeakerLook; into: SpeakerLook }) =>
      call('mergeSpeaker', { params: { uuid: from.speaker.uuid, target_uuid: into.speaker.uuid } }),
    onSuccess: (_, { from, into }) => {
      say(`Everything ${from.name} says is now ${into.name}'s.`);
      void client.invalidateQueries({ queryKey: ['file', fileId] });
      void client.invalidateQueries({ queryKey: ['segments', fileId] });
    },
    onError: (error) => sayError('The speakers were not merged', error),
  });
};

const AddSpeaker = ({ fileId }: { fileId: string }) => {
  const client = useQueryClient();
  const [name, setName] = useState<string | null>(null);
  const add = useMutation({
    mutationFn: (display_name: string) =>
      call('createSpeaker', { query: { media_file_uuid: fileId }, body: { display_name } }),
    onSuccess: () => {
      setName(null);
      void client.invalidateQueries({ queryKey: ['file', fileId] });
    },
    onError: (error) => sayError('The speaker was not added', error),
  });
  if (name === null) {
    return (
      <li>
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          leftSection={<Icon name="plus" size={15} />}
          onClick={() => setName('')}
        >
          Add a speaker
        </Button>
      </li>
    );
  }
  return (
    <li>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== '') add.mutate(name.trim());
        }}
      >
        <Group gap={4} wrap="nowrap">
          <TextInput
            size="xs"
            aria-label="Name of the new speaker"
            autoFocus
            maxLength={200}
            value={name}
            onChange={(e) => setName(e.currentTarget.value)}
            onKeyDown={(e) => e.key === 'Escape' && setName(null)}
            style={{ flex: 1 }}
          />
          <ActionIcon type="submit" color="petrol" aria-label="Add" loading={add.isPending}>
            <Icon name="check" size={17} />
          </ActionIcon>
          <ActionIcon aria-label="Cancel" onClick={() => setName(null)}>
            <Icon name="close" size={17} />
          </ActionIcon>
        </Group>
      </form>
    </li>
  );
};

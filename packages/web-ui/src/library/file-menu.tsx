import { ActionIcon, Button, Group, Menu, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.ts';
import type { FileItem } from '../api/queries.ts';
import { ErrorNote } from '../app/error-note.tsx';
import { Icon } from '../app/icons.tsx';
import { say, sayError } from '../app/notify.ts';
import { isUnderWay } from './status.ts';

type Props = { readonly file: FileItem; readonly onDeleted?: () => void };

/** What can be done with a file as a whole. */
export const FileMenu = ({ file, onDeleted }: Props) => {
  const client = useQueryClient();
  const [dialog, setDialog] = useState<'rename' | 'delete' | null>(null);
  const refresh = (): void => {
    for (const key of [['files'], ['file', file.uuid], ['timeline', file.uuid]])
      void client.invalidateQueries({ queryKey: key });
  };
  const again = useMutation({
    mutationFn: () => call('reprocess', { params: { uuid: file.uuid }, body: {} }),
    onSuccess: () => {
      say(`“${file.title}” is transcribed again.`);
      refresh();
    },
    onError: (error) => sayError('It could not be started again', error),
  });
  const stop = useMutation({
    mutationFn: () => call('cancel', { params: { uuid: file.uuid } }),
    onSuccess: refresh,
    onError: (error) => sayError('It could not be stopped', error),
  });
  const active = isUnderWay(file);
  return (
    <>
      <Menu width={210}>
        <Menu.Target>
          <ActionIcon aria-label={`Actions for ${file.title}`} size="md">
            <Icon name="more" size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon name="edit" size={17} />} onClick={() => setDialog('rename')}>
            Rename
          </Menu.Item>
          <Menu.Item
            leftSection={<Icon name="download" size={17} />}
            component="a"
            href={`/api/files/${file.uuid}/content?download=true`}
            download={file.filename}
          >
            Download recording
          </Menu.Item>
          {active ? (
            <Menu.Item leftSection={<Icon name="close" size={17} />} onClick={() => stop.mutate()}>
              Stop processing
            </Menu.Item>
          ) : (
            <Menu.Item leftSection={<Icon name="retry" size={17} />} onClick={() => again.mutate()}>
              Transcribe again
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item color="red" leftSection={<Icon name="trash" size={17} />} onClick={() => setDialog('delete')}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {dialog === 'rename' && <RenameDialog file={file} onClose={() => setDialog(null)} onDone={refresh} />}
      {dialog === 'delete' && (
        <DeleteDialog
          file={file}
          onClose={() => setDialog(null)}
          onDone={() => {
            void client.invalidateQueries({ queryKey: ['files'] });
            onDeleted?.();
          }}
        />
      )}
    </>
  );
};

type DialogProps = { readonly file: FileItem; readonly onClose: () => void; readonly onDone: () => void };

const RenameDialog = ({ file, onClose, onDone }: DialogProps) => {
  const [title, setTitle] = useState(file.title);
  const rename = useMutation({
    mutationFn: () => call('updateFile', { params: { uuid: file.uuid }, body: { title: title.trim() } }),
    onSuccess: () => {
      onDone();
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={<b>Rename</b>}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (title.trim() !== '') rename.mutate();
        }}
      >
        <Stack gap="md">
          {rename.error && <ErrorNote error={rename.error} />}
          <TextInput
            label="Title"
            data-autofocus
            value={title}
            maxLength={255}
            required
            withAsterisk={false}
            onChange={(e) => setTitle(e.currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={rename.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
};

const DeleteDialog = ({ file, onClose, onDone }: DialogProps) => {
  const remove = useMutation({
    mutationFn: () => call('deleteFile', { params: { uuid: file.uuid } }),
    onSuccess: () => {
      onClose();
      onDone();
      say(`“${file.title}” is deleted.`);
    },
  });
  return (
    <Modal opened onClose={onClose} title={<b>Delete this recording?</b>}>
      <Stack gap="md">
        {remove.error && <ErrorNote error={remove.error} />}
        <Text>“{file.title}”, its transcript and everything made from it will be gone. This cannot be undone.</Text>
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={onClose}>
            Keep it
          </Button>
          <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
            Delete
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
};

import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.ts';
import type { FileItem } from '../api/queries.ts';
import { ErrorNote } from '../app/error-note.tsx';
import { FormDialog } from '../app/form-dialog.tsx';
import { say } from '../app/notify.ts';
import { anySpeech, SpeechOptionsFields, speechProblem } from '../uploads/speech-options.tsx';

type DialogProps = { readonly file: FileItem; readonly onClose: () => void; readonly onDone: () => void };

export const RenameDialog = ({ file, onClose, onDone }: DialogProps) => {
  const [title, setTitle] = useState(file.title);
  const rename = useMutation({
    mutationFn: () => call('updateFile', { params: { uuid: file.uuid }, body: { title: title.trim() } }),
    onSuccess: () => {
      onDone();
      onClose();
    },
  });
  return (
    <FormDialog
      title="Rename"
      action="Save"
      sending={rename}
      onSubmit={() => title.trim() !== '' && rename.mutate()}
      onClose={onClose}
    >
      <TextInput
        label="Title"
        data-autofocus
        value={title}
        maxLength={255}
        required
        withAsterisk={false}
        onChange={(e) => setTitle(e.currentTarget.value)}
      />
    </FormDialog>
  );
};

export const AgainDialog = ({ file, onClose, onDone }: DialogProps) => {
  const [speech, setSpeech] = useState(anySpeech);
  const problem = speechProblem(speech);
  const again = useMutation({
    mutationFn: () =>
      call('reprocess', {
        params: { uuid: file.uuid },
        body: {
          ...(speech.language === '' ? {} : { language: speech.language }),
          ...(speech.minSpeakers === null ? {} : { min_speakers: speech.minSpeakers }),
          ...(speech.maxSpeakers === null ? {} : { max_speakers: speech.maxSpeakers }),
        },
      }),
    onSuccess: () => {
      onDone();
      onClose();
    },
  });
  return (
    <FormDialog
      title="Transcribe again?"
      action="Transcribe"
      ready={problem === null}
      actionFirst
      sending={again}
      failure="It could not be started again"
      onSubmit={() => again.mutate()}
      onClose={onClose}
    >
      {file.transcript_version > 0 && (
        <Text size="sm">The new transcript replaces this one, with every correction and speaker name in it.</Text>
      )}
      <SpeechOptionsFields value={speech} onChange={setSpeech} />
    </FormDialog>
  );
};

export const DeleteDialog = ({ file, onClose, onDone }: DialogProps) => {
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

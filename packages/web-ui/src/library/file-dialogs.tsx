import { t } from '@lingui/core/macro';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { limitsQuery, type FileItem } from '../api/queries.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useDraft } from '../state/use-draft.ts';
import { notifyWithUndo } from '../ui/action-toast.tsx';
import { anySpeech, SpeechOptionsFields, speechOptionsBody, speechProblem } from '../uploads/speech-options.tsx';
import { binDaysText } from './bin-days.ts';
import { Dialog } from '../ui/dialog.tsx';

type DialogProps = { readonly file: FileItem; readonly onClose: () => void; readonly onDone: () => void };

export function RenameDialog({ file, onClose, onDone }: DialogProps) {
  const draft = useDraft(`file-title:${file.uuid}`, file.title);
  const title = draft.value;
  const rename = useMutation({
    mutationFn: () => call('PUT /api/files/{uuid}', { params: { uuid: file.uuid }, body: { title: title.trim() } }),
    onSuccess: () => {
      draft.drop();
      onDone();
      onClose();
    },
  });
  return (
    <FormDialog
      title={t`Rename`}
      action={t`Save`}
      sending={rename}
      draft={draft}
      onSubmit={() => title.trim() !== '' && rename.mutate()}
      onClose={onClose}
    >
      <TextInput
        label={t`Title`}
        data-autofocus
        value={title}
        maxLength={255}
        required
        onChange={(event) => draft.set(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

export function AgainDialog({ file, onClose, onDone }: DialogProps) {
  const draft = useDraft(`transcribe-again:${file.uuid}`, anySpeech);
  const speech = draft.value;
  const again = useMutation({
    mutationFn: () =>
      call('POST /api/files/{uuid}/reprocess', {
        params: { uuid: file.uuid },
        body: speechOptionsBody(speech),
      }),
    onSuccess: () => {
      draft.drop();
      onDone();
      onClose();
    },
  });
  return (
    <FormDialog
      title={t`Transcribe again?`}
      action={t`Transcribe`}
      ready={speechProblem(speech) === null}
      actionFirst
      sending={again}
      draft={draft}
      failure={t`The transcription couldn’t be started`}
      onSubmit={() => again.mutate()}
      onClose={onClose}
    >
      {file.transcript_version > 0 && (
        <Text size="sm">{t`The new transcript replaces the current one, including all corrections and speaker names.`}</Text>
      )}
      <SpeechOptionsFields value={speech} onChange={draft.set} />
    </FormDialog>
  );
}

export function DeleteDialog({ file, onClose, onDone }: DialogProps) {
  const client = useQueryClient();
  const limits = useQuery(limitsQuery);
  const remove = useMutation({
    mutationFn: () => call('DELETE /api/files/{uuid}', { params: { uuid: file.uuid } }),
    onSuccess: () => {
      onClose();
      onDone();
      notifyWithUndo(t`Moved “${file.title}” to the bin.`, async () => {
        await call('POST /api/files/{uuid}/restore', { params: { uuid: file.uuid } });
        await client.invalidateQueries({ queryKey: ['files'] });
      });
    },
  });
  return (
    <Dialog onClose={onClose} title={<b>{t`Delete this recording?`}</b>}>
      <Stack gap="md">
        {remove.error && <ErrorNote error={remove.error} />}
        <Text>
          {t`“${file.title}” and its transcript move to the bin.`} {binDaysText(limits.data?.bin_days)}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={onClose}>
            {t`Cancel`}
          </Button>
          <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
            {t`Delete`}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

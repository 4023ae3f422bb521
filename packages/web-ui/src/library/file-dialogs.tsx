import { t } from '@lingui/core/macro';
import { Button, Checkbox, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { fileQuery, limitsQuery, type FileItem } from '../api/queries.ts';
import { Confirm } from '../ui/confirm.tsx';
import { FormDialog, stillMissing } from '../ui/form-dialog.tsx';
import { useDraft } from '../state/use-draft.ts';
import { useForm } from '../state/use-form.ts';
import { notifyWithUndo } from '../ui/action-toast.tsx';
import { anySpeech, SpeechOptionsFields, speechOptionsBody, speechProblem } from '../uploads/speech-options.tsx';
import { soundTrackText } from '../file/sound-tracks.ts';
import { binDaysText } from './bin-days.ts';

type DialogProps = { readonly file: FileItem; readonly onClose: () => void; readonly onDone: () => void };

export function RenameDialog({ file, onClose, onDone }: DialogProps) {
  const suggested = useQuery(fileQuery(file.uuid)).data?.file_tags.title ?? null;
  const form = useForm({
    key: `file-title-edit:${file.uuid}`,
    saved: { title: file.title },
    send: (body) => call('PUT /api/files/{uuid}', { params: { uuid: file.uuid }, body }),
    refresh: onDone,
    onSaved: onClose,
  });
  return (
    <FormDialog
      title={t`Rename`}
      action={t`Save`}
      unready={stillMissing(form.fields.title === '' && t`Title`)}
      {...form.dialog}
      onClose={onClose}
    >
      <TextInput label={t`Title`} data-autofocus maxLength={255} required {...form.text('title')} />
      {suggested !== null && suggested !== form.value.title && (
        <Button
          variant="subtle"
          size="compact-sm"
          style={{ alignSelf: 'start' }}
          onClick={() => form.change({ title: suggested })}
        >
          {t`Use the title in the file: ${suggested}`}
        </Button>
      )}
    </FormDialog>
  );
}

export function AgainDialog({ file, onClose, onDone }: DialogProps) {
  const draft = useDraft(`transcribe-again:${file.uuid}`, anySpeech);
  const speech = draft.value;
  const tracks = useQuery(fileQuery(file.uuid)).data?.sound_tracks ?? [];
  const again = useMutation({
    mutationFn: () =>
      call('POST /api/files/{uuid}/reprocess', {
        params: { uuid: file.uuid },
        body: {
          ...speechOptionsBody(speech),
          speakers_by: speech.speakersBy ?? 'voice',
          tracks: speech.tracks === undefined || speech.tracks.length === 0 ? null : [...speech.tracks],
        },
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
      unready={speechProblem(speech)}
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
      {tracks.length > 1 && (
        <Checkbox.Group
          label={t`Sound tracks`}
          description={t`Without a choice, the tracks that carry speech are transcribed.`}
          value={(speech.tracks ?? []).map(String)}
          onChange={(chosen) => draft.set({ ...speech, tracks: chosen.map(Number) })}
        >
          <Stack gap={6} mt={6}>
            {tracks.map((track) => (
              <Checkbox key={track.number} value={String(track.number)} label={soundTrackText(track)} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
    </FormDialog>
  );
}

export function DeleteDialog({ file, onClose, onDone }: DialogProps) {
  const client = useQueryClient();
  const limits = useQuery(limitsQuery);
  return (
    <Confirm
      title={t`Delete this recording?`}
      action={t`Delete`}
      run={() => call('DELETE /api/files/{uuid}', { params: { uuid: file.uuid } })}
      onDone={() => {
        onDone();
        notifyWithUndo(t`Moved “${file.title}” to the bin.`, async () => {
          await call('POST /api/files/{uuid}/restore', { params: { uuid: file.uuid } });
          await client.invalidateQueries({ queryKey: ['files'] });
        });
      }}
      onClose={onClose}
    >
      <Text>
        {t`“${file.title}” and its transcript move to the bin.`} {binDaysText(limits.data?.bin_days)}{' '}
        {file.is_shared && t`The people with whom it is shared can no longer open it.`}
      </Text>
    </Confirm>
  );
}

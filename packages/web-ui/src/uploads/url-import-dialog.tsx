import { t } from '@lingui/core/macro';
import { Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { useDraft } from '../state/use-draft.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { notify } from '../ui/notify.ts';
import { anySpeech, SpeechOptionsFields, speechOptionsBody, speechProblem } from './speech-options.tsx';

const empty = { url: '', title: '', speech: anySpeech };

/** Asks for the address of a recording that the server downloads. */
export function UrlImportDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const draft = useDraft('import-url', empty);
  const { url, title, speech } = draft.value;
  const start = useMutation({
    mutationFn: () =>
      call('POST /api/files/import-url', {
        body: {
          url: url.trim(),
          ...(title.trim() === '' ? {} : { title: title.trim() }),
          ...speechOptionsBody(speech),
        },
      }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['files'] });
      draft.drop();
      onClose();
      notify(t`The recording is being downloaded. You can leave this page.`);
    },
  });
  return (
    <FormDialog
      title={t`Import from a link`}
      action={t`Import and transcribe`}
      ready={url.trim() !== '' && speechProblem(speech) === null}
      sending={start}
      draft={draft}
      failure={t`The recording couldn’t be imported`}
      onSubmit={() => start.mutate()}
      onClose={onClose}
    >
      <TextInput
        label={t`Address`}
        description={t`The address of an audio or video file, or of a page of a media site.`}
        type="url"
        inputMode="url"
        autoComplete="off"
        data-autofocus
        required
        maxLength={2048}
        value={url}
        onChange={(event) => draft.set({ ...draft.value, url: event.currentTarget.value })}
      />
      <TextInput
        label={t`Title`}
        description={t`Without a title, the name of the file is used.`}
        value={title}
        maxLength={255}
        onChange={(event) => draft.set({ ...draft.value, title: event.currentTarget.value })}
      />
      <SpeechOptionsFields value={speech} onChange={(next) => draft.set({ ...draft.value, speech: next })} />
      <Text size="sm" c="dimmed">
        {t`Only import recordings that you are allowed to copy.`}
      </Text>
    </FormDialog>
  );
}

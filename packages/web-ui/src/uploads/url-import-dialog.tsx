import { t } from '@lingui/core/macro';
import { Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { useForm } from '../state/use-form.ts';
import { FormDialog, stillMissing } from '../ui/form-dialog.tsx';
import { notify } from '../ui/notify.ts';
import { anySpeech, SpeechOptionsFields, speechOptionsBody, speechProblem } from './speech-options.tsx';

const empty = { url: '', title: '', speech: anySpeech };

/** Asks for the address of a recording that the server downloads. */
export function UrlImportDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const form = useForm({
    key: 'import-url',
    saved: empty,
    send: ({ url, title, speech }) =>
      call('POST /api/files/import-url', {
        body: { url, ...(title === '' ? {} : { title }), ...speechOptionsBody(speech) },
      }),
    refresh: () => void client.invalidateQueries({ queryKey: ['files'] }),
    onSaved: () => {
      onClose();
      notify(t`The recording is being downloaded. You can leave this page.`);
    },
  });
  return (
    <FormDialog
      title={t`Import from a link`}
      action={t`Import and transcribe`}
      unready={stillMissing(form.fields.url === '' && t`Address`) ?? speechProblem(form.value.speech)}
      failure={t`The recording couldn’t be imported`}
      {...form.dialog}
      fields={['url', 'title']}
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
        {...form.text('url')}
      />
      <TextInput
        label={t`Title`}
        description={t`Without a title, the name of the file is used.`}
        maxLength={255}
        {...form.text('title')}
      />
      <SpeechOptionsFields value={form.value.speech} onChange={(speech) => form.change({ speech })} />
      <Text size="sm" c="dimmed">
        {t`Only import recordings that you are allowed to copy.`}
      </Text>
    </FormDialog>
  );
}

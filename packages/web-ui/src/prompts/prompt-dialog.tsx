import { t } from '@lingui/core/macro';
import { NativeSelect, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { PromptContentType } from '@overtone/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { useForm } from '../state/use-form.ts';
import { FormDialog, stillMissing } from '../ui/form-dialog.tsx';
import { notify } from '../ui/notify.ts';
import { contentTypeLabels, contentTypes } from './labels.ts';
import type { PromptText } from './prompt-queries.ts';
import { startOf } from '../lib/characters.ts';

export type PromptFields = Pick<PromptText, 'name' | 'description' | 'text' | 'content_type' | 'tags'>;
export const newPrompt: PromptFields = { name: '', description: '', text: '', content_type: 'general', tags: [] };

type Props = {
  /** The prompt to change; without it a new one is created. */
  readonly uuid?: string;
  /** What the form contains at first: the prompt, or the one that is copied. */
  readonly fields: PromptFields;
  /** Separates the draft of a copy from that of a new prompt. */
  readonly copyOf?: string;
  readonly onClose: () => void;
};

/** Creates or changes a prompt. */
export function PromptDialog({ uuid, fields, copyOf, onClose }: Props) {
  const client = useQueryClient();
  const form = useForm({
    key: `prompt:${uuid ?? (copyOf === undefined ? 'new' : `copy:${copyOf}`)}`,
    saved: fields,
    send: (body, changed) =>
      uuid === undefined
        ? call('POST /api/prompts', { body })
        : call('PUT /api/prompts/{uuid}', { params: { uuid }, body: changed }),
    refresh: () => client.invalidateQueries({ queryKey: ['prompts'] }),
    onSaved: () => {
      notify(t`Prompt saved.`);
      onClose();
    },
  });
  return (
    <FormDialog
      title={uuid === undefined ? t`New prompt` : t`Change the prompt`}
      action={t`Save`}
      unready={stillMissing(form.fields.name === '' && t`Name`, form.fields.text === '' && t`Instructions`)}
      failure={t`The prompt wasn’t saved`}
      {...form.dialog}
      onClose={onClose}
    >
      <TextInput label={t`Name`} data-autofocus required maxLength={100} {...form.text('name')} />
      <NativeSelect
        label={t`For`}
        data={contentTypes.map((value) => ({ value, label: contentTypeLabels[value] }))}
        value={form.value.content_type}
        error={form.errorOf('content_type')}
        onChange={(event) => form.change({ content_type: event.currentTarget.value as PromptContentType })}
      />
      <Textarea
        label={t`Instructions`}
        description={t`What matters, and what to leave out. The shape of the summary and its links to the recording stay the same.`}
        autosize
        minRows={6}
        maxRows={16}
        required
        maxLength={20_000}
        {...form.text('text')}
      />
      <TextInput
        label={t`Description`}
        description={t`Shown in lists.`}
        maxLength={500}
        {...form.text('description')}
      />
      <TagsInput
        label={t`Tags`}
        value={form.value.tags}
        error={form.errorOf('tags')}
        maxTags={20}
        onChange={(next) =>
          form.change({ tags: next.map((tag) => startOf(tag.trim(), 50)).filter((tag) => tag !== '') })
        }
      />
    </FormDialog>
  );
}

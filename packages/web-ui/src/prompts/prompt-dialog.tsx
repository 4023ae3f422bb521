import { t } from '@lingui/core/macro';
import { NativeSelect, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { PromptContentType } from '@overtone/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { fieldOf } from '../api/problem.ts';
import { useEdits } from '../state/use-edits.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
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
  const draft = useEdits<PromptFields>(`prompt:${uuid ?? (copyOf === undefined ? 'new' : `copy:${copyOf}`)}`, fields);
  const { name, description, text, content_type, tags } = draft.value;
  const { change } = draft;
  const body = { name: name.trim(), description: description.trim(), text: text.trim(), content_type, tags };
  const save = useMutation({
    mutationFn: () =>
      uuid === undefined
        ? call('POST /api/prompts', { body })
        : call('PUT /api/prompts/{uuid}', { params: { uuid }, body: draft.changedOf(body) }),
    onSuccess: async () => {
      draft.drop();
      await client.invalidateQueries({ queryKey: ['prompts'] });
      notify(t`Prompt saved.`);
      onClose();
    },
  });
  return (
    <FormDialog
      title={uuid === undefined ? t`New prompt` : t`Change the prompt`}
      action={t`Save`}
      ready={body.name !== '' && body.text !== ''}
      sending={save}
      draft={draft}
      failure={t`The prompt wasn’t saved`}
      fields={['name', 'description', 'text']}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <TextInput
        label={t`Name`}
        data-autofocus
        required
        maxLength={100}
        value={name}
        error={fieldOf(save.error, 'name')}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <NativeSelect
        label={t`For`}
        data={contentTypes.map((value) => ({ value, label: contentTypeLabels[value] }))}
        value={content_type}
        onChange={(event) => change({ content_type: event.currentTarget.value as PromptContentType })}
      />
      <Textarea
        label={t`Instructions`}
        description={t`What matters, and what to leave out. The shape of the summary and its links to the recording stay the same.`}
        autosize
        minRows={6}
        maxRows={16}
        required
        maxLength={20_000}
        value={text}
        error={fieldOf(save.error, 'text')}
        onChange={(event) => change({ text: event.currentTarget.value })}
      />
      <TextInput
        label={t`Description`}
        description={t`Shown in lists.`}
        maxLength={500}
        value={description}
        error={fieldOf(save.error, 'description')}
        onChange={(event) => change({ description: event.currentTarget.value })}
      />
      <TagsInput
        label={t`Tags`}
        value={tags}
        maxTags={20}
        onChange={(next) => change({ tags: next.map((tag) => startOf(tag.trim(), 50)).filter((tag) => tag !== '') })}
      />
    </FormDialog>
  );
}

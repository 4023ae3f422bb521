import { t } from '@lingui/core/macro';
import { Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { fieldOf } from '../api/problem.ts';
import { useEdits } from '../state/use-edits.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { refreshCodes, type CodeList } from './code-queries.ts';

type Props = {
  /** The list to change; without it a new one is created. */
  readonly list?: CodeList;
  readonly onClose: () => void;
  readonly onDone: (list: CodeList) => void;
};

export function CodeListDialog({ list, onClose, onDone }: Props) {
  const client = useQueryClient();
  const draft = useEdits(`code-list:${list?.uuid ?? 'new'}`, {
    name: list?.name ?? '',
    description: list?.description ?? '',
  });
  const { name, description } = draft.value;
  const body = { name: name.trim(), description: description.trim() };
  const save = useMutation({
    mutationFn: () =>
      list
        ? call('PUT /api/code-lists/{uuid}', { params: { uuid: list.uuid }, body: draft.changedOf(body) })
        : call('POST /api/code-lists', { body }),
    onSuccess: (saved) => {
      void refreshCodes(client);
      draft.drop();
      onClose();
      onDone(saved);
    },
  });
  return (
    <FormDialog
      title={list ? t`Edit list` : t`Create list of codes`}
      action={list ? t`Save` : t`Create`}
      ready={name.trim() !== ''}
      sending={save}
      draft={draft}
      failure={t`The list wasn’t saved`}
      fields={['name', 'description']}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <TextInput
        label={t`Name`}
        data-autofocus
        required
        maxLength={120}
        value={name}
        error={fieldOf(save.error, 'name')}
        onChange={(event) => draft.change({ name: event.currentTarget.value })}
      />
      <Textarea
        label={t`Description`}
        autosize
        minRows={2}
        maxLength={2000}
        value={description}
        error={fieldOf(save.error, 'description')}
        onChange={(event) => draft.change({ description: event.currentTarget.value })}
      />
    </FormDialog>
  );
}

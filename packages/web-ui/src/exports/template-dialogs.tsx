import { t } from '@lingui/core/macro';
import { Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { fieldOf } from '../api/problem.ts';
import { useDraft } from '../state/use-draft.ts';
import { Confirm } from '../ui/confirm.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { refreshTemplates, type ExportTemplate } from './template-queries.ts';

type Props = { readonly template: ExportTemplate; readonly onClose: () => void };

export function RenameTemplateDialog({ template: { uuid, name: before }, onClose }: Props) {
  const client = useQueryClient();
  const draft = useDraft(`export-template:${uuid}`, before);
  const name = draft.value.trim();
  const rename = useMutation({
    mutationFn: () => call('PUT /api/export-templates/{uuid}', { params: { uuid }, body: { name } }),
    onSuccess: async () => {
      draft.drop();
      await refreshTemplates(client);
      onClose();
    },
  });
  return (
    <FormDialog
      title={t`Rename the template`}
      action={t`Save`}
      ready={name !== ''}
      sending={rename}
      draft={draft}
      failure={t`The template wasn’t changed`}
      fields={['name']}
      onSubmit={() => rename.mutate()}
      onClose={onClose}
    >
      <TextInput
        label={t`Name`}
        data-autofocus
        required
        maxLength={120}
        value={draft.value}
        error={fieldOf(rename.error, 'name')}
        onChange={(event) => draft.set(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

export function DeleteTemplateDialog({ template: { uuid, name }, onClose }: Props) {
  const client = useQueryClient();
  return (
    <Confirm
      title={t`Delete the template ${name}?`}
      action={t`Delete`}
      run={() => call('DELETE /api/export-templates/{uuid}', { params: { uuid } })}
      onDone={() => void refreshTemplates(client)}
      onClose={onClose}
    >
      <Text size="sm">{t`Nobody can choose it any more. Exports that were made with it stay.`}</Text>
    </Confirm>
  );
}

import { t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { NameDialog } from '../naming/name-dialog.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { refreshTemplates, type ExportTemplate } from './template-queries.ts';

type Props = { readonly template: ExportTemplate; readonly onClose: () => void };

export function RenameTemplateDialog({ template: { uuid, name }, onClose }: Props) {
  const client = useQueryClient();
  return (
    <NameDialog
      title={t`Rename the template`}
      failure={t`The template wasn’t changed`}
      draftKey={`export-template-name:${uuid}`}
      name={name}
      maxLength={120}
      send={(next) => call('PUT /api/export-templates/{uuid}', { params: { uuid }, body: { name: next } })}
      refresh={() => refreshTemplates(client)}
      onClose={onClose}
    />
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

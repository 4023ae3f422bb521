import { t } from '@lingui/core/macro';
import { FileInput, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, sendFile } from '../../api/client.ts';
import { fieldOf } from '../../api/problem.ts';
import { refreshWordTemplates, type WordTemplate } from '../../exports/word-template-queries.ts';
import { NameDialog } from '../../naming/name-dialog.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { FormDialog, stillMissing } from '../../ui/form-dialog.tsx';
import { Icon } from '../../ui/icons.tsx';
import { notify } from '../../ui/notify.ts';

type Props = { readonly template: WordTemplate; readonly onClose: () => void };

const accepted =
  '.docx,.dotx,application/vnd.openxmlformats-officedocument.wordprocessingml.document,application/vnd.openxmlformats-officedocument.wordprocessingml.template';

export function AddWordTemplateDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const [document, setDocument] = useState<File | null>(null);
  const [name, setName] = useState('');
  const add = useMutation({
    mutationFn: (file: File) => sendFile('POST /api/admin/word-templates', file, { query: { name: name.trim() } }),
    onSuccess: async () => {
      await refreshWordTemplates(client);
      notify(t`Word template added.`);
      onClose();
    },
  });
  return (
    <FormDialog
      title={t`Add a Word template`}
      action={t`Add template`}
      unready={stillMissing(document === null && t`Word document`, name.trim() === '' && t`Name`)}
      sending={add}
      failure={t`The template wasn’t added`}
      fields={['name']}
      onSubmit={() => document && add.mutate(document)}
      onClose={onClose}
    >
      <DocumentField
        value={document}
        onChange={(next) => {
          setDocument(next);
          if (next && name.trim() === '') setName(next.name.replace(/\.[^.]+$/, '').slice(0, 120));
        }}
      />
      <TextInput
        label={t`Name`}
        required
        maxLength={120}
        value={name}
        error={fieldOf(add.error, 'name')}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

export function ReplaceWordTemplateDialog({ template: { uuid, name }, onClose }: Props) {
  const client = useQueryClient();
  const [document, setDocument] = useState<File | null>(null);
  const replace = useMutation({
    mutationFn: (file: File) => sendFile('PUT /api/admin/word-templates/{uuid}/content', file, { params: { uuid } }),
    onSuccess: async () => {
      await refreshWordTemplates(client);
      notify(t`Word template replaced.`);
      onClose();
    },
  });
  return (
    <FormDialog
      title={t`Replace the document of ${name}`}
      action={t`Replace`}
      unready={stillMissing(document === null && t`Word document`)}
      sending={replace}
      failure={t`The template wasn’t replaced`}
      onSubmit={() => document && replace.mutate(document)}
      onClose={onClose}
    >
      <DocumentField value={document} onChange={setDocument} />
      <Text size="sm">{t`Later exports have the new document. Exports that were made before stay as they are.`}</Text>
    </FormDialog>
  );
}

export function RenameWordTemplateDialog({ template: { uuid, name }, onClose }: Props) {
  const client = useQueryClient();
  return (
    <NameDialog
      title={t`Rename the Word template`}
      failure={t`The template wasn’t changed`}
      draftKey={`word-template-name:${uuid}`}
      name={name}
      maxLength={120}
      send={(next) => call('PUT /api/admin/word-templates/{uuid}', { params: { uuid }, body: { name: next } })}
      refresh={() => refreshWordTemplates(client)}
      onClose={onClose}
    />
  );
}

export function DeleteWordTemplateDialog({ template: { uuid, name }, onClose }: Props) {
  const client = useQueryClient();
  return (
    <Confirm
      title={t`Delete the Word template ${name}?`}
      action={t`Delete`}
      run={() => call('DELETE /api/admin/word-templates/{uuid}', { params: { uuid } })}
      onDone={() => void refreshWordTemplates(client)}
      onClose={onClose}
    >
      <Text size="sm">
        {t`Exports that chose it get the standard layout, and a sentence that says so. Exports that were made before stay as they are.`}
      </Text>
    </Confirm>
  );
}

function DocumentField({ value, onChange }: { value: File | null; onChange: (next: File | null) => void }) {
  return (
    <FileInput
      label={t`Word document`}
      description={t`A document (.docx) or a Word template (.dotx) with up to 5 MB, without macros and without pictures from other servers.`}
      placeholder={t`Choose a file`}
      styles={{ placeholder: { color: 'var(--mantine-color-dimmed)' } }}
      accept={accepted}
      leftSection={<Icon name="file" size={18} />}
      value={value}
      fileInputProps={{ 'data-testid': 'word-template-input' } as object}
      onChange={onChange}
    />
  );
}

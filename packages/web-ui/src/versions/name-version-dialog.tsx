import { t } from '@lingui/core/macro';
import { Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { fieldOf } from '../api/problem.ts';
import { useDraft } from '../state/use-draft.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { notify } from '../ui/notify.ts';
import { versionsKey } from './version-queries.ts';

export function NameVersionDialog({ fileId, onClose }: { fileId: string; onClose: () => void }) {
  const client = useQueryClient();
  const draft = useDraft(`version:${fileId}`, '');
  const name = draft.value.trim();
  const save = useMutation({
    mutationFn: () => call('POST /api/files/{uuid}/transcript/versions', { params: { uuid: fileId }, body: { name } }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: versionsKey(fileId) });
      draft.drop();
      onClose();
      notify(t`This version is named “${name}”.`);
    },
  });
  return (
    <FormDialog
      title={t`Name this version`}
      action={t`Save`}
      ready={name !== ''}
      sending={save}
      failure={t`The version wasn’t named`}
      fields={['name']}
      draft={draft}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <Text size="sm" c="dimmed">
        {t`You can compare the transcript with this version later, and restore it.`}
      </Text>
      <TextInput
        label={t`Name`}
        value={draft.value}
        maxLength={200}
        data-autofocus
        error={fieldOf(save.error, 'name')}
        onChange={(event) => draft.set(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

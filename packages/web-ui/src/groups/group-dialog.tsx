import { t } from '@lingui/core/macro';
import { Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { fieldOf } from '../api/problem.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useEdits } from '../state/use-edits.ts';
import type { GroupDetail } from './group-queries.ts';

type Props = {
  /** The group to change; without it a new one is created. */
  readonly group?: GroupDetail;
  readonly onClose: () => void;
  readonly onDone: (group: GroupDetail) => void;
};

export function GroupDialog({ group, onClose, onDone }: Props) {
  const client = useQueryClient();
  const draft = useEdits(`group:${group?.uuid ?? 'new'}`, {
    name: group?.name ?? '',
    description: group?.description ?? '',
  });
  const { name, description } = draft.value;
  const body = { name: name.trim(), description: description.trim() };
  const save = useMutation({
    mutationFn: () =>
      group
        ? call('PUT /api/groups/{uuid}', { params: { uuid: group.uuid }, body: draft.changedOf(body) })
        : call('POST /api/groups', { body }),
    onSuccess: (saved) => {
      client.setQueryData(['group', saved.uuid], saved);
      void client.invalidateQueries({ queryKey: ['groups'] });
      draft.drop();
      onClose();
      onDone(saved);
    },
  });
  return (
    <FormDialog
      title={group ? t`Edit group` : t`Add group`}
      action={group ? t`Save` : t`Add group`}
      ready={name.trim() !== ''}
      sending={save}
      draft={draft}
      failure={t`The group wasn’t saved`}
      fields={['name', 'description']}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <TextInput
        label={t`Name`}
        data-autofocus
        required
        maxLength={200}
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

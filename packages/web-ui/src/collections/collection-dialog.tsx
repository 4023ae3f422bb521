import { t } from '@lingui/core/macro';
import { Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { fieldOf } from '../api/problem.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useEdits } from '../state/use-edits.ts';
import { refreshCollections, type Collection } from './collection-queries.ts';

type Props = {
  /** The collection to change; without it a new one is created. */
  readonly collection?: Collection;
  readonly onClose: () => void;
  readonly onDone: (collection: Collection) => void;
};

export function CollectionDialog({ collection, onClose, onDone }: Props) {
  const client = useQueryClient();
  const draft = useEdits(`collection:${collection?.uuid ?? 'new'}`, {
    name: collection?.name ?? '',
    description: collection?.description ?? '',
  });
  const { name, description } = draft.value;
  const body = { name: name.trim(), description: description.trim() };
  const save = useMutation({
    mutationFn: () =>
      collection
        ? call('PUT /api/collections/{uuid}', { params: { uuid: collection.uuid }, body: draft.changedOf(body) })
        : call('POST /api/collections', { body }),
    onSuccess: (saved) => {
      void refreshCollections(client);
      draft.drop();
      onClose();
      onDone(saved);
    },
  });
  return (
    <FormDialog
      title={collection ? t`Edit collection` : t`Create collection`}
      action={collection ? t`Save` : t`Create`}
      ready={name.trim() !== ''}
      sending={save}
      draft={draft}
      failure={t`The collection wasn’t saved`}
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

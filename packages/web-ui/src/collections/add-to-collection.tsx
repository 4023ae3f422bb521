import { plural, t } from '@lingui/core/macro';
import { SegmentedControl, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import type { FileItem } from '../api/queries.ts';
import { fieldOf } from '../api/problem.ts';
import { useDraft } from '../state/use-draft.ts';
import { FormDialog, stillMissing } from '../ui/form-dialog.tsx';
import { CollectionSelect } from './collection-select.tsx';
import { useAddToCollection } from './use-add-to-collection.ts';

type Props = {
  readonly files: readonly Pick<FileItem, 'uuid'>[];
  readonly onClose: () => void;
  readonly onDone?: () => void;
};
type Fields = { readonly kind: 'known' | 'new'; readonly uuid: string | null; readonly name: string };
const empty: Fields = { kind: 'known', uuid: null, name: '' };

/** Adds recordings to a collection, or to a new one. */
export function AddToCollection({ files, onClose, onDone }: Props) {
  const draft = useDraft('add-to-collection', empty);
  const { kind, uuid, name } = draft.value;
  const add = useAddToCollection(() => {
    draft.drop();
    onClose();
    onDone?.();
  });
  const create = useMutation({
    mutationFn: () => call('POST /api/collections', { body: { name: name.trim() } }),
    // When adding fails, the collection exists: the next attempt adds to it.
    onSuccess: (made) => {
      draft.set({ kind: 'known', uuid: made.uuid, name: '' });
      addTo(made.uuid);
    },
  });
  function addTo(collection: string): void {
    add.mutate({ collection, files: files.map((file) => file.uuid) });
  }
  return (
    <FormDialog
      title={t`Add ${plural(files.length, { one: '# recording', other: '# recordings' })} to a collection`}
      action={t`Add`}
      unready={stillMissing(
        kind === 'known' && uuid === null && t`Collection`,
        kind === 'new' && name.trim() === '' && t`Name of the new collection`,
      )}
      sending={{ error: create.error ?? add.error, isPending: create.isPending || add.isPending }}
      draft={draft}
      failure={t`The recordings weren’t added`}
      fields={['name']}
      onSubmit={() => (kind === 'new' ? create.mutate() : uuid !== null && addTo(uuid))}
      onClose={onClose}
    >
      <SegmentedControl
        aria-label={t`Which collection`}
        style={{ alignSelf: 'flex-start' }}
        value={kind}
        onChange={(next) => draft.set({ ...draft.value, kind: next })}
        data={[
          { value: 'known', label: t`A collection` },
          { value: 'new', label: t`A new one` },
        ]}
      />
      {kind === 'known' ? (
        <CollectionSelect editable value={uuid} onChange={(next) => draft.set({ ...draft.value, uuid: next })} />
      ) : (
        <TextInput
          label={t`Name of the new collection`}
          required
          maxLength={120}
          value={name}
          error={fieldOf(create.error, 'name')}
          onChange={(event) => draft.set({ ...draft.value, name: event.currentTarget.value })}
        />
      )}
    </FormDialog>
  );
}

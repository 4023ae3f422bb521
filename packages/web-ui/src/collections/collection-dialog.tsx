import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { DescribedDialog } from '../naming/name-dialog.tsx';
import { refreshCollections, type Collection } from './collection-queries.ts';

type Props = {
  /** The collection to change; without it a new one is created. */
  readonly collection?: Collection;
  readonly onClose: () => void;
  readonly onDone: (collection: Collection) => void;
};

export function CollectionDialog({ collection, onClose, onDone }: Props) {
  const client = useQueryClient();
  return (
    <DescribedDialog
      title={collection ? t`Edit collection` : t`Create collection`}
      action={collection ? t`Save` : t`Create`}
      failure={t`The collection wasn’t saved`}
      draftKey={`collection:${collection?.uuid ?? 'new'}`}
      saved={{ name: collection?.name ?? '', description: collection?.description ?? '' }}
      maxLength={120}
      send={(body, changed) =>
        collection
          ? call('PUT /api/collections/{uuid}', { params: { uuid: collection.uuid }, body: changed })
          : call('POST /api/collections', { body })
      }
      refresh={() => refreshCollections(client)}
      onDone={onDone}
      onClose={onClose}
    />
  );
}

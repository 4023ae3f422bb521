import { plural, t } from '@lingui/core/macro';
import { Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ApiError } from '@overtone/client';
import { call } from '../api/client.ts';
import { AskPanel } from '../ask/ask-panel.tsx';
import { ArchiveButton } from '../exports/archive-button.tsx';
import { ShareableActions } from '../sharing/shareable-actions.tsx';
import { sharedCollection } from '../sharing/shared.ts';
import { GonePage, NotFoundPage } from '../ui/not-found-page.tsx';
import { notify } from '../ui/notify.ts';
import { Pane, Section } from '../ui/pane.tsx';
import { QueryStatus } from '../ui/query-status.tsx';
import { CollectionDialog } from './collection-dialog.tsx';
import { CollectionFiles } from './collection-files.tsx';
import { CollectionBadges } from './collections-page.tsx';
import { collectionQuery, refreshCollections, type Collection } from './collection-queries.ts';

export function CollectionPage() {
  const { uuid } = useParams({ from: '/inside/collections/$uuid' });
  const query = useQuery(collectionQuery(uuid));
  const collection = query.data;
  if (query.error instanceof ApiError && (query.error.status === 404 || query.error.status === 400))
    return <GoneCollection collection={collection} />;
  return (
    <Pane
      title={collection?.name ?? t`Collection`}
      actions={collection && collection.my_permission !== 'viewer' && <Actions collection={collection} />}
      back={{ to: '/collections', label: t`All collections` }}
    >
      <QueryStatus of={query} failure={t`The collection couldn’t be loaded`} />
      {collection && (
        <Stack gap="lg">
          <Group gap="xs">
            <Text size="sm" c="dimmed">
              {plural(collection.media_count, { one: '# recording', other: '# recordings' })}
            </Text>
            <CollectionBadges collection={collection} />
            <Link to="/" search={{ collection: uuid }} className="ot-link">
              {t`Show in the library`}
            </Link>
            <Link to="/search" search={{ collection: uuid }} className="ot-link">
              {t`Search in it`}
            </Link>
            {collection.media_count > 0 && (
              <ArchiveButton size="compact-sm" source={{ collection_uuid: uuid }} count={collection.media_count} />
            )}
          </Group>
          {collection.description !== '' && (
            <Text style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-line' }}>{collection.description}</Text>
          )}
          {collection.media_count > 0 && (
            <Section title={t`Ask`}>
              <AskPanel key={uuid} scope="collection" uuid={uuid} />
            </Section>
          )}
          <CollectionFiles collection={collection} />
        </Stack>
      )}
    </Pane>
  );
}

/** @param collection as it was when it could be read last; undefined: it was not open */
function GoneCollection({ collection }: { collection: Collection | undefined }) {
  if (!collection) return <NotFoundPage />;
  const { name, my_permission: permission, owner_name: owner } = collection;
  if (permission === 'owner') return <GonePage title={name} text={t`This collection was deleted.`} />;
  return (
    <GonePage
      title={name}
      text={
        owner === null
          ? t`This collection is no longer shared with you, or was deleted.`
          : t`${owner} no longer shares this collection with you, or deleted it.`
      }
    />
  );
}

function Actions({ collection }: { collection: Collection }) {
  const client = useQueryClient();
  return (
    <ShareableActions
      name={collection.name}
      isOwner={collection.my_permission === 'owner'}
      shared={sharedCollection(collection)}
      edit={(close) => (
        <CollectionDialog collection={collection} onClose={close} onDone={() => notify(t`Collection saved.`)} />
      )}
      warning={t`Its recordings stay. People with whom only the collection was shared can no longer see them. You can’t undo this.`}
      remove={() => call('DELETE /api/collections/{uuid}', { params: { uuid: collection.uuid } })}
      refresh={() => void refreshCollections(client)}
      list="/collections"
    />
  );
}

import { t } from '@lingui/core/macro';
import { ActionIcon, Badge, Button, Group, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { libraryPageSize } from '../api/queries.ts';
import { clock, moment } from '../lib/format.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Icon } from '../ui/icons.tsx';
import { notify } from '../ui/notify.ts';
import { notifyWithUndo } from '../ui/action-toast.tsx';
import { Pager } from '../ui/pager.tsx';
import { Section } from '../ui/pane.tsx';
import { Empty, QueryStatus } from '../ui/query-status.tsx';
import { AddFiles } from './add-files.tsx';
import {
  collectionFilesQuery,
  refreshCollections,
  type Collection,
  type CollectionFile,
} from './collection-queries.ts';

/** The recordings of a collection that the person may see. */
export function CollectionFiles({ collection }: { collection: Collection }) {
  const [page, setPage] = useState(1);
  const [adding, setAdding] = useState(false);
  const files = useQuery(collectionFilesQuery(collection.uuid, page));
  const isEditable = collection.my_permission !== 'viewer';
  const { items = [], total = 0 } = files.data ?? {};
  return (
    <Section title={t`Recordings`}>
      {isEditable && (
        <Button
          size="sm"
          variant="light"
          mb="sm"
          leftSection={<Icon name="plus" size={17} />}
          onClick={() => setAdding(true)}
        >
          {t`Add recordings`}
        </Button>
      )}
      <QueryStatus of={files} failure={t`The recordings couldn’t be loaded`} />
      {files.data && total === 0 && <Empty>{t`No recordings in this collection yet.`}</Empty>}
      {items.length > 0 && (
        <ul className="ot-list" data-testid="collection-files">
          {items.map((file) => (
            <FileEntry key={file.uuid} file={file} collection={collection} isEditable={isEditable} />
          ))}
        </ul>
      )}
      <Pager page={page} total={total} size={libraryPageSize} onPage={setPage} mt="md" />
      {collection.is_shared && (
        <Text size="xs" c="dimmed" mt="sm">
          {t`Sharing the collection shares only recordings that its owner owns and added. Recordings of other people stay visible only to those who can see them already.`}
        </Text>
      )}
      {adding && <AddFiles collection={collection} onClose={() => setAdding(false)} />}
    </Section>
  );
}

type RemoveProps = { readonly file: CollectionFile; readonly collection: Collection; readonly onClose: () => void };

/** Only the owner of both can add it again so that it is shared as before: then the removal can be undone. */
function RemoveFile({ file, collection, onClose }: RemoveProps) {
  const client = useQueryClient();
  const { owner_name: owner } = file;
  const params = { uuid: collection.uuid };
  const body = { media_file_ids: [file.uuid] };
  const undo = async (): Promise<void> => {
    await call('POST /api/collections/{uuid}/media', { params, body });
    await refreshCollections(client);
  };
  return (
    <Confirm
      title={t`Remove “${file.title}” from “${collection.name}”?`}
      action={t`Remove`}
      run={() => call('DELETE /api/collections/{uuid}/media', { params, body })}
      onDone={() => {
        void refreshCollections(client);
        const done = t`“${file.title}” was removed from the collection.`;
        if (owner === null && collection.owner_name === null) notifyWithUndo(done, undo);
        else notify(done);
      }}
      onClose={onClose}
    >
      <Text size="sm">
        {owner === null
          ? t`The recording itself stays in your library.`
          : t`The recording belongs to ${owner} and stays in their library.`}
      </Text>
      {collection.is_shared && (
        <Text size="sm" mt="xs">
          {t`People who see it only through this collection lose access.`}
        </Text>
      )}
    </Confirm>
  );
}

type EntryProps = {
  readonly file: CollectionFile;
  readonly collection: Collection;
  readonly isEditable: boolean;
};

function FileEntry({ file, collection, isEditable }: EntryProps) {
  const [asks, setAsks] = useState(false);
  const facts = [
    file.duration === null ? null : clock(file.duration),
    moment(file.recorded_date ?? file.upload_time),
    file.owner_name === null ? null : t`Owner: ${file.owner_name}`,
  ];
  return (
    <li className="ot-entry">
      <div style={{ minWidth: 0 }}>
        <Group gap="xs">
          <Link
            to="/files/$uuid"
            params={{ uuid: file.uuid }}
            className="ot-row-link"
            dir="auto"
            style={{ overflowWrap: 'anywhere' }}
          >
            {file.title}
          </Link>
          {file.status !== 'completed' && (
            <Badge size="sm" variant="light" color="gray" tt="none">
              {file.display_status}
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed">
          {facts.filter((fact) => fact !== null).join(' · ')}
        </Text>
      </div>
      {isEditable && (
        <ActionIcon aria-label={t`Remove ${file.title} from the collection`} onClick={() => setAsks(true)}>
          <Icon name="close" size={17} />
        </ActionIcon>
      )}
      {asks && <RemoveFile file={file} collection={collection} onClose={() => setAsks(false)} />}
    </li>
  );
}

import { Anchor, Button, Center, Group, Modal, NativeSelect, Pagination, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { binQuery, libraryPageSize, meQuery, type BinnedFile } from '../api/queries.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { Icon } from '../ui/icons.tsx';
import { notify, notifyError } from '../ui/notify.ts';
import { ago, bytes, clock, moment } from '../lib/format.ts';
import { daysLeftText } from './days-left.ts';
import { FileListPending } from './file-list.tsx';
import css from './library.module.css';

/** Deleted recordings, which can be restored for a limited time. */
export function BinPage() {
  useDocumentTitle('Bin · Overtone');
  const me = useQuery(meQuery).data;
  const [ownership, setOwnership] = useState<'mine' | 'all'>('mine');
  const [page, setPage] = useState(1);
  const [chosen, setChosen] = useState<BinnedFile | null>(null);
  const bin = useQuery(binQuery(page, ownership));
  const total = bin.data?.total ?? 0;
  const pages = Math.ceil(total / libraryPageSize);
  return (
    <div className="ot-page">
      <Group justify="space-between" align="baseline">
        <Title order={1} size="h2">
          Bin
        </Title>
        <Anchor component={Link} to="/" size="sm" underline="always" c="dimmed">
          Back to the library
        </Anchor>
      </Group>
      <Group justify="space-between" mb="md" mt={4} gap="xs">
        <Text size="sm" c="dimmed">
          Recordings stay here for 30 days. After that they are deleted permanently.
        </Text>
        {me && me.role !== 'user' && (
          <NativeSelect
            aria-label="Whose recordings"
            value={ownership}
            data={[
              { value: 'mine', label: 'Mine' },
              { value: 'all', label: 'All users' },
            ]}
            onChange={(event) => {
              setOwnership(event.currentTarget.value as 'mine' | 'all');
              setPage(1);
            }}
          />
        )}
      </Group>
      {bin.isError && (
        <ErrorNote error={bin.error} title="The bin couldn’t be loaded" onRetry={() => void bin.refetch()} />
      )}
      {bin.isPending && <FileListPending view="list" />}
      {bin.data && total === 0 && <EmptyBin />}
      {bin.data && total > 0 && (
        <ul className={css['rows']} aria-label="Deleted recordings" data-testid="bin-list">
          {bin.data.items.map((file) => (
            <BinRow key={file.uuid} file={file} onDelete={() => setChosen(file)} />
          ))}
        </ul>
      )}
      {pages > 1 && (
        <Center mt="xl">
          <Pagination
            value={page}
            total={pages}
            onChange={setPage}
            getControlProps={(control) => ({ 'aria-label': `${control} page` })}
            aria-label="Pages"
          />
        </Center>
      )}
      {chosen && <PurgeDialog file={chosen} onClose={() => setChosen(null)} />}
    </div>
  );
}

function BinRow({ file, onDelete }: { file: BinnedFile; onDelete: () => void }) {
  const client = useQueryClient();
  const restore = useMutation({
    mutationFn: () => call('POST /api/files/{uuid}/restore', { params: { uuid: file.uuid } }),
    onSuccess: () => notify(`Restored “${file.title}”.`),
    onError: (error) => notifyError(`“${file.title}” couldn’t be restored`, error),
    onSettled: () => client.invalidateQueries({ queryKey: ['files'] }),
  });
  return (
    <li className={`ot-card ${css['binRow']}`} data-testid="bin-item" data-uuid={file.uuid}>
      <div className={css['rowTitle']}>
        <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
          {file.title}
        </Text>
        <Text size="xs" c="dimmed" title={moment(file.deleted_at)}>
          {factsOf(file)}
        </Text>
      </div>
      <Text size="sm" title={moment(file.purge_at)}>
        {daysLeftText(file.purge_at)}
      </Text>
      <Group gap="xs">
        <Button
          size="compact-sm"
          variant="light"
          aria-label={`Restore ${file.title}`}
          loading={restore.isPending}
          onClick={() => restore.mutate()}
        >
          Restore
        </Button>
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          aria-label={`Delete permanently: ${file.title}`}
          onClick={onDelete}
        >
          Delete permanently
        </Button>
      </Group>
    </li>
  );
}

function factsOf(file: BinnedFile): string {
  return [
    file.duration === null ? null : clock(file.duration),
    bytes(file.file_size),
    `deleted ${ago(file.deleted_at)}${file.deleted_by_name === null ? '' : ` by ${file.deleted_by_name}`}`,
    file.owner_name === null ? null : `owner: ${file.owner_name}`,
  ]
    .filter((fact) => fact !== null)
    .join(' · ');
}

function PurgeDialog({ file, onClose }: { file: BinnedFile; onClose: () => void }) {
  const client = useQueryClient();
  const purge = useMutation({
    mutationFn: () => call('DELETE /api/files/bin/{uuid}', { params: { uuid: file.uuid } }),
    onSuccess: () => {
      onClose();
      notify(`Deleted “${file.title}” permanently.`);
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['files'] }),
  });
  return (
    <Modal opened onClose={onClose} title={<b>Delete permanently?</b>}>
      <Stack gap="md">
        {purge.error && <ErrorNote error={purge.error} />}
        <Text>“{file.title}” and its transcript will be deleted. This can’t be undone.</Text>
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={onClose}>
            Cancel
          </Button>
          <Button color="red" loading={purge.isPending} onClick={() => purge.mutate()}>
            Delete permanently
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function EmptyBin() {
  return (
    <section className={css['empty']} data-testid="empty-bin">
      <Icon name="trash" size={36} />
      <Title order={2} size="h3">
        The bin is empty
      </Title>
      <Text c="dimmed">Deleted recordings appear here.</Text>
    </section>
  );
}

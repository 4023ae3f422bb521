import { t } from '@lingui/core/macro';
import { Anchor, Button, Checkbox, Group, NativeSelect, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Pager } from '../ui/pager.tsx';
import { call } from '../api/client.ts';
import { binQuery, libraryPageSize, limitsQuery, meQuery, type BinnedFile } from '../api/queries.ts';
import { Confirm } from '../ui/confirm.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Icon } from '../ui/icons.tsx';
import { notify, notifyError } from '../ui/notify.ts';
import { ago, bytes, clock, moment } from '../lib/format.ts';
import { BinBar } from './bin-bar.tsx';
import { binText } from './bin-days.ts';
import { daysLeftText } from './days-left.ts';
import { FileListPending } from './file-list.tsx';
import css from './library.module.css';

/** Deleted recordings, which can be restored for a limited time. */
export function BinPage() {
  useDocumentTitle(t`Bin · Overtone`);
  const me = useQuery(meQuery).data;
  const [ownership, setOwnership] = useState<'mine' | 'all'>('mine');
  const [page, setPage] = useState(1);
  const [chosen, setChosen] = useState<BinnedFile | null>(null);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const bin = useQuery(binQuery(page, ownership));
  const limits = useQuery(limitsQuery);
  const total = bin.data?.total ?? 0;
  return (
    <div className="ot-page">
      <Group justify="space-between" align="baseline">
        <Title order={1} size="h2">
          {t`Bin`}
        </Title>
        <Anchor component={Link} to="/" size="sm" underline="always" c="dimmed">
          {t`Back to the library`}
        </Anchor>
      </Group>
      <Group justify="space-between" mb="md" mt={4} gap="xs">
        <Text size="sm" c="dimmed">
          {binText(limits.data?.bin_days)}
        </Text>
        {me && me.role !== 'user' && (
          <NativeSelect
            aria-label={t`Whose recordings`}
            value={ownership}
            data={[
              { value: 'mine', label: t`Mine` },
              { value: 'all', label: t`All users` },
            ]}
            onChange={(event) => {
              setOwnership(event.currentTarget.value as 'mine' | 'all');
              setPage(1);
              setSelected(new Set());
            }}
          />
        )}
      </Group>
      {bin.isError && (
        <ErrorNote error={bin.error} title={t`The bin couldn’t be loaded`} onRetry={() => void bin.refetch()} />
      )}
      {bin.data && total > 0 && (
        <BinBar
          key={ownership}
          ownership={ownership}
          total={total}
          selected={selected}
          onDone={() => {
            setSelected(new Set());
            setPage(1);
          }}
        />
      )}
      {bin.isPending && <FileListPending view="list" />}
      {bin.data && total === 0 && <EmptyBin />}
      {bin.data && total > 0 && (
        <ul className={css['rows']} aria-label={t`Deleted recordings`} data-testid="bin-list">
          {bin.data.items.map((file) => (
            <BinRow
              key={file.uuid}
              file={file}
              selected={selected.has(file.uuid)}
              onSelect={() => setSelected(toggled(selected, file.uuid))}
              onDelete={() => setChosen(file)}
            />
          ))}
        </ul>
      )}
      <Pager page={page} total={total} size={libraryPageSize} onPage={setPage} mt="xl" />
      {chosen && <PurgeDialog file={chosen} onClose={() => setChosen(null)} />}
    </div>
  );
}

function toggled(selected: ReadonlySet<string>, uuid: string): ReadonlySet<string> {
  const next = new Set(selected);
  if (!next.delete(uuid)) next.add(uuid);
  return next;
}

type RowProps = {
  readonly file: BinnedFile;
  readonly selected: boolean;
  readonly onSelect: () => void;
  readonly onDelete: () => void;
};

function BinRow({ file, selected, onSelect, onDelete }: RowProps) {
  const client = useQueryClient();
  const restore = useMutation({
    mutationFn: () => call('POST /api/files/{uuid}/restore', { params: { uuid: file.uuid } }),
    onSuccess: () => notify(t`Restored “${file.title}”.`),
    onError: (error) => notifyError(t`“${file.title}” couldn’t be restored`, error),
    onSettled: () => client.invalidateQueries({ queryKey: ['files'] }),
  });
  return (
    <li className={`ot-card ${css['binRow']}`} data-testid="bin-item" data-uuid={file.uuid}>
      <Checkbox size="sm" aria-label={t`Select ${file.title}`} checked={selected} onChange={onSelect} />
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
          aria-label={t`Restore ${file.title}`}
          loading={restore.isPending}
          onClick={() => restore.mutate()}
        >
          {t`Restore`}
        </Button>
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          aria-label={t`Delete permanently: ${file.title}`}
          onClick={onDelete}
        >
          {t`Delete permanently`}
        </Button>
      </Group>
    </li>
  );
}

function factsOf(file: BinnedFile): string {
  return [
    file.duration === null ? null : clock(file.duration),
    file.file_size === null ? null : bytes(file.file_size),
    file.deleted_by_name === null
      ? t`deleted ${ago(file.deleted_at)}`
      : t`deleted ${ago(file.deleted_at)} by ${file.deleted_by_name}`,
    file.owner_name === null ? null : t`owner: ${file.owner_name}`,
  ]
    .filter((fact) => fact !== null)
    .join(' · ');
}

function PurgeDialog({ file, onClose }: { file: BinnedFile; onClose: () => void }) {
  const client = useQueryClient();
  return (
    <Confirm
      title={t`Delete permanently?`}
      action={t`Delete permanently`}
      run={() => call('DELETE /api/files/bin/{uuid}', { params: { uuid: file.uuid } })}
      onDone={() => {
        void client.invalidateQueries({ queryKey: ['files'] });
        notify(t`Deleted “${file.title}” permanently.`);
      }}
      onClose={onClose}
    >
      <Text>{t`“${file.title}” and its transcript will be deleted. This can’t be undone.`}</Text>
    </Confirm>
  );
}

function EmptyBin() {
  return (
    <section className={css['empty']} data-testid="empty-bin">
      <Icon name="trash" size={36} />
      <Title order={2} size="h3">
        {t`The bin is empty`}
      </Title>
      <Text c="dimmed">{t`Deleted recordings appear here.`}</Text>
    </section>
  );
}

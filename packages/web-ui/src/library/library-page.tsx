import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button, Group, Text, Title } from '@mantine/core';
import { useDocumentTitle, useHotkeys, useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState, useSyncExternalStore } from 'react';
import { Pager } from '../ui/pager.tsx';
import { filesQuery, libraryPageSize, limitsQuery } from '../api/queries.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { Icon } from '../ui/icons.tsx';
import { push } from '../state/services.ts';
import { bytes } from '../lib/format.ts';
import { UnfinishedRecordings } from '../recording/unfinished-recordings.tsx';
import { filterSearch, type FilterSearch } from '../lib/search-params.ts';
import { openUpload } from '../uploads/upload-intake.ts';
import { BulkBar } from './bulk-bar.tsx';
import { FlatWave } from './file-cover.tsx';
import { FileList, FileListPending, type View } from './file-list.tsx';
import { LibraryFilters } from './library-filters.tsx';
import css from './library.module.css';
import { nothingSelected, toggle } from './selection.ts';
import { isInProgress } from './status.ts';

export function LibraryPage() {
  useDocumentTitle(t`Library · Overtone`);
  const filters = useSearch({ from: '/inside/' });
  const navigate = useNavigate({ from: '/' });
  const [view, setView] = useLocalStorage<View>({
    key: 'overtone-library-view',
    defaultValue: 'grid',
    getInitialValueInEffect: false,
  });
  const change = (next: Partial<FilterSearch>): void =>
    void navigate({ search: filterSearch({ ...filters, page: undefined, ...next }), replace: true });
  const page = filters.page ?? 1;
  const files = useLiveFiles(filters, page);
  const filtered =
    filters.search !== undefined ||
    ['ownership', 'status', 'tag', 'type', 'collection', 'from', 'to'].some((name) => name in filters);
  const total = files.data?.total ?? 0;
  const items = files.data?.items ?? [];
  const order = items.map(({ uuid }) => uuid);
  const [selection, setSelection] = useState(nothingSelected);
  // Actions apply only to the files of the visible page.
  const selected = items.filter(({ uuid }) => selection.selected.has(uuid));
  useHotkeys([
    ['mod+A', () => items.length > 0 && setSelection({ selected: new Set(order), anchor: null })],
    ['Escape', (event) => !isForDialog(event) && setSelection(nothingSelected)],
  ]);
  const inProgress = files.data?.items.filter(isInProgress).length ?? 0;
  return (
    <div className="ot-page">
      <Group justify="space-between" mb="md" align="baseline">
        <Title order={1} size="h2">
          {t`Library`}
        </Title>
        <Group gap="md">
          <Text size="sm" c="dimmed" aria-live="polite">
            {files.data
              ? inProgress > 0
                ? t`${plural(total, { one: '# recording', other: '# recordings' })}, ${inProgress} in progress`
                : plural(total, { one: '# recording', other: '# recordings' })
              : ' '}
          </Text>
          <Anchor component={Link} to="/collections" size="sm" underline="always" c="dimmed">
            {t`Collections`}
          </Anchor>
          <Anchor component={Link} to="/bin" size="sm" underline="always" c="dimmed">
            {t`Bin`}
          </Anchor>
        </Group>
      </Group>
      <UnfinishedRecordings />
      <LibraryFilters filters={filters} onChange={change} view={view} onView={setView} />
      {files.isError && (
        <ErrorNote error={files.error} title={t`The library couldn’t be loaded`} onRetry={() => void files.refetch()} />
      )}
      {files.isPending && <FileListPending view={view} />}
      {files.data &&
        total === 0 &&
        (filtered ? <NothingFound onClear={() => void navigate({ search: {} })} /> : <EmptyLibrary />)}
      {files.data && total > 0 && (
        <>
          <BulkBar
            files={selected}
            all={selected.length === items.length}
            onAll={() => setSelection({ selected: new Set(order), anchor: null })}
            onClear={() => setSelection(nothingSelected)}
          />
          <FileList
            files={items}
            view={view}
            selected={selection.selected}
            onToggle={(uuid, range) => setSelection((before) => toggle(before, uuid, { order, range }))}
          />
        </>
      )}
      <Pager page={page} total={total} size={libraryPageSize} onPage={(next) => change({ page: next })} mt="xl" />
    </div>
  );
}

/** The push channel reports changes; without it, a list with files in progress is polled. */
function useLiveFiles(filters: FilterSearch, page: number) {
  const connected = useSyncExternalStore(push.state.subscribe, push.state.get) === 'open';
  return useQuery({
    ...filesQuery({ ...filters, sort: filters.sort ?? 'upload_time', order: filters.order ?? 'desc', page }),
    refetchInterval: (query) => {
      const active = query.state.data?.items.some(isInProgress) ?? false;
      return active ? (connected ? 30_000 : 4000) : connected ? false : 30_000;
    },
  });
}

function EmptyLibrary() {
  const limits = useQuery(limitsQuery).data;
  return (
    <section className={css['empty']} data-testid="empty-library">
      <div className={css['emptyWave']}>
        <FlatWave />
      </div>
      <Title order={2} size="h3">
        {t`Drop your first recording here`}
      </Title>
      <Text c="dimmed" maw={440}>
        <Trans>
          A meeting, an interview, a call: audio or video. Overtone transcribes who said what and makes it searchable.
        </Trans>
      </Text>
      <Button mt="xs" size="md" leftSection={<Icon name="upload" />} onClick={openUpload}>
        {t`Choose a file`}
      </Button>
      <Text size="xs" c="dimmed" h={18}>
        {limits ? t`Up to ${bytes(limits.max_bytes)} each. Interrupted uploads resume automatically.` : ''}
      </Text>
    </section>
  );
}

function NothingFound({ onClear }: { onClear: () => void }) {
  return (
    <section className={css['empty']} data-testid="nothing-found">
      <Icon name="search" size={36} />
      <Title order={2} size="h3">
        {t`No recording matches`}
      </Title>
      <Text c="dimmed" maw={420}>
        <Trans>
          This searches titles and file names. To find what was said, use <b>Search</b>.
        </Trans>
      </Text>
      <Button variant="default" onClick={onClear}>
        {t`Clear search and filters`}
      </Button>
    </section>
  );
}

/** Also true for a key that has just closed the dialog. */
function isForDialog({ target }: KeyboardEvent): boolean {
  const isInside = target instanceof Element && target.closest('[role="dialog"]') !== null;
  return isInside || document.querySelector('[role="dialog"]') !== null;
}

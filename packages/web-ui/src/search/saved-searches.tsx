import { t } from '@lingui/core/macro';
import type { SavedSearch } from '@overtone/contracts';
import { ActionIcon, Button, Group, Menu, Modal, Stack, Text } from '@mantine/core';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { saveTextFile } from '../lib/save-file.ts';
import type { SearchPageSearch } from '../lib/search-params.ts';
import { NameDialog } from '../naming/name-dialog.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { Icon } from '../ui/icons.tsx';
import { notify, notifyError } from '../ui/notify.ts';
import { Empty, QueryStatus } from '../ui/query-status.tsx';
import { fromSaved, toSaved } from './saved-search.ts';
import { startOf } from '../lib/characters.ts';
import css from './search.module.css';

const savedSearchesQuery = queryOptions({
  queryKey: ['saved-searches'],
  queryFn: ({ signal }) => call('GET /api/search/saved', { signal }),
});

/** The button that saves the search of the page. */
export function SaveSearch({ params }: { params: SearchPageSearch & { readonly q: string } }) {
  const client = useQueryClient();
  const [naming, setNaming] = useState(false);
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<Icon name="plus" size={15} />}
        onClick={() => setNaming(true)}
      >
        {t`Save search`}
      </Button>
      {naming && (
        <NameDialog
          title={t`Save this search`}
          failure={t`The search wasn’t saved`}
          draftKey={`saved-search-name:${params.q}`}
          name={startOf(params.q, 100)}
          maxLength={100}
          send={(name) => call('POST /api/search/saved', { body: { name, search: toSaved(params) } })}
          refresh={() => client.invalidateQueries(savedSearchesQuery)}
          onDone={() => notify(t`Search saved.`)}
          onClose={() => setNaming(false)}
        />
      )}
    </>
  );
}

/** The button that opens the saved searches. */
export function SavedSearches({ params }: { params: SearchPageSearch }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        variant="subtle"
        color="gray"
        size="sm"
        leftSection={<Icon name="library" size={17} />}
        onClick={() => setOpen(true)}
      >
        {t`Saved searches`}
      </Button>
      <Modal opened={open} onClose={() => setOpen(false)} title={<b>{t`Saved searches`}</b>}>
        <SavedSearchList params={params} onRun={() => setOpen(false)} />
      </Modal>
    </>
  );
}

type ListProps = { readonly params: SearchPageSearch; readonly onRun: () => void };

function SavedSearchList({ params, onRun }: ListProps) {
  const saved = useQuery(savedSearchesQuery);
  const items = saved.data?.items ?? [];
  return (
    <Stack gap="sm">
      <QueryStatus of={saved} failure={t`Your saved searches couldn’t be loaded`} height={80} />
      {saved.data && items.length === 0 && (
        <Empty>{t`You have no saved searches. Search for something, then choose “Save search”.`}</Empty>
      )}
      {items.length > 0 && (
        <>
          <ul className="ot-list" data-testid="saved-searches">
            {items.map((item) => (
              <SavedSearchRow key={item.uuid} item={item} params={params} onRun={onRun} />
            ))}
          </ul>
          <Group justify="space-between">
            <Text size="xs" c="dimmed">
              {t`Only you can see them.`}
            </Text>
            <Button
              size="compact-sm"
              variant="subtle"
              color="gray"
              leftSection={<Icon name="download" size={15} />}
              onClick={() => saveTextFile(JSON.stringify(items, null, 2), 'saved-searches.json', 'application/json')}
            >
              {t`Download`}
            </Button>
          </Group>
        </>
      )}
    </Stack>
  );
}

function SavedSearchRow({ item, params, onRun }: ListProps & { readonly item: SavedSearch }) {
  const client = useQueryClient();
  const [action, setAction] = useState<'rename' | 'delete' | null>(null);
  const { uuid, name, search } = item;
  const { q } = params;
  const replace = useMutation({
    mutationFn: (text: string) =>
      call('PUT /api/search/saved/{uuid}', { params: { uuid }, body: { search: toSaved({ ...params, q: text }) } }),
    onSuccess: async () => {
      await client.invalidateQueries(savedSearchesQuery);
      notify(t`“${name}” now searches for this.`);
    },
    onError: (error) => {
      notifyError(t`The saved search wasn’t changed`, error);
      void client.invalidateQueries(savedSearchesQuery);
    },
  });
  return (
    <li className={css['saved']} data-testid="saved-search" data-name={name}>
      <Link to="/search" search={fromSaved(item)} onClick={onRun} className={css['savedLink']}>
        <Text fw={600} truncate>
          {name}
        </Text>
        {search.q !== name && (
          <Text size="xs" c="dimmed" truncate>
            {search.q}
          </Text>
        )}
      </Link>
      <Menu position="bottom-end" width={230}>
        <Menu.Target>
          <ActionIcon aria-label={t`Actions for ${name}`}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon name="edit" size={17} />} onClick={() => setAction('rename')}>
            {t`Rename`}
          </Menu.Item>
          {q !== undefined && (
            <Menu.Item leftSection={<Icon name="retry" size={17} />} onClick={() => replace.mutate(q)}>
              {t`Replace with this search`}
            </Menu.Item>
          )}
          <Menu.Item color="red" leftSection={<Icon name="trash" size={17} />} onClick={() => setAction('delete')}>
            {t`Delete`}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {action === 'rename' && (
        <NameDialog
          title={t`Rename saved search`}
          failure={t`The search wasn’t saved`}
          draftKey={`saved-search-name:${uuid}`}
          name={name}
          maxLength={100}
          send={(next) => call('PUT /api/search/saved/{uuid}', { params: { uuid }, body: { name: next } })}
          refresh={() => client.invalidateQueries(savedSearchesQuery)}
          onDone={() => notify(t`Saved search renamed.`)}
          onClose={() => setAction(null)}
        />
      )}
      {action === 'delete' && (
        <Confirm
          title={t`Delete this saved search?`}
          action={t`Delete`}
          run={() => call('DELETE /api/search/saved/{uuid}', { params: { uuid } })}
          onDone={() => void client.invalidateQueries(savedSearchesQuery)}
          onClose={() => setAction(null)}
        >
          <Text size="sm">{t`“${name}” is removed. Recordings are not affected.`}</Text>
        </Confirm>
      )}
    </li>
  );
}

import { msg, plural, t } from '@lingui/core/macro';
import { Badge, Button, Group, NativeSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { translateOnRead } from '../lib/language.ts';
import { Icon } from '../ui/icons.tsx';
import { Pager } from '../ui/pager.tsx';
import { Pane } from '../ui/pane.tsx';
import { Empty, QueryStatus } from '../ui/query-status.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { CollectionDialog } from './collection-dialog.tsx';
import { collectionsPageSize, collectionsQuery, type Collection } from './collection-queries.ts';

const ownerships = translateOnRead([
  { value: '', label: msg`All` },
  { value: 'mine', label: msg`Mine` },
  { value: 'shared', label: msg`Shared with me` },
]);

export function CollectionsPage() {
  const { q: text = '', ownership = '', page: shown = '1' } = useSearch({ from: '/inside/collections' });
  const navigate = useNavigate({ from: '/collections' });
  const page = Math.max(1, Math.trunc(Number(shown)) || 1);
  const collections = useQuery(
    collectionsQuery({
      search: text,
      page,
      ...(ownership === 'mine' || ownership === 'shared' ? { ownership } : {}),
    }),
  );
  const [creating, setCreating] = useState(false);
  const change = (next: Record<string, string>): void => {
    const all = Object.entries({ q: text, ownership, ...next }).filter(([, value]) => value !== '');
    void navigate({ search: Object.fromEntries(all), replace: true });
  };
  const isFiltered = text !== '' || ownership !== '';
  const { items = [], total = 0 } = collections.data ?? {};
  return (
    <Pane
      title={t`Collections`}
      actions={
        <Button leftSection={<Icon name="plus" size={17} />} onClick={() => setCreating(true)}>
          {t`Create collection`}
        </Button>
      }
    >
      <div className="ot-bar" role="search" aria-label={t`Find collections`}>
        <SearchBox label={t`Name of a collection`} value={text} onChange={(next) => change({ q: next })} />
        <NativeSelect
          aria-label={t`Whose collections`}
          data={ownerships}
          value={ownership}
          onChange={(event) => change({ ownership: event.currentTarget.value })}
        />
      </div>
      <QueryStatus of={collections} failure={t`The collections couldn’t be loaded`} />
      {collections.data && total === 0 && (
        <Empty>
          {isFiltered
            ? t`No collection matches.`
            : t`No collections yet. Create one to keep recordings together and share them in one go.`}
        </Empty>
      )}
      {items.length > 0 && (
        <ul className="ot-list" data-testid="collections">
          {items.map((collection) => (
            <CollectionEntry key={collection.uuid} collection={collection} />
          ))}
        </ul>
      )}
      <Pager
        page={page}
        total={total}
        size={collectionsPageSize}
        onPage={(next) => change({ page: String(next) })}
        mt="md"
      />
      {creating && (
        <CollectionDialog
          onClose={() => setCreating(false)}
          onDone={({ uuid }) => void navigate({ to: '/collections/$uuid', params: { uuid } })}
        />
      )}
    </Pane>
  );
}

function CollectionEntry({ collection }: { collection: Collection }) {
  return (
    <li className="ot-card" style={{ padding: '0.75rem 1rem' }}>
      <div className="ot-entry">
        <div>
          <Group gap="xs">
            <Link to="/collections/$uuid" params={{ uuid: collection.uuid }} className="ot-row-link" dir="auto">
              {collection.name}
            </Link>
            <CollectionBadges collection={collection} />
          </Group>
          {collection.description !== '' && (
            <Text size="xs" c="dimmed" lineClamp={2}>
              {collection.description}
            </Text>
          )}
        </div>
        <Text size="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
          {plural(collection.media_count, { one: '# recording', other: '# recordings' })}
        </Text>
      </div>
    </li>
  );
}

/** Who shares it, and whether it was made automatically. */
export function CollectionBadges({ collection }: { collection: Collection }) {
  const { owner_name: owner, my_permission: permission, is_shared: isShared, source } = collection;
  return (
    <>
      {owner !== null && (
        <Badge size="sm" variant="light" color="gray" tt="none">
          {t`Owner: ${owner}`}
        </Badge>
      )}
      {permission === 'viewer' && (
        <Badge size="sm" variant="light" tt="none">
          {t`Can view`}
        </Badge>
      )}
      {permission === 'editor' && (
        <Badge size="sm" variant="light" tt="none">
          {t`Can edit`}
        </Badge>
      )}
      {permission === 'owner' && isShared && (
        <Badge size="sm" variant="light" tt="none">
          {t`Shared`}
        </Badge>
      )}
      {source === 'auto_ai' && (
        <Badge size="sm" variant="light" color="gray" tt="none">
          {t`Suggested`}
        </Badge>
      )}
    </>
  );
}

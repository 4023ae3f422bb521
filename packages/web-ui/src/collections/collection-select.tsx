import { t } from '@lingui/core/macro';
import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { collectionQuery, collectionsQuery } from './collection-queries.ts';

type Props = {
  readonly value: string | null;
  readonly onChange: (uuid: string | null) => void;
  readonly label?: string;
  /** Only collections that the person may change. */
  readonly editable?: boolean;
  readonly withinPortal?: boolean;
};

/** Chooses one collection; the names are searched by the server, because a person may see very many. */
export function CollectionSelect({
  value,
  onChange,
  label = t`Collection`,
  editable = false,
  withinPortal = true,
}: Props) {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, 200);
  const chosen = useQuery({ ...collectionQuery(value ?? ''), enabled: value !== null });
  const name = chosen.data?.name ?? (chosen.isError ? t`Unknown collection` : '…');
  // The field shows the name of the chosen one, which is no search.
  const found = useQuery(collectionsQuery({ search: search === name ? '' : search, page: 1, size: 50 }));
  const options = new Map(
    (found.data?.items ?? [])
      .filter((collection) => !editable || collection.my_permission !== 'viewer')
      .map(({ uuid, name }) => [uuid, name]),
  );
  if (value !== null && !options.has(value)) options.set(value, name);
  return (
    <Select
      label={label}
      placeholder={t`Any`}
      searchable
      clearable
      style={{ flex: '1 1 12rem' }}
      data={[...options].map(([uuid, name]) => ({ value: uuid, label: name }))}
      value={value}
      onChange={onChange}
      onSearchChange={setTyped}
      filter={({ options: all }) => all}
      comboboxProps={{ withinPortal }}
      error={found.isError ? t`Collections couldn’t be loaded` : null}
      nothingFoundMessage={found.isPending ? t`Searching…` : t`No such collection`}
    />
  );
}

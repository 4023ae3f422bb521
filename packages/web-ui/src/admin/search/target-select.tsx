import { t } from '@lingui/core/macro';
import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { messageOf } from '../../api/problem.ts';
import { nameOf } from '../../ui/account-labels.ts';

export type TargetKind = 'user' | 'file';
type Option = { readonly value: string; readonly label: string };
type Props = {
  readonly kind: TargetKind;
  readonly value: string | null;
  readonly onChange: (uuid: string | null) => void;
};

const offered = 20;

/** Finds one account or one recording of the whole instance by a part of its name. */
export function TargetSelect({ kind, value, onChange }: Props) {
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState<Option | null>(null);
  const [text] = useDebouncedValue(typed.trim(), 250);
  // The field shows the name of the chosen one, which is no search.
  const search = text === chosen?.label ? '' : text;
  const found = useQuery({
    queryKey: ['reindex-targets', kind, search],
    queryFn: ({ signal }) => (kind === 'user' ? findUsers(search, signal) : findFiles(search, signal)),
    placeholderData: keepPreviousData,
  });
  const options = found.data ?? [];
  const isListed = chosen === null || options.some((option) => option.value === chosen.value);
  return (
    <Select
      label={kind === 'user' ? t`Person` : t`Recording`}
      placeholder={t`Search by name`}
      searchable
      clearable
      required
      style={{ flex: '1 1 16rem' }}
      data={isListed ? options : [chosen, ...options]}
      filter={({ options: all }) => all}
      onSearchChange={setTyped}
      value={value}
      onChange={(uuid, option) => {
        setChosen(uuid === null ? null : option);
        onChange(uuid);
      }}
      error={found.isError ? messageOf(found.error) : null}
      nothingFoundMessage={found.isPending ? t`Searching…` : t`Nothing found`}
    />
  );
}

async function findUsers(search: string, signal: AbortSignal): Promise<Option[]> {
  const query = { q: search === '' ? undefined : search, page_size: offered };
  const { items } = await call('GET /api/admin/users', { signal, query });
  return items.map((user) => ({
    value: user.uuid,
    label: user.full_name === '' ? user.email : `${nameOf(user)} (${user.email})`,
  }));
}

async function findFiles(search: string, signal: AbortSignal): Promise<Option[]> {
  const query = { search: search === '' ? undefined : search, page_size: offered };
  const { items } = await call('GET /api/files', { signal, query });
  return items.map(({ uuid, title }) => ({ value: uuid, label: title }));
}

import { t } from '@lingui/core/macro';
import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ResponseBody } from '@overtone/client';
import { nameOf } from '../ui/account-labels.ts';
import { call } from '../api/client.ts';
import { messageOf } from '../api/problem.ts';

/** An option of a select. Drafts keep the label, too: a person is shown again without another search. */
export type Option = { readonly value: string; readonly label: string };
type Person = ResponseBody<'GET /api/users/search'>[number];

type Props = {
  readonly label: string;
  readonly value: Option | null;
  readonly onChange: (person: Option | null) => void;
  /** Ids of people who are not offered. */
  readonly without?: ReadonlySet<string>;
  readonly 'data-autofocus'?: boolean;
};

/** Finds one person by a part of name or address. */
export function PeopleSelect({ label, value, onChange, without, 'data-autofocus': isFirst }: Props) {
  const [text, setText] = useState(value?.label ?? '');
  const [typed] = useDebouncedValue(text.trim(), 250);
  const found = useQuery({
    queryKey: ['people', typed],
    queryFn: ({ signal }) => call('GET /api/users/search', { signal, query: { q: typed } }),
    enabled: typed.length >= 2 && typed !== value?.label,
    placeholderData: (old) => old,
  });
  const offered = (found.data ?? []).filter(({ uuid }) => !without?.has(uuid)).map(optionOf);
  const isOffered = value === null || offered.some((option) => option.value === value.value);
  return (
    <Select
      label={label}
      placeholder={t`Search by name or e-mail`}
      data-autofocus={isFirst}
      searchable
      // There is nothing to choose from before something was typed.
      openOnFocus={false}
      clearable
      style={{ flex: '1 1 14rem' }}
      data={isOffered ? offered : [value, ...offered]}
      filter={({ options }) => options}
      searchValue={text}
      onSearchChange={setText}
      value={value?.value ?? null}
      onChange={(_, option) => onChange(option)}
      nothingFoundMessage={emptyMessage(typed, found.isFetching, found.error)}
    />
  );
}

function optionOf(person: Person): Option {
  return {
    value: person.uuid,
    label: person.full_name === '' ? person.email : `${nameOf(person)} (${person.email})`,
  };
}

function emptyMessage(typed: string, searching: boolean, error: unknown): string {
  if (typed.length < 2) return t`Type at least two letters`;
  if (error !== null) return messageOf(error);
  return searching ? t`Searching` : t`No people found`;
}

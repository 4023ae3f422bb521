import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { nameOf } from '../admin/words.ts';
import { ask } from '../api/identity.ts';
import { wordsOf } from '../api/problem.ts';

type Props = {
  readonly label: string;
  readonly value: string | null;
  readonly onChange: (uuid: string | null) => void;
  /** Who is there already. */
  readonly without?: ReadonlySet<string>;
};

/** Finds one person by a part of name or address. */
export const PeopleSelect = ({ label, value, onChange, without }: Props) => {
  const [text, setText] = useState('');
  const [typed] = useDebouncedValue(text.trim(), 250);
  const found = useQuery({
    queryKey: ['people', typed],
    queryFn: ({ signal }) => ask('findUsers', { signal, query: { q: typed } }),
    enabled: typed.length >= 2,
    placeholderData: (old) => old,
  });
  const people = (found.data ?? []).filter((person) => !without?.has(person.uuid));
  return (
    <Select
      label={label}
      placeholder="Two letters of a name or address"
      searchable
      clearable
      style={{ flex: '1 1 14rem' }}
      data={people.map((person) => ({
        value: person.uuid,
        label: person.full_name === '' ? person.email : `${nameOf(person)} (${person.email})`,
      }))}
      filter={({ options }) => options}
      searchValue={text}
      onSearchChange={setText}
      value={value}
      onChange={onChange}
      nothingFoundMessage={noneWords(typed, found.isFetching, found.error)}
    />
  );
};

const noneWords = (typed: string, asking: boolean, error: unknown): string => {
  if (typed.length < 2) return 'Type at least two letters';
  if (error !== null) return wordsOf(error);
  return asking ? 'Looking' : 'Nobody found';
};

import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { Icon } from '../app/icons.tsx';
import css from './admin.module.css';

type Props = {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** Of the field in a form, which knows at once what was typed. */
  readonly name?: string;
};

/** A search that asks when one stops typing. */
export const SearchBox = ({ label, value, onChange, name }: Props) => {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const later = useDebouncedCallback(onChange, 300);
  return (
    <TextInput
      className={css['grow'] ?? ''}
      type="search"
      {...(name === undefined ? {} : { name })}
      aria-label={label}
      placeholder={label}
      leftSection={<Icon name="search" size={17} />}
      value={text}
      maxLength={200}
      onChange={(event) => {
        setText(event.currentTarget.value);
        later(event.currentTarget.value);
      }}
    />
  );
};

import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { Icon } from './icons.tsx';

type Props = {
  readonly label: string;
  readonly placeholder?: string;
  readonly className?: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** Of the field in a form, which knows at once what was typed. */
  readonly name?: string;
};

/** A search that asks when one stops typing, or leaves it: what comes later would undo where one went. */
export const SearchBox = ({ label, placeholder = label, className = '', value, onChange, name }: Props) => {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const later = useDebouncedCallback(onChange, 300);
  return (
    <TextInput
      className={className}
      type="search"
      {...(name === undefined ? {} : { name })}
      aria-label={label}
      placeholder={placeholder}
      leftSection={<Icon name="search" size={17} />}
      value={text}
      maxLength={200}
      onBlur={() => later.flush()}
      onChange={(event) => {
        setText(event.currentTarget.value);
        later(event.currentTarget.value);
      }}
    />
  );
};

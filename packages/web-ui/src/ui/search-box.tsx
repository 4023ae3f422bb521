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
  /** The name of the field in a form, which reads its text immediately. */
  readonly name?: string;
};

/** A search field that reports its text after a pause in typing, or on blur: a later change could undo a navigation. */
export function SearchBox({ label, placeholder = label, className = '', value, onChange, name }: Props) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const reportLater = useDebouncedCallback(onChange, 300);
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
      onBlur={() => reportLater.flush()}
      onChange={(event) => {
        setText(event.currentTarget.value);
        reportLater(event.currentTarget.value);
      }}
    />
  );
}

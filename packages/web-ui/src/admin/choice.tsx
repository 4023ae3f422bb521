import { NativeSelect } from '@mantine/core';

type Props = {
  readonly label: string;
  /** What it says while nothing is chosen. */
  readonly any: string;
  readonly words: Readonly<Record<string, string>>;
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
};

/** One of some words, or any: narrows a list. */
export const Choice = ({ label, any, words, value = '', onChange }: Props) => (
  <NativeSelect
    aria-label={label}
    data={[{ value: '', label: any }, ...Object.entries(words).map(([key, word]) => ({ value: key, label: word }))]}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);

import { NativeSelect } from '@mantine/core';

type Props = {
  readonly label: string;
  /** The label of the option that filters nothing. */
  readonly any: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
};

/** Filters a list by one of several values. */
export function FilterSelect({ label, any, labels, value = '', onChange }: Props) {
  return (
    <NativeSelect
      aria-label={label}
      data={[{ value: '', label: any }, ...Object.entries(labels).map(([key, text]) => ({ value: key, label: text }))]}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

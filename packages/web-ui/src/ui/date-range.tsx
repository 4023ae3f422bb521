import { t } from '@lingui/core/macro';
import { TextInput } from '@mantine/core';

type Days = { readonly from?: string | undefined; readonly to?: string | undefined };
type Props = Days & { readonly onChange: (days: { from?: string; to?: string }) => void };

/** Two days of a filter. The second one says so when it is before the first, where nothing can be found. */
export function DateRange({ from = '', to = '', onChange }: Props) {
  return (
    <>
      <TextInput
        type="date"
        label={t`From`}
        value={from}
        onChange={(event) => onChange({ from: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        label={t`To`}
        value={to}
        error={isReversed({ from, to }) ? t`This day is before “From”.` : null}
        onChange={(event) => onChange({ to: event.currentTarget.value })}
      />
    </>
  );
}

export function isReversed({ from = '', to = '' }: Days): boolean {
  return from !== '' && to !== '' && to < from;
}

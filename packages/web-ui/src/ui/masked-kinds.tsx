import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Checkbox, SimpleGrid } from '@mantine/core';
import type { RedactionKind } from '@overtone/contracts';
import { translateOnRead } from '../lib/language.ts';

/** The kinds of personal data, in the order of the forms. */
export const kindMessages: Record<RedactionKind, MessageDescriptor> = {
  name: msg`Names`,
  email: msg`E-mail addresses`,
  phone: msg`Phone numbers`,
  address: msg`Postal addresses`,
  card: msg`Payment cards`,
  account: msg`Bank accounts`,
  id_number: msg`ID numbers`,
  birth_date: msg`Dates of birth`,
  secret: msg`Passwords and keys`,
};
export const kindLabels: Record<RedactionKind, string> = translateOnRead(kindMessages);
const kinds = Object.keys(kindLabels) as RedactionKind[];

type Props = {
  readonly label: string;
  readonly description?: string;
  readonly value: readonly RedactionKind[];
  /** Kinds that are masked in any case. */
  readonly always?: readonly RedactionKind[];
  readonly disabled?: boolean;
  readonly columns?: number;
  readonly onChange: (kinds: RedactionKind[]) => void;
};

/** A checkbox for each kind of personal data. */
export function MaskedKinds({
  label,
  description,
  value,
  always = [],
  disabled = false,
  columns = 2,
  onChange,
}: Props) {
  return (
    <Checkbox.Group
      label={label}
      description={description}
      value={[...new Set([...value, ...always])]}
      onChange={(next) => onChange(next.filter((kind) => value.includes(kind) || !always.includes(kind)))}
    >
      <SimpleGrid cols={{ base: 1, xs: columns }} spacing="xs" mt="xs">
        {kinds.map((kind) => (
          <Checkbox key={kind} value={kind} label={kindLabels[kind]} disabled={disabled || always.includes(kind)} />
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  );
}

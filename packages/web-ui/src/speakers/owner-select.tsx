import { t } from '@lingui/core/macro';
import { NativeSelect, type NativeSelectProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { groupsQuery } from '../groups/group-queries.ts';
import type { OwnGroup } from './profile-owner.ts';

type Props = {
  readonly groups: readonly OwnGroup[];
  /** null: the user alone. */
  readonly value: string | null;
  readonly onChange: (groupId: string | null) => void;
  readonly 'data-autofocus'?: boolean;
} & Pick<NativeSelectProps, 'label' | 'aria-label' | 'error' | 'style'>;

/** Whether a profile belongs to the user alone or to one of the user's groups. */
export function OwnerSelect({ groups, value, onChange, ...rest }: Props) {
  return (
    <NativeSelect
      {...rest}
      data={[
        { value: '', label: t`Only you` },
        ...groups.map(({ uuid, name }) => ({ value: uuid, label: t`Group ${name}` })),
      ]}
      value={value ?? ''}
      onChange={({ currentTarget: { value: chosen } }) => onChange(chosen === '' ? null : chosen)}
    />
  );
}

/** The groups that the user is a member of (an administrator sees others, too); none until they are loaded. */
export function useOwnGroups(): { groups: readonly OwnGroup[]; isError: boolean } {
  const { data = [], isError } = useQuery(groupsQuery(''));
  return { groups: data.filter(({ my_role: role }) => role !== null), isError };
}

import { msg, t } from '@lingui/core/macro';
import { Group, NativeSelect, SegmentedControl, Select, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { translateOnRead } from '../lib/language.ts';
import { groupsQuery } from '../groups/group-queries.ts';
import { PeopleSelect, type Option } from '../groups/people-select.tsx';

export type Permission = 'viewer' | 'editor';
export const permissions: readonly { value: Permission; label: string }[] = translateOnRead([
  { value: 'viewer', label: msg`Can view` },
  { value: 'editor', label: msg`Can edit` },
]);

/** A share that is not saved yet. */
export type ShareFields = {
  readonly kind: 'person' | 'group';
  readonly target: Option | null;
  readonly permission: Permission;
};
export const emptyShare: ShareFields = { kind: 'person', target: null, permission: 'viewer' };

/** The share as the API takes it; null while no person or group is chosen. */
export function shareBody({ kind, target, permission }: ShareFields) {
  if (target === null) return null;
  return { permission, ...(kind === 'person' ? { user_uuid: target.value } : { group_uuid: target.value }) };
}

type Props = {
  readonly value: ShareFields;
  readonly onChange: (next: ShareFields) => void;
  /** Whether there is a permission to choose. */
  readonly editable?: boolean;
  /** A button in the line of the fields. */
  readonly children?: ReactNode;
};

/** Person or group, and permission. */
export function ShareFormFields({ value, onChange, editable = true, children }: Props) {
  const { kind, target, permission } = value;
  const choose = (next: Option | null): void => onChange({ ...value, target: next });
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label={t`Share with`}
        style={{ alignSelf: 'flex-start' }}
        value={kind}
        onChange={(next) => onChange({ ...value, kind: next, target: null })}
        data={[
          { value: 'person', label: t`A person` },
          { value: 'group', label: t`A group` },
        ]}
      />
      <Group align="flex-end" gap="sm">
        {kind === 'person' ? (
          <PeopleSelect label={t`Person`} data-autofocus value={target} onChange={choose} />
        ) : (
          <GroupSelect value={target} onChange={choose} />
        )}
        {editable && (
          <NativeSelect
            label={t`Permission`}
            data={permissions}
            value={permission}
            onChange={(event) => onChange({ ...value, permission: event.currentTarget.value as Permission })}
          />
        )}
        {children}
      </Group>
    </Stack>
  );
}

type GroupSelectProps = { readonly value: Option | null; readonly onChange: (group: Option | null) => void };

/** One of the caller's groups. */
function GroupSelect({ value, onChange }: GroupSelectProps) {
  const groups = useQuery(groupsQuery(''));
  return (
    <Select
      label={t`Group`}
      placeholder={t`One of your groups`}
      searchable
      style={{ flex: '1 1 14rem' }}
      data={(groups.data ?? []).map(({ uuid, name }) => ({ value: uuid, label: name }))}
      value={value?.value ?? null}
      error={groups.isError ? t`Your groups couldn’t be loaded` : null}
      nothingFoundMessage={
        groups.data?.length === 0
          ? t`You are not a member of any group. Administrators add people to groups.`
          : t`None of your groups has this name`
      }
      onChange={(_, option) => onChange(option)}
    />
  );
}

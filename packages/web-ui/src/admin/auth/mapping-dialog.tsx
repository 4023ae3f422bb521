import { t } from '@lingui/core/macro';
import { NativeSelect, Select, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { fieldOf } from '../../api/problem.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { notify } from '../../ui/notify.ts';
import { useEdits } from '../../state/use-edits.ts';
import { groupsQuery } from '../../groups/group-queries.ts';
import { originNames } from '../../ui/account-labels.ts';
import type { Mapping } from './auth-queries.ts';
import { looksLikeDn } from './lists.ts';

type Props = {
  /** The mapping to change; without it a new one is created. */
  readonly mapping?: Mapping;
  readonly onClose: () => void;
  readonly onDone: () => void;
};
type Source = Mapping['source'];
type GrantedRole = NonNullable<Mapping['grants_role']>;
type Fields = {
  readonly source: Source;
  readonly claim_value: string;
  readonly group_uuid: string | null;
  readonly grants_role: GrantedRole | null;
  readonly description: string;
};
// Mappings of a trusted header can only be created by the API.
const offered: readonly Source[] = ['ldap', 'oidc'];

export function MappingDialog({ mapping, onClose, onDone }: Props) {
  const groups = useQuery(groupsQuery(''));
  const draft = useEdits<Fields>(`mapping:${mapping?.uuid ?? 'new'}`, {
    source: mapping?.source ?? 'ldap',
    claim_value: mapping?.claim_value ?? '',
    group_uuid: mapping?.group_uuid ?? null,
    grants_role: mapping?.grants_role ?? null,
    description: mapping?.description ?? '',
  });
  const { source, claim_value: claim, group_uuid, grants_role, description } = draft.value;
  const { change } = draft;
  const grantsSomething = group_uuid !== null || grants_role !== null;
  const body = {
    claim_value: claim.trim(),
    group_uuid,
    grants_role,
    description: description.trim() === '' ? null : description.trim(),
  };
  const save = useMutation({
    mutationFn: () =>
      mapping
        ? call('PUT /api/admin/group-mappings/{uuid}', {
            params: { uuid: mapping.uuid },
            body: draft.changedOf(body),
          })
        : call('POST /api/admin/group-mappings', { body: { source, ...body } }),
    onSuccess: () => {
      draft.drop();
      onClose();
      onDone();
      notify(t`Mapping saved.`);
    },
  });
  const isInvalidDn = source === 'ldap' && claim.trim() !== '' && !looksLikeDn(claim.trim());
  return (
    <FormDialog
      title={mapping ? t`Edit mapping` : t`Add mapping`}
      action={isInvalidDn ? t`Save anyway` : mapping ? t`Save` : t`Add mapping`}
      ready={claim.trim() !== '' && grantsSomething}
      sending={save}
      draft={draft}
      failure={t`The mapping wasn’t saved`}
      fields={['claim_value', 'group_uuid', 'grants_role']}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <NativeSelect
        label={t`Source`}
        disabled={mapping !== undefined}
        data={(mapping ? [mapping.source] : offered).map((value) => ({ value, label: originNames[value] }))}
        value={source}
        onChange={(event) => change({ source: event.currentTarget.value as Source })}
      />
      <TextInput
        label={source === 'ldap' ? t`Directory group (DN)` : t`Claim`}
        description={
          source === 'ldap'
            ? t`Distinguished name of a group in the directory`
            : t`Name of a group or role, exactly as the provider sends it`
        }
        data-autofocus
        required
        maxLength={1024}
        spellCheck={false}
        value={claim}
        error={
          fieldOf(save.error, 'claim_value') ??
          (isInvalidDn
            ? t`This is not a distinguished name, so it matches nobody. Example: cn=staff,ou=groups,dc=example,dc=org`
            : null)
        }
        onChange={(event) => change({ claim_value: event.currentTarget.value })}
      />
      <Select
        label={t`Group`}
        description={t`People with the claim become members`}
        placeholder={t`None`}
        searchable
        clearable
        data={(groups.data ?? []).map(({ uuid, name }) => ({ value: uuid, label: name }))}
        value={group_uuid}
        error={fieldOf(save.error, 'group_uuid') ?? (groups.isError ? t`The groups couldn’t be loaded` : null)}
        nothingFoundMessage={t`No such group`}
        onChange={(next) => change({ group_uuid: next })}
      />
      <NativeSelect
        label={t`Role`}
        description={t`The highest role of all matching mappings applies`}
        data={[
          { value: '', label: t`None` },
          { value: 'user', label: t`User` },
          { value: 'admin', label: t`Administrator` },
        ]}
        value={grants_role ?? ''}
        error={fieldOf(save.error, 'grants_role')}
        onChange={(event) => change({ grants_role: (event.currentTarget.value || null) as GrantedRole | null })}
      />
      <Textarea
        label={t`Description`}
        autosize
        minRows={2}
        maxLength={2000}
        value={description}
        onChange={(event) => change({ description: event.currentTarget.value })}
      />
    </FormDialog>
  );
}

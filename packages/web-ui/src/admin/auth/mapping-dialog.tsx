import { t } from '@lingui/core/macro';
import { NativeSelect, Select, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { FormDialog, stillMissing } from '../../ui/form-dialog.tsx';
import { notify } from '../../ui/notify.ts';
import { useForm } from '../../state/use-form.ts';
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
  const form = useForm<Fields, Mapping>({
    key: `mapping:${mapping?.uuid ?? 'new'}`,
    saved: {
      source: mapping?.source ?? 'ldap',
      claim_value: mapping?.claim_value ?? '',
      group_uuid: mapping?.group_uuid ?? null,
      grants_role: mapping?.grants_role ?? null,
      description: mapping?.description ?? '',
    },
    send: ({ source: from, ...body }, { source: _, ...changed }) =>
      mapping
        ? call('PUT /api/admin/group-mappings/{uuid}', {
            params: { uuid: mapping.uuid },
            body: { ...changed, ...('description' in changed ? { description: changed.description || null } : {}) },
          })
        : call('POST /api/admin/group-mappings', {
            body: { source: from, ...body, description: body.description || null },
          }),
    onSaved: () => {
      onClose();
      onDone();
      notify(t`Mapping saved.`);
    },
  });
  const { source, claim_value: claim, group_uuid, grants_role } = form.fields;
  const claimLabel = source === 'ldap' ? t`Directory group (DN)` : t`Claim`;
  const grantsSomething = group_uuid !== null || grants_role !== null;
  const isInvalidDn = source === 'ldap' && claim !== '' && !looksLikeDn(claim);
  return (
    <FormDialog
      title={mapping ? t`Edit mapping` : t`Add mapping`}
      action={isInvalidDn ? t`Save anyway` : mapping ? t`Save` : t`Add mapping`}
      unready={grantsSomething ? stillMissing(claim === '' && claimLabel) : t`Choose a group, a role, or both.`}
      {...form.dialog}
      failure={t`The mapping wasn’t saved`}
      onClose={onClose}
    >
      <NativeSelect
        label={t`Source`}
        disabled={mapping !== undefined}
        data={(mapping ? [mapping.source] : offered).map((value) => ({ value, label: originNames[value] }))}
        {...form.text('source')}
      />
      <TextInput
        label={claimLabel}
        description={
          source === 'ldap'
            ? t`Distinguished name of a group in the directory`
            : t`Name of a group or role, exactly as the provider sends it`
        }
        data-autofocus
        required
        maxLength={1024}
        spellCheck={false}
        {...form.text('claim_value')}
        error={
          form.errorOf('claim_value') ??
          (isInvalidDn
            ? t`This is not a distinguished name, so it matches no one. Example: cn=staff,ou=groups,dc=example,dc=org`
            : null)
        }
      />
      <Select
        label={t`Group`}
        description={
          groups.data?.length === 0
            ? t`There is no group yet. Create one on the page Groups first.`
            : t`People with the claim become members`
        }
        placeholder={t`None`}
        searchable
        clearable
        data={(groups.data ?? []).map(({ uuid, name }) => ({ value: uuid, label: name }))}
        {...form.field('group_uuid')}
        error={form.errorOf('group_uuid') ?? (groups.isError ? t`The groups couldn’t be loaded` : null)}
        nothingFoundMessage={t`No such group`}
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
        error={form.errorOf('grants_role')}
        onChange={(event) => form.change({ grants_role: (event.currentTarget.value || null) as GrantedRole | null })}
      />
      <Textarea label={t`Description`} autosize minRows={2} maxLength={2000} {...form.text('description')} />
    </FormDialog>
  );
}

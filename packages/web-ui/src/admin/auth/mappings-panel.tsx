import { t } from '@lingui/core/macro';
import { ActionIcon, Badge, Button, Group, Stack, Table, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { Icon } from '../../ui/icons.tsx';
import { notify } from '../../ui/notify.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Empty, QueryStatus } from '../../ui/query-status.tsx';
import { Section } from '../../ui/pane.tsx';
import { originBadges, roleNames } from '../../ui/account-labels.ts';
import { mappingsQuery, type Mapping } from './auth-queries.ts';
import { MappingDialog } from './mapping-dialog.tsx';
import { MappingTester } from './mapping-tester.tsx';
import { Sheet } from '../../ui/sheet.tsx';

type Dialog = { kind: 'create' } | { kind: 'edit' | 'delete'; mapping: Mapping } | null;

/** Mappings of the claims of a directory or provider to groups and roles. */
export function MappingsPanel() {
  const mappings = useQuery(mappingsQuery);
  const client = useQueryClient();
  const [dialog, setDialog] = useState<Dialog>(null);
  const close = (): void => setDialog(null);
  const refresh = (): void => void client.invalidateQueries({ queryKey: ['mappings'] });
  return (
    <Stack gap="lg">
      <Text c="dimmed">{t`People with a claim get its group, its role, or both, at each sign-in.`}</Text>
      <Section title={t`Mappings`}>
        <Stack gap="md">
          <Group>
            <Button leftSection={<Icon name="plus" size={17} />} onClick={() => setDialog({ kind: 'create' })}>
              {t`Add mapping`}
            </Button>
          </Group>
          <QueryStatus of={mappings} failure={t`The mappings couldn’t be loaded`} />
          {mappings.data?.length === 0 && <Empty>{t`No mappings yet. Memberships and roles stay unchanged.`}</Empty>}
          {mappings.data && mappings.data.length > 0 && (
            <MappingTable
              mappings={mappings.data}
              onEdit={(mapping) => setDialog({ kind: 'edit', mapping })}
              onDelete={(mapping) => setDialog({ kind: 'delete', mapping })}
            />
          )}
        </Stack>
      </Section>
      <Section title={t`Test mappings`}>
        <MappingTester />
      </Section>
      {dialog?.kind === 'create' && <MappingDialog onClose={close} onDone={refresh} />}
      {dialog?.kind === 'edit' && <MappingDialog mapping={dialog.mapping} onClose={close} onDone={refresh} />}
      {dialog?.kind === 'delete' && (
        <Confirm
          title={t`Delete this mapping?`}
          action={t`Delete`}
          run={() => call('DELETE /api/admin/group-mappings/{uuid}', { params: { uuid: dialog.mapping.uuid } })}
          onDone={() => {
            refresh();
            notify(t`Mapping deleted.`);
          }}
          onClose={close}
        >
          <Text style={{ overflowWrap: 'anywhere' }}>
            {t`“${dialog.mapping.claim_value}” no longer grants a group or role. Memberships change at the next sign-in or sync.`}
          </Text>
        </Confirm>
      )}
    </Stack>
  );
}

type TableProps = {
  mappings: readonly Mapping[];
  onEdit: (mapping: Mapping) => void;
  onDelete: (mapping: Mapping) => void;
};

function MappingTable({ mappings, onEdit, onDelete }: TableProps) {
  return (
    <Sheet
      testId="mappings"
      heads={[
        t`Source`,
        t`Claim`,
        t`Group`,
        t`Role`,
        t`Members through this mapping`,
        <Table.Th key="Actions" ta="right">
          {t`Actions`}
        </Table.Th>,
      ]}
    >
      {mappings.map((mapping) => (
        <Table.Tr key={mapping.uuid}>
          <Table.Td>
            <Badge variant="light" color="gray">
              {originBadges[mapping.source]}
            </Badge>
          </Table.Td>
          <Table.Td miw={200} data-wide>
            {mapping.claim_value}
            {mapping.description !== null && mapping.description !== '' && (
              <Text size="xs" c="dimmed">
                {mapping.description}
              </Text>
            )}
            {mapping.warning !== null && (
              <Text size="xs" c="red">
                {mapping.warning}
              </Text>
            )}
          </Table.Td>
          <Table.Td>
            {mapping.group_uuid !== null && (
              <Link to="/groups/$uuid" params={{ uuid: mapping.group_uuid }} className="ot-link" dir="auto">
                {mapping.group_name}
              </Link>
            )}
          </Table.Td>
          <Table.Td data-label={t`Role`}>{mapping.grants_role === null ? '' : roleNames[mapping.grants_role]}</Table.Td>
          <Table.Td data-label={t`Members through this mapping`}>
            {mapping.group_uuid === null ? '' : mapping.member_count}
          </Table.Td>
          <Table.Td>
            <Group gap={4} wrap="nowrap" justify="flex-end">
              <ActionIcon aria-label={t`Edit ${mapping.claim_value}`} onClick={() => onEdit(mapping)}>
                <Icon name="edit" size={17} />
              </ActionIcon>
              <ActionIcon aria-label={t`Delete ${mapping.claim_value}`} onClick={() => onDelete(mapping)}>
                <Icon name="trash" size={17} />
              </ActionIcon>
            </Group>
          </Table.Td>
        </Table.Tr>
      ))}
    </Sheet>
  );
}

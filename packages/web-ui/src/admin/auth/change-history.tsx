import { t } from '@lingui/core/macro';
import { Button, Collapse, Group, Stack, Table, Text } from '@mantine/core';
import type { AuthCategory } from '@overtone/contracts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ago, moment } from '../../lib/format.ts';
import { QueryStatus } from '../../ui/query-status.tsx';
import { settingLabel } from './layout.ts';
import { historyQuery, type ConfigChange } from './auth-queries.ts';
import { Sheet } from '../../ui/sheet.tsx';
import { shortened } from '../../lib/characters.ts';

/** The changes of the settings, newest first; loaded when it is opened. */
export function ChangeHistory({ category }: { category: AuthCategory }) {
  const [open, setOpen] = useState(false);
  return (
    <section>
      <Button variant="subtle" color="gray" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? t`Hide changes` : t`Show earlier changes`}
      </Button>
      <Collapse expanded={open}>{open && <History category={category} />}</Collapse>
    </section>
  );
}

function History({ category }: { category: AuthCategory }) {
  const history = useInfiniteQuery(historyQuery(category));
  const changes = history.data?.pages.flat() ?? [];
  if (!history.data) return <QueryStatus of={history} failure={t`The changes couldn’t be loaded`} height={80} />;
  if (changes.length === 0)
    return (
      <Text size="sm" c="dimmed" p="sm">
        {t`No changes yet.`}
      </Text>
    );
  return (
    <Stack gap="sm" mt="sm">
      <Sheet testId="history" card heads={[t`Time`, t`Changed by`, t`Setting`, t`Before`, t`After`]}>
        {changes.map((change) => (
          <Table.Tr key={change.uuid}>
            <Table.Td title={moment(change.created_at)} style={{ whiteSpace: 'nowrap' }}>
              {ago(change.created_at)}
            </Table.Td>
            <Table.Td>{change.changed_by ?? t`unknown`}</Table.Td>
            <Table.Td data-wide>{settingLabel(change.config_key)}</Table.Td>
            <Table.Td data-label={t`Before`}>{shortText(change.old_value)}</Table.Td>
            <Table.Td data-label={t`After`}>{shortText(change.new_value)}</Table.Td>
          </Table.Tr>
        ))}
      </Sheet>
      {history.hasNextPage && (
        <Group>
          <Button
            size="xs"
            variant="default"
            loading={history.isFetchingNextPage}
            onClick={() => void history.fetchNextPage()}
          >
            {t`Show more`}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function shortText(value: ConfigChange['old_value']): string {
  if (value === null || value === '') return t`not set`;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return shortened(String(value), 120);
}

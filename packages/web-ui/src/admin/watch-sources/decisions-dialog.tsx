import { t } from '@lingui/core/macro';
import { Group, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ago, bytes, moment } from '../../lib/format.ts';
import { FilterSelect } from '../../ui/filter-select.tsx';
import { Pager } from '../../ui/pager.tsx';
import { Empty, QueryStatus } from '../../ui/query-status.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { Sheet } from '../../ui/sheet.tsx';
import { decisionLabels, reasonText } from './labels.ts';
import { pageSize, watchDecisionsQuery, type WatchDecision, type WatchSource } from './watch-queries.ts';
import { Dialog } from '../../ui/dialog.tsx';

type Props = { source: WatchSource; onClose: () => void };

/** What was decided about the files of a source, and why. */
export function DecisionsDialog({ source, onClose }: Props) {
  const [page, setPage] = useState(1);
  const [search, setSearch] = useState('');
  const [decision, setDecision] = useState<WatchDecision['decision'] | undefined>(undefined);
  const decisions = useQuery(watchDecisionsQuery(source.uuid, { page, decision, search }));
  return (
    <Dialog onClose={onClose} size="xl" title={<b>{t`Files of ${source.name}`}</b>}>
      <Stack gap="md">
        <Group gap="sm">
          <SearchBox
            label={t`Search for a file name`}
            value={search}
            onChange={(text) => {
              setSearch(text);
              setPage(1);
            }}
          />
          <FilterSelect
            label={t`Decision`}
            any={t`All decisions`}
            labels={decisionLabels}
            value={decision}
            onChange={(value) => {
              setDecision(value === '' ? undefined : (value as WatchDecision['decision']));
              setPage(1);
            }}
          />
        </Group>
        <QueryStatus of={decisions} failure={t`The decisions couldn’t be loaded`} />
        {decisions.data?.total === 0 && <Empty>{t`There are no such files.`}</Empty>}
        {decisions.data && decisions.data.total > 0 && (
          <Sheet testId="watch-decisions" heads={[t`File`, t`Decision`, t`Reason`, t`Decided`]}>
            {decisions.data.items.map((item) => (
              <Table.Tr key={item.path} data-path={item.path}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  {item.file_uuid === null ? (
                    item.path
                  ) : (
                    <Link to="/files/$uuid" params={{ uuid: item.file_uuid }} className="ot-link" dir="auto">
                      {item.path}
                    </Link>
                  )}
                  <Text size="xs" c="dimmed">
                    {bytes(item.bytes)}
                  </Text>
                </Table.Td>
                <Table.Td data-label={t`Decision`}>{decisionLabels[item.decision]}</Table.Td>
                <Table.Td data-wide style={{ overflowWrap: 'anywhere' }}>
                  {reasonText(item)}
                </Table.Td>
                <Table.Td data-label={t`Decided`} title={moment(item.decided_at)}>
                  {ago(item.decided_at)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Sheet>
        )}
        <Pager page={page} total={decisions.data?.total ?? 0} size={pageSize} onPage={setPage} />
      </Stack>
    </Dialog>
  );
}

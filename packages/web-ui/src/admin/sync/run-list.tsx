import { t } from '@lingui/core/macro';
import { Badge, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { moment } from '../../lib/format.ts';
import { Empty, QueryStatus } from '../../ui/query-status.tsx';
import { Pager } from '../../ui/pager.tsx';
import { runsQuery, runPageSize } from './sync-queries.ts';
import { statusLabelOf, summaryOf, type Summary } from './labels.ts';
import { Sheet } from '../../ui/sheet.tsx';

/** Runs, newest first. */
export function RunList({ lastRunId }: { lastRunId: string | null }) {
  const [page, setPage] = useState(1);
  const runs = useQuery(runsQuery(page, lastRunId));
  if (!runs.data) return <QueryStatus of={runs} failure={t`The runs couldn’t be loaded`} />;
  if (runs.data.total === 0) return <Empty>{t`No runs yet.`}</Empty>;
  return (
    <>
      <Sheet
        testId="runs"
        heads={[
          t`Started`,
          t`Status`,
          t`Result`,
          <Table.Th key="Duration" ta="right">
            {t`Duration`}
          </Table.Th>,
        ]}
      >
        {runs.data.items.map((run) => (
          <RunRow key={run.pass_uuid} run={run} />
        ))}
      </Sheet>
      <Pager page={page} total={runs.data.total} size={runPageSize} onPage={setPage} />
    </>
  );
}

function RunRow({ run }: { run: Summary }) {
  const { label, color } = statusLabelOf(run);
  return (
    <Table.Tr>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        <Link
          className="ot-row-link"
          dir="auto"
          to="/admin/directory-sync/passes/$uuid"
          params={{ uuid: run.pass_uuid }}
        >
          {moment(run.started_at)}
        </Link>
        {run.dry_run && (
          <Text span size="xs" c="dimmed" ml={6}>
            {t`dry run`}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Badge variant="light" color={color}>
          {label}
        </Badge>
      </Table.Td>
      <Table.Td data-wide>{summaryOf(run)}</Table.Td>
      <Table.Td ta="right" className="ot-tabular" data-label={t`Duration`} style={{ whiteSpace: 'nowrap' }}>
        {run.duration_s === null ? '' : t`${run.duration_s.toFixed(1)} s`}
      </Table.Td>
    </Table.Tr>
  );
}

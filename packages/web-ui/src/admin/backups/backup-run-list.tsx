import { t } from '@lingui/core/macro';
import { Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { bytes } from '../../lib/format.ts';
import { Pager } from '../../ui/pager.tsx';
import { Empty, QueryStatus } from '../../ui/query-status.tsx';
import { Sheet } from '../../ui/sheet.tsx';
import { backupSummaryOf, durationText } from './labels.ts';
import { backupRunsQuery, runPageSize, type BackupRun } from './operations-queries.ts';
import { RunResult, RunStart, RunStatus } from './run-cells.tsx';

/** Runs of the backup, newest first. */
export function BackupRunList() {
  const [page, setPage] = useState(1);
  const runs = useQuery(backupRunsQuery(page));
  const { data } = runs;
  return (
    <>
      <QueryStatus of={runs} failure={t`The runs couldn’t be loaded`} />
      {data?.total === 0 && <Empty>{t`No runs yet.`}</Empty>}
      {data && data.total > 0 && (
        <>
          <Sheet
            testId="backup-runs"
            heads={[
              t`Requested`,
              t`Status`,
              t`Result`,
              <Table.Th key="size" ta="right">
                {t`Size`}
              </Table.Th>,
              <Table.Th key="duration" ta="right">
                {t`Duration`}
              </Table.Th>,
            ]}
          >
            {data.items.map((run) => (
              <Row key={run.uuid} run={run} />
            ))}
          </Sheet>
          <Pager page={page} total={data.total} size={runPageSize} onPage={setPage} />
        </>
      )}
    </>
  );
}

function Row({ run }: { run: BackupRun }) {
  return (
    <Table.Tr data-status={run.status}>
      <RunStart run={run} />
      <RunStatus run={run} />
      <RunResult run={run} text={backupSummaryOf(run)} />
      <Table.Td ta="right" className="ot-tabular" data-label={t`Size`} style={{ whiteSpace: 'nowrap' }}>
        {run.size_bytes === null ? '' : bytes(run.size_bytes)}
      </Table.Td>
      <Table.Td ta="right" className="ot-tabular" data-label={t`Duration`} style={{ whiteSpace: 'nowrap' }}>
        {durationText(run.duration_s)}
      </Table.Td>
    </Table.Tr>
  );
}

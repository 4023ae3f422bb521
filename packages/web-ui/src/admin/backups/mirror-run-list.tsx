import { t } from '@lingui/core/macro';
import { Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Pager } from '../../ui/pager.tsx';
import { Empty, QueryStatus } from '../../ui/query-status.tsx';
import { Sheet } from '../../ui/sheet.tsx';
import { durationText, mirrorSummaryOf } from './labels.ts';
import { mirrorRunsQuery, runPageSize } from './operations-queries.ts';
import { RunResult, RunStart, RunStatus } from './run-cells.tsx';

/** Runs of the media mirror, newest first. */
export function MirrorRunList() {
  const [page, setPage] = useState(1);
  const runs = useQuery(mirrorRunsQuery(page));
  const { data } = runs;
  return (
    <>
      <QueryStatus of={runs} failure={t`The runs couldn’t be loaded`} />
      {data?.total === 0 && <Empty>{t`No runs yet.`}</Empty>}
      {data && data.total > 0 && (
        <>
          <Sheet
            testId="mirror-runs"
            heads={[
              t`Requested`,
              t`Status`,
              t`Result`,
              <Table.Th key="duration" ta="right">
                {t`Duration`}
              </Table.Th>,
            ]}
          >
            {data.items.map((run) => (
              <Table.Tr key={run.uuid} data-status={run.status}>
                <RunStart run={run} />
                <RunStatus run={run} />
                <RunResult run={run} text={mirrorSummaryOf(run)} />
                <Table.Td ta="right" className="ot-tabular" data-label={t`Duration`} style={{ whiteSpace: 'nowrap' }}>
                  {durationText(run.duration_s)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Sheet>
          <Pager page={page} total={data.total} size={runPageSize} onPage={setPage} />
        </>
      )}
    </>
  );
}

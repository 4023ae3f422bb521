import { t } from '@lingui/core/macro';
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { bytes, formatNumber } from '../../lib/format.ts';
import { Facts } from '../../ui/facts.tsx';
import { Empty, QueryStatus } from '../../ui/query-status.tsx';
import css from './backups.module.css';
import { mirrorReportQuery, mirrorRunsQuery, stateOf } from './operations-queries.ts';

/** What the last finished run copied, and the names of what is missing, differed or could not be copied. */
export function MirrorReport() {
  const runs = useQuery(mirrorRunsQuery(1));
  const report = useQuery({ ...mirrorReportQuery(stateOf(runs.data?.items[0])), enabled: runs.data !== undefined });
  if (!report.data) return <QueryStatus of={runs.isError ? runs : report} failure={t`The report couldn’t be loaded`} />;
  const { run, names } = report.data;
  if (!run) return <Empty>{t`No run has ended yet.`}</Empty>;
  return (
    <Stack gap="sm" data-testid="mirror-report">
      <QueryStatus of={report} failure={t`The report couldn’t be loaded`} />
      <Facts
        of={[
          [t`Copied`, t`${formatNumber(run.copied)} (${bytes(run.bytes_copied)})`],
          [t`Unchanged`, formatNumber(run.already_there)],
          [t`Differed, copied again`, formatNumber(run.differing)],
          [t`Missing in the object store`, formatNumber(run.missing)],
          [t`Not copied`, formatNumber(run.failed)],
        ]}
      />
      <Names title={t`Missing in the object store`} names={names.missing} total={run.missing} />
      <Names title={t`Differed, copied again`} names={names.differing} total={run.differing} />
      <Names
        title={t`Not copied`}
        names={names.failed.map(({ key, error }) => `${key}: ${error}`)}
        total={run.failed}
      />
    </Stack>
  );
}

type NamesProps = { readonly title: string; readonly names: readonly string[]; readonly total: number };

function Names({ title, names, total }: NamesProps) {
  if (names.length === 0) return null;
  return (
    <details>
      <summary>{title}</summary>
      <ul className={css['names']}>
        {names.map((name) => (
          <li key={name}>{name}</li>
        ))}
      </ul>
      {total > names.length && (
        <Text size="xs" c="dimmed">
          {t`The first ${formatNumber(names.length)} of ${formatNumber(total)}.`}
        </Text>
      )}
    </details>
  );
}

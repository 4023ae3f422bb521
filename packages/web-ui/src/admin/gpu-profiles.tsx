import { t } from '@lingui/core/macro';
import { Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { memory } from './gpu-labels.ts';
import { QueryStatus } from '../ui/query-status.tsx';
import { Sheet } from '../ui/sheet.tsx';

/** GPU memory used by the models; hidden while profiling is off. */
export function GpuProfiles() {
  const profiles = useQuery({
    queryKey: ['gpu-profiles'],
    queryFn: ({ signal }) => call('GET /api/admin/gpu-profiles', { signal }),
    refetchInterval: 30_000,
  });
  if (!profiles.data)
    return <QueryStatus of={profiles} failure={t`The GPU memory profiles couldn’t be loaded`} height={40} />;
  if (!profiles.data.enabled) return null;
  return (
    <>
      <Title order={3} size="h5" mt="lg" mb="xs">
        {t`GPU memory`}
      </Title>
      {profiles.data.summary.length === 0 ? (
        <Text c="dimmed">{t`No measurements yet. They appear after the next recording.`}</Text>
      ) : (
        <Sheet testId="gpu-profiles" heads={[t`Stage`, t`Model`, t`Device`, t`Recordings`, t`Median`, t`Maximum`]}>
          {profiles.data.summary.map((row) => (
            <Table.Tr key={`${row.stage} ${row.model} ${row.device}`}>
              <Table.Td>{row.stage}</Table.Td>
              <Table.Td>{row.model}</Table.Td>
              <Table.Td>{row.device}</Table.Td>
              <Table.Td data-label={t`Recordings`}>{row.count}</Table.Td>
              <Table.Td data-label={t`Median`}>{memory(row.p50_mib)}</Table.Td>
              <Table.Td data-label={t`Maximum`}>{memory(row.max_mib)}</Table.Td>
            </Table.Tr>
          ))}
        </Sheet>
      )}
    </>
  );
}

import { Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { operate } from '../api/operations.ts';
import { memory } from './gpu-words.ts';
import { Waiting } from './parts.tsx';
import { Sheet } from './sheet.tsx';

/** What the models needed of GPU memory; nothing at all while it is not measured. */
export const GpuProfiles = () => {
  const profiles = useQuery({
    queryKey: ['gpu-profiles'],
    queryFn: ({ signal }) => operate('gpuProfiles', { signal }),
    refetchInterval: 30_000,
  });
  if (!profiles.data) return <Waiting of={profiles} what="What the GPUs were used for" height={40} />;
  if (!profiles.data.enabled) return null;
  return (
    <>
      <Title order={3} size="h5" mt="lg" mb="xs">
        GPU memory
      </Title>
      {profiles.data.summary.length === 0 ? (
        <Text c="dimmed">Nothing was measured yet. It is shown here after the next recording.</Text>
      ) : (
        <Sheet testId="gpu-profiles" heads={['Stage', 'Model', 'Device', 'Recordings', 'Half needed up to', 'Most']}>
          {profiles.data.summary.map((row) => (
            <Table.Tr key={`${row.stage} ${row.model} ${row.device}`}>
              <Table.Td>{row.stage}</Table.Td>
              <Table.Td>{row.model}</Table.Td>
              <Table.Td>{row.device}</Table.Td>
              <Table.Td data-label="Recordings">{row.count}</Table.Td>
              <Table.Td data-label="Half needed up to">{memory(row.p50_mib)}</Table.Td>
              <Table.Td data-label="Most">{memory(row.max_mib)}</Table.Td>
            </Table.Tr>
          ))}
        </Sheet>
      )}
    </>
  );
};

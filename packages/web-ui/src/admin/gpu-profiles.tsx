import { Skeleton, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { operate } from '../api/operations.ts';
import { ErrorNote } from '../app/error-note.tsx';
import { memory } from './gpu-words.ts';

/** What the models needed of GPU memory; nothing at all while it is not measured. */
export const GpuProfiles = () => {
  const profiles = useQuery({
    queryKey: ['gpu-profiles'],
    queryFn: ({ signal }) => operate('gpuProfiles', { signal }),
    refetchInterval: 30_000,
  });
  if (profiles.isError)
    return (
      <ErrorNote
        error={profiles.error}
        title="What the GPUs were used for cannot be read just now"
        onRetry={() => void profiles.refetch()}
      />
    );
  if (profiles.isPending) return <Skeleton h={40} />;
  if (!profiles.data.enabled) return null;
  return (
    <>
      <Title order={3} size="h5" mt="lg" mb="xs">
        GPU memory
      </Title>
      {profiles.data.summary.length === 0 ? (
        <Text c="dimmed">Nothing was measured yet. It is shown here after the next recording.</Text>
      ) : (
        <Table.ScrollContainer minWidth={480}>
          <Table data-testid="gpu-profiles">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Stage</Table.Th>
                <Table.Th>Model</Table.Th>
                <Table.Th>Device</Table.Th>
                <Table.Th>Recordings</Table.Th>
                <Table.Th>Half needed up to</Table.Th>
                <Table.Th>Most</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {profiles.data.summary.map((row) => (
                <Table.Tr key={`${row.stage} ${row.model} ${row.device}`}>
                  <Table.Td>{row.stage}</Table.Td>
                  <Table.Td>{row.model}</Table.Td>
                  <Table.Td>{row.device}</Table.Td>
                  <Table.Td>{row.count}</Table.Td>
                  <Table.Td>{memory(row.p50_mib)}</Table.Td>
                  <Table.Td>{memory(row.max_mib)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </>
  );
};

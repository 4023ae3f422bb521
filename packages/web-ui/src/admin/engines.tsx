import { t } from '@lingui/core/macro';
import { Badge, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { QueryStatus } from '../ui/query-status.tsx';
import { enginesQuery, isForSpeech, type Worker } from './engine-alert.tsx';
import { Processors } from './processors.tsx';
import { Sheet } from '../ui/sheet.tsx';

/** The speech engines of the running workers. */
export function Engines() {
  const engines = useQuery(enginesQuery);
  return (
    <>
      <QueryStatus of={engines} failure={t`The engines couldn’t be loaded`} height={80} />
      {engines.data && <Workers workers={engines.data.workers.filter(isForSpeech)} />}
    </>
  );
}

function Workers({ workers }: { workers: readonly Worker[] }) {
  if (workers.length === 0) return <Text c="dimmed">{t`No worker is running. Recordings wait until one starts.`}</Text>;
  return (
    <Sheet testId="engines" heads={[t`Worker`, t`Engine`, t`Processors`, t`Queues`]}>
      {workers.map((worker) => (
        <Table.Tr key={worker.id}>
          <Table.Td>
            <Text size="sm">{worker.service}</Text>
            <Text size="xs" c="dimmed">
              {worker.id}
            </Text>
          </Table.Td>
          <Table.Td>
            {worker.engine ? (
              <Badge variant="light">{`${worker.engine.provider}, ${worker.engine.model}`}</Badge>
            ) : (
              <Text size="sm" c="dimmed">
                {t`none`}
              </Text>
            )}
            {worker.note !== null && (
              <Text size="xs" c="dimmed" mt={4}>
                {worker.note}
              </Text>
            )}
          </Table.Td>
          <Table.Td>
            <Processors gpu={worker.gpu} />
          </Table.Td>
          <Table.Td data-label={t`Queues`}>
            <Text size="xs" span>
              {worker.pulls.join(', ')}
            </Text>
          </Table.Td>
        </Table.Tr>
      ))}
    </Sheet>
  );
}

import { t, plural } from '@lingui/core/macro';
import { Badge, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AnswerOf, dispatcherRoutes } from '@overtone/contracts';
import { QueryStatus } from '../ui/query-status.tsx';
import { enginesQuery, isForSpeech, type Worker } from './engine-alert.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { memory, tuningLabel } from './gpu-labels.ts';

type Gpu = AnswerOf<typeof dispatcherRoutes.engines>['workers'][number]['gpu'];

/** The GPUs that a worker may use, and how it uses them. */
function Processors({ gpu }: { gpu: Gpu }) {
  if (gpu === null) return null;
  return (
    <>
      {gpu.devices.map((device) => (
        <Text key={device.uuid} size="xs">{t`GPU ${device.index}: ${device.name}, ${memory(device.memory_mib)}`}</Text>
      ))}
      {gpu.devices.length === 0 && <Text size="xs">{t`CPU`}</Text>}
      {gpu.tuning !== null && (
        <Text size="xs" c="dimmed">
          {tuningLabel(gpu.tuning)}
        </Text>
      )}
      {gpu.concurrency > 0 && (
        <Text size="xs" c="dimmed">
          {plural(gpu.concurrency, { one: '# job at a time', other: '# jobs at a time' })}
        </Text>
      )}
      {gpu.note !== null && (
        <Text size="xs" c="dimmed">
          {gpu.note}
        </Text>
      )}
    </>
  );
}

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

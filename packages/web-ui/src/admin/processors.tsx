import { plural, t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import type { AnswerOf, dispatcherRoutes } from '@overtone/contracts';
import { memory, tuningLabel } from './gpu-labels.ts';

type Gpu = AnswerOf<typeof dispatcherRoutes.engines>['workers'][number]['gpu'];

/** The GPUs that a worker may use, and how it uses them. */
export function Processors({ gpu }: { gpu: Gpu }) {
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

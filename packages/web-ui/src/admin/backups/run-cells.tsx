import { Badge, Table, Text } from '@mantine/core';
import { moment } from '../../lib/format.ts';
import { CodeDetails } from '../../ui/error-note.tsx';
import { statusLabels, triggerLabels } from './labels.ts';
import type { BackupRun, MirrorRun } from './operations-queries.ts';

type Props = { readonly run: BackupRun | MirrorRun };

/** When a run was requested, and by what. */
export function RunStart({ run }: Props) {
  return (
    <Table.Td>
      {moment(run.queued_at)}
      <Text span size="xs" c="dimmed" ml={6}>
        {triggerLabels[run.trigger]}
      </Text>
    </Table.Td>
  );
}

export function RunStatus({ run }: Props) {
  const { label, color } = statusLabels[run.status];
  return (
    <Table.Td>
      <Badge variant="light" color={color}>
        {label}
      </Badge>
    </Table.Td>
  );
}

/** The result or the reason of a failure, with its code. */
export function RunResult({ run, text }: Props & { readonly text: string }) {
  return (
    <Table.Td data-wide>
      {text}
      {run.error_code !== null && <CodeDetails code={run.error_code} />}
    </Table.Td>
  );
}

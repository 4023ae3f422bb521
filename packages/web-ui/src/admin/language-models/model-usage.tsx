import { t } from '@lingui/core/macro';
import { SegmentedControl, Stack, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ResponseBody } from '@overtone/client';
import { formatNumber } from '../../lib/format.ts';
import { modelUsageQuery } from '../../language-models/model-queries.ts';
import { Empty, QueryStatus } from '../../ui/query-status.tsx';
import { Sheet } from '../../ui/sheet.tsx';

type Usage = ResponseBody<'GET /api/admin/llm-settings/usage'>['items'][number];
type Grouping = 'user' | 'file';

/** Requests and tokens of the last 30 days, by person or by recording. */
export function ModelUsage() {
  const [by, setBy] = useState<Grouping>('user');
  const usage = useQuery(modelUsageQuery(by));
  return (
    <Stack gap="md">
      <SegmentedControl
        aria-label={t`Group by`}
        value={by}
        onChange={(value) => setBy(value === 'file' ? 'file' : 'user')}
        data={[
          { value: 'user', label: t`By person` },
          { value: 'file', label: t`By recording` },
        ]}
      />
      <QueryStatus of={usage} failure={t`The tokens couldn’t be loaded`} height={120} />
      {usage.data?.items.length === 0 && <Empty>{t`No request was sent to a language model.`}</Empty>}
      {usage.data && usage.data.items.length > 0 && <UsageTable items={usage.data.items} by={by} />}
    </Stack>
  );
}

function UsageTable({ items, by }: { items: readonly Usage[]; by: Grouping }) {
  const heads = [by === 'user' ? t`Person` : t`Recording`, t`Model`, t`Requests`, t`Sent`, t`Received`];
  return (
    <Sheet testId="model-usage" heads={heads}>
      {items.map((item) => (
        <Table.Tr key={`${item.uuid} ${item.provider} ${item.model}`}>
          <Table.Td>{by === 'user' ? personOf(item) : <Recording uuid={item.uuid} />}</Table.Td>
          <Table.Td data-label={t`Model`}>
            {item.provider} · {item.model}
          </Table.Td>
          <Table.Td data-label={t`Requests`}>{formatNumber(item.requests)}</Table.Td>
          <Table.Td data-label={t`Sent`}>{formatNumber(item.input_tokens)}</Table.Td>
          <Table.Td data-label={t`Received`}>{formatNumber(item.output_tokens)}</Table.Td>
        </Table.Tr>
      ))}
    </Sheet>
  );
}

function personOf({ uuid, name }: Usage): string {
  if (uuid === null) return t`The system`;
  return name ?? t`Unknown person`;
}

function Recording({ uuid }: { uuid: string | null }) {
  if (uuid === null) return t`No single recording`;
  return (
    <Link to="/files/$uuid" params={{ uuid }} className="ot-link">
      {uuid.slice(0, 8)}
    </Link>
  );
}

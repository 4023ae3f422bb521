import { plural, t } from '@lingui/core/macro';
import { Badge, Button, Code, Group, Stack, Table, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { ago, moment } from '../../lib/format.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { Pager } from '../../ui/pager.tsx';
import { Pane, Section } from '../../ui/pane.tsx';
import { Empty, QueryStatus } from '../../ui/query-status.tsx';
import { Sheet } from '../../ui/sheet.tsx';
import { erasurePageSize, erasuresQuery, type ErasureObject } from './erasure-queries.ts';
import { countRows, serviceLabels, serviceStatusLabels, statusLabels } from './labels.ts';

/** Administration > Erasures: the ledger, with the progress of erasures that are running. */
export function ErasuresPage() {
  const [page, setPage] = useState(1);
  const erasures = useQuery(erasuresQuery(page));
  return (
    <Pane title={t`Erasures`}>
      <Stack gap="lg">
        <Text size="sm">
          {t`To erase a person, open the account under Users. This ledger holds no names: an erased person is found by the address.`}
        </Text>
        <Section title={t`Was a person erased?`}>
          <FindErasure />
        </Section>
        <Section title={t`Ledger`}>
          <QueryStatus of={erasures} failure={t`The erasures couldn’t be loaded`} />
          {erasures.data?.total === 0 && <Empty>{t`No account was erased.`}</Empty>}
          {erasures.data && erasures.data.total > 0 && <Ledger erasures={erasures.data.items} testId="erasures" />}
          <Pager page={page} total={erasures.data?.total ?? 0} size={erasurePageSize} onPage={setPage} />
        </Section>
      </Stack>
    </Pane>
  );
}

function FindErasure() {
  const [email, setEmail] = useState('');
  const find = useMutation({
    mutationFn: () => call('POST /api/admin/erasures/find', { body: { email } }),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        find.mutate();
      }}
    >
      <Stack gap="sm">
        <Group align="flex-end" gap="sm">
          <TextInput
            label={t`E-mail address`}
            type="email"
            required
            value={email}
            autoComplete="off"
            onChange={(event) => {
              // The result of another address would be read as the result of this one.
              find.reset();
              setEmail(event.currentTarget.value);
            }}
          />
          <Button type="submit" variant="default" loading={find.isPending}>
            {t`Search`}
          </Button>
        </Group>
        {find.error && <ErrorNote error={find.error} title={t`The ledger couldn’t be searched`} />}
        <div aria-live="polite" data-testid="found-erasures">
          {find.data?.length === 0 && <Text size="sm">{t`The ledger has no erasure of this address.`}</Text>}
          {find.data && find.data.length > 0 && <Ledger erasures={find.data} testId="found" />}
        </div>
      </Stack>
    </form>
  );
}

function Ledger({ erasures, testId }: { erasures: readonly ErasureObject[]; testId: string }) {
  return (
    <Sheet testId={testId} heads={[t`Requested`, t`Status`, t`What was erased`]}>
      {erasures.map((erasure) => (
        <Row key={erasure.uuid} erasure={erasure} />
      ))}
    </Sheet>
  );
}

function Row({ erasure }: { erasure: ErasureObject }) {
  const client = useQueryClient();
  const retry = useMutation({
    mutationFn: () => call('POST /api/admin/erasures/{uuid}/retry', { params: { uuid: erasure.uuid } }),
    onSuccess: async () => {
      notify(t`The order was sent again.`);
      await client.invalidateQueries({ queryKey: ['erasures'] });
    },
    onError: (error) => notifyError(t`The order wasn’t sent`, error),
  });
  const open = erasure.services.filter(({ status }) => status !== 'done');
  return (
    <Table.Tr data-status={erasure.status}>
      <Table.Td title={moment(erasure.ordered_at)}>
        {ago(erasure.ordered_at)}
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          <Code fz="xs">{erasure.subject_hash.slice(0, 12)}</Code>
        </Text>
      </Table.Td>
      <Table.Td>
        <Badge variant="light" color={erasure.status === 'done' ? 'petrol' : 'yellow'}>
          {statusLabels[erasure.status]}
        </Badge>
        {open.map(({ service, status }) => (
          <Text key={service} size="xs" data-pending={service}>
            {serviceLabels[service]}: {serviceStatusLabels[status]}
          </Text>
        ))}
        {open.length > 0 && (
          <Button size="compact-xs" variant="default" mt={4} loading={retry.isPending} onClick={() => retry.mutate()}>
            {t`Send the order again`}
          </Button>
        )}
      </Table.Td>
      <Table.Td data-wide>
        {erasure.rounds.map(({ round, counts, finished_at: finishedAt }) => (
          <div key={round}>
            {erasure.rounds.length > 1 && (
              <Text size="xs" fw={600}>
                {round === 1 ? t`First erasure` : t`Again after restore ${round - 1}`}
              </Text>
            )}
            <Text size="sm">
              {countRows(counts)
                .map(([label, count]) => `${label}: ${count}`)
                .join(', ')}
            </Text>
            {finishedAt !== null && (
              <Text size="xs" c="dimmed">
                {t`finished ${moment(finishedAt)}`}
              </Text>
            )}
          </div>
        ))}
        {erasure.object_hashes > 0 && (
          <Text size="xs" c="dimmed">
            {plural(erasure.object_hashes, {
              one: '# recording is proved by its hash',
              other: '# recordings are proved by their hashes',
            })}
          </Text>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

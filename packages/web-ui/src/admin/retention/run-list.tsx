import { plural, t } from '@lingui/core/macro';
import { Alert, Button, Group, Stack, Table, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { ago, bytes, moment } from '../../lib/format.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Icon } from '../../ui/icons.tsx';
import { notifyError } from '../../ui/notify.ts';
import { Pager } from '../../ui/pager.tsx';
import { Empty, QueryStatus } from '../../ui/query-status.tsx';
import { Sheet } from '../../ui/sheet.tsx';
import { removalLabels, resultText, runStatusLabels, skipLabels } from './labels.ts';
import {
  isActive,
  pageSize,
  retentionItemsQuery,
  retentionRunsQuery,
  type RetentionItem,
  type RetentionRun,
} from './retention-queries.ts';
import { Dialog } from '../../ui/dialog.tsx';

type RunRule = RetentionRun['rules'][number];

/** Runs, the latest first, and the sets of files that wait for an approval. */
export function RetentionRuns() {
  const client = useQueryClient();
  const [page, setPage] = useState(1);
  const [shown, setShown] = useState<{ run: RetentionRun; rule: RunRule } | null>(null);
  const runs = useQuery(retentionRunsQuery(page));
  const latest = useQuery(retentionRunsQuery(1)).data?.items ?? [];
  const start = useMutation({
    mutationFn: () => call('POST /api/admin/retention/runs'),
    onSuccess: () => client.invalidateQueries({ queryKey: ['retention', 'runs'] }),
    onError: (error) => notifyError(t`The run wasn’t started`, error),
  });
  const held = latest.flatMap((run) =>
    run.rules.filter(({ status }) => status === 'held').map((rule) => ({ run, rule })),
  );
  return (
    <Stack gap="md">
      {held.map(({ run, rule }) => (
        <HeldSet key={rule.rule_uuid} run={run} rule={rule} onShow={() => setShown({ run, rule })} />
      ))}
      <Group>
        <Button
          variant="default"
          loading={start.isPending}
          disabled={latest.some(isActive)}
          onClick={() => start.mutate()}
        >
          {t`Run now`}
        </Button>
      </Group>
      <QueryStatus of={runs} failure={t`The runs couldn’t be loaded`} />
      {runs.data?.total === 0 && <Empty>{t`No runs yet.`}</Empty>}
      {runs.data && runs.data.total > 0 && (
        <Sheet testId="retention-runs" heads={[t`Requested`, t`Status`, t`Result`]}>
          {runs.data.items.map((run) => (
            <Table.Tr key={run.uuid} data-status={run.status}>
              <Table.Td title={moment(run.queued_at)}>
                {ago(run.queued_at)}
                <Text size="xs" c="dimmed">
                  {run.trigger === 'manual' ? t`on request` : t`by schedule`}
                </Text>
              </Table.Td>
              <Table.Td>{runStatusLabels[run.status]}</Table.Td>
              <Table.Td data-wide>
                {run.rules.length === 0 && run.status === 'success' && t`No rule was switched on.`}
                {run.rules.map((rule) => (
                  <div key={rule.rule_uuid}>
                    <Button variant="transparent" size="compact-sm" px={0} onClick={() => setShown({ run, rule })}>
                      {rule.name}
                    </Button>
                    : {resultText(rule)}
                  </div>
                ))}
              </Table.Td>
            </Table.Tr>
          ))}
        </Sheet>
      )}
      <Pager page={page} total={runs.data?.total ?? 0} size={pageSize} onPage={setPage} />
      {shown && <FilesDialog {...shown} onClose={() => setShown(null)} />}
    </Stack>
  );
}

function HeldSet({ run, rule, onShow }: { run: RetentionRun; rule: RunRule; onShow: () => void }) {
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const files = plural(rule.planned, { one: '# file', other: '# files' });
  const library = plural(run.library_files ?? 0, { one: '# file', other: '# files' });
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<Icon name="alert" />}
      title={t`${rule.name} waits for your approval`}
      data-testid="held-set"
    >
      <Text size="sm" mb="sm">
        {t`It would remove ${files} (${bytes(rule.planned_bytes)}) from a library of ${library}. Nothing was removed yet.`}
      </Text>
      <Group gap="sm">
        <Button size="compact-md" variant="default" onClick={onShow}>
          {t`Show the files`}
        </Button>
        <Button size="compact-md" color="red" onClick={() => setAsking(true)}>
          {t`Approve these files`}
        </Button>
      </Group>
      {asking && (
        <Confirm
          title={t`Remove ${files}?`}
          action={t`Remove`}
          run={() =>
            call('POST /api/admin/retention/runs/{uuid}/approve', {
              params: { uuid: run.uuid },
              body: { rule_uuid: rule.rule_uuid, set_digest: rule.set_digest },
            })
          }
          onDone={() => void client.invalidateQueries({ queryKey: ['retention'] })}
          onClose={() => setAsking(false)}
        >
          <Text size="sm">
            {removalLabels[rule.removes]}.{' '}
            {t`Exactly this set is approved. Files that the rule does not apply to any more are kept.`}
          </Text>
        </Confirm>
      )}
    </Alert>
  );
}

function FilesDialog({ run, rule, onClose }: { run: RetentionRun; rule: RunRule; onClose: () => void }) {
  const [page, setPage] = useState(1);
  const files = useQuery(retentionItemsQuery(run.uuid, rule.rule_uuid, page));
  return (
    <Dialog onClose={onClose} size="lg" title={<b>{t`Files of ${rule.name}`}</b>}>
      <QueryStatus of={files} failure={t`The files couldn’t be loaded`} />
      {files.data?.total === 0 && <Empty>{t`The rule applied to no file.`}</Empty>}
      {files.data && files.data.total > 0 && (
        <Sheet testId="retention-files" heads={[t`File`, t`Owner`, t`Size`, t`Result`]}>
          {files.data.items.map((item) => (
            <Table.Tr key={item.file_uuid}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{item.title ?? item.file_uuid}</Table.Td>
              <Table.Td data-label={t`Owner`}>{item.owner_name ?? t`unknown`}</Table.Td>
              <Table.Td data-label={t`Size`}>{bytes(item.bytes)}</Table.Td>
              <Table.Td data-label={t`Result`}>{outcomeText(item)}</Table.Td>
            </Table.Tr>
          ))}
        </Sheet>
      )}
      <Pager page={page} total={files.data?.total ?? 0} size={pageSize} onPage={setPage} />
    </Dialog>
  );
}

function outcomeText({ outcome, skip_reason: reason }: RetentionItem): string {
  if (outcome === 'planned') return t`Not removed`;
  if (outcome === 'removed') return t`Removed`;
  return reason === null ? t`Kept` : skipLabels[reason];
}

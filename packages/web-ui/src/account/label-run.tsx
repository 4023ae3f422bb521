import { plural, t } from '@lingui/core/macro';
import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ResponseBody } from '@overtone/client';
import { call } from '../api/client.ts';
import { moment } from '../lib/format.ts';
import { notifyError } from '../ui/notify.ts';
import { QueryStatus } from '../ui/query-status.tsx';

type Run = NonNullable<ResponseBody<'GET /api/topics/retroactive-auto-label/status'>['run']>;

const busyMs = 2_000;
const runQuery = queryOptions({
  queryKey: ['label-run'],
  queryFn: ({ signal }) => call('GET /api/topics/retroactive-auto-label/status', { signal }),
  refetchInterval: ({ state }) => (state.data?.run?.status === 'running' ? busyMs : false),
});

/** Labels for recordings that were transcribed before. */
export function LabelRun() {
  const client = useQueryClient();
  const query = useQuery(runQuery);
  const refresh = () => client.invalidateQueries({ queryKey: runQuery.queryKey });
  const start = useMutation({
    mutationFn: () => call('POST /api/topics/retroactive-auto-label', { body: {} }),
    onSettled: refresh,
    onError: (error) => notifyError(t`The run wasn’t started`, error),
  });
  const stop = useMutation({
    mutationFn: () => call('DELETE /api/topics/retroactive-auto-label'),
    onSettled: refresh,
    onError: (error) => notifyError(t`The run wasn’t stopped`, error),
  });
  if (!query.data) return <QueryStatus of={query} failure={t`The run couldn’t be loaded`} height={80} />;
  const { run } = query.data;
  const isRunning = run?.status === 'running';
  return (
    <Stack gap="xs" data-testid="label-run" data-status={run?.status ?? 'none'}>
      <Text size="sm">{t`Suggest labels for all your recordings again, and apply those that are sure enough.`}</Text>
      {run && <RunState run={run} />}
      <Group>
        {isRunning ? (
          <Button variant="default" loading={stop.isPending} onClick={() => stop.mutate()}>
            {t`Stop`}
          </Button>
        ) : (
          <Button variant="default" loading={start.isPending} onClick={() => start.mutate()}>
            {t`Label all my recordings`}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

function RunState({ run: { status, total, processed, failed, labels, finished_at: finishedAt } }: { run: Run }) {
  const percent = total === 0 ? 0 : (processed / total) * 100;
  return (
    <Stack gap={4} role="status">
      {status === 'running' && (
        <>
          <Progress value={percent} aria-label={t`Progress of the run`} />
          <Text size="sm">{t`${processed} of ${total} recordings`}</Text>
        </>
      )}
      {status !== 'running' && finishedAt !== null && (
        <Text size="sm" c="dimmed">
          {status === 'stopped' ? t`Stopped ${moment(finishedAt)}.` : t`Finished ${moment(finishedAt)}.`}{' '}
          {plural(labels, { one: '# label applied.', other: '# labels applied.' })}
        </Text>
      )}
      {failed > 0 && (
        <Text size="sm" c="red">
          {plural(failed, { one: '# recording failed.', other: '# recordings failed.' })}
        </Text>
      )}
    </Stack>
  );
}

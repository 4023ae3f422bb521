import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import type { ResponseBody } from '../api/routes.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { notify, notifyError } from '../ui/notify.ts';
import { ago, plural } from '../lib/format.ts';

const healthLabels: Record<ResponseBody<'GET /api/search/index-health'>['status'], string> = {
  green: 'healthy',
  yellow: 'limited',
  red: 'down',
};

/** The state of the search index, and the button that rebuilds it. */
export function SearchIndex() {
  const client = useQueryClient();
  const health = useQuery({
    queryKey: ['index-health'],
    queryFn: ({ signal }) => call('GET /api/search/index-health', { signal }),
  });
  const status = useQuery({
    queryKey: ['reindex'],
    queryFn: ({ signal }) => call('GET /api/search/reindex/status', { signal }),
    refetchInterval: ({ state }) => (state.data?.in_progress ? 1500 : 15_000),
  });
  const reindex = useMutation({
    mutationFn: () => call('POST /api/search/reindex'),
    onSuccess: ({ message }) => {
      notify(message);
      void client.invalidateQueries({ queryKey: ['reindex'] });
    },
    onError: (error) => notifyError('The rebuild wasn’t started', error),
  });
  const running = status.data?.in_progress ?? false;
  return (
    <Stack gap="sm">
      {health.isError && (
        <ErrorNote
          error={health.error}
          title="The search index is not responding"
          onRetry={() => void health.refetch()}
        />
      )}
      {health.data && (
        <Text size="sm">
          {health.data.backend}, {healthLabels[health.data.status]}: {plural(health.data.chunks, 'passage')} of{' '}
          {plural(health.data.files, 'recording')}
          {health.data.keyword_only_files > 0 ? `, ${health.data.keyword_only_files} found by exact words only` : ''}
          {health.data.error === null ? '' : `. ${health.data.error}`}
        </Text>
      )}
      {status.data && (
        <Text size="sm" c="dimmed" aria-live="polite">
          {running
            ? `Rebuilding: ${status.data.indexed_files} of ${plural(status.data.total_files, 'recording')}`
            : status.data.last_completed_at === null
              ? 'Not rebuilt yet'
              : `Last rebuilt ${ago(status.data.last_completed_at)}`}
          {status.data.failed_files > 0 ? `, ${status.data.failed_files} failed` : ''}
        </Text>
      )}
      {running && status.data && (
        <Progress
          aria-label="Rebuild of the search index"
          value={(status.data.indexed_files / Math.max(1, status.data.total_files)) * 100}
        />
      )}
      <Group>
        <Button variant="default" loading={reindex.isPending} disabled={running} onClick={() => reindex.mutate()}>
          Rebuild the search index
        </Button>
      </Group>
    </Stack>
  );
}

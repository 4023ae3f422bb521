import { msg, plural, t } from '@lingui/core/macro';
import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { translateOnRead } from '../lib/language.ts';
import { call } from '../api/client.ts';
import type { ResponseBody } from '../api/routes.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { notify, notifyError } from '../ui/notify.ts';
import { ago } from '../lib/format.ts';

type Status = ResponseBody<'GET /api/search/reindex/status'>;
type Health = ResponseBody<'GET /api/search/index-health'>;
const healthLabels: Record<Health['status'], string> = translateOnRead({
  green: msg`healthy`,
  yellow: msg`limited`,
  red: msg`down`,
});

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
    onError: (error) => notifyError(t`The rebuild wasn’t started`, error),
  });
  const running = status.data?.in_progress ?? false;
  return (
    <Stack gap="sm">
      {health.isError && (
        <ErrorNote
          error={health.error}
          title={t`The search index is not responding`}
          onRetry={() => void health.refetch()}
        />
      )}
      {health.data && <Text size="sm">{healthText(health.data)}</Text>}
      {status.data && (
        <Text size="sm" c="dimmed" aria-live="polite">
          {rebuildText(status.data)}
        </Text>
      )}
      {status.data && <Text size="sm">{modelText(status.data)}</Text>}
      {running && status.data && (
        <Progress
          aria-label={t`Rebuild of the search index`}
          value={(status.data.indexed_files / Math.max(1, status.data.total_files)) * 100}
        />
      )}
      <Group>
        <Button variant="default" loading={reindex.isPending} disabled={running} onClick={() => reindex.mutate()}>
          {t`Rebuild the search index`}
        </Button>
      </Group>
    </Stack>
  );
}

function healthText({ backend, status, chunks, files, keyword_only_files: keywordOnly, error }: Health): string {
  const size = t`${plural(chunks, { one: '# passage', other: '# passages' })} of ${plural(files, { one: '# recording', other: '# recordings' })}`;
  const state = `${backend}, ${healthLabels[status]}: ${size}`;
  const counted = keywordOnly > 0 ? t`${state}, ${keywordOnly} found by exact words only` : state;
  return error === null ? counted : `${counted}. ${error}`;
}

/** Of a sentence model the name ends with a hash of its content. */
function modelText({ model, in_progress: running }: Status): string {
  if (model === null) return t`Search by meaning: not yet, because no recording was read for it`;
  const name = model.startsWith('wink-') ? t`word vectors (no sentence model is installed)` : model;
  return running ? t`Search by meaning, after the rebuild: ${name}` : t`Search by meaning: ${name}`;
}

function rebuildText(status: Status): string {
  const { in_progress: running, indexed_files: indexed, total_files: total, last_completed_at: completedAt } = status;
  const idle = completedAt === null ? t`Not rebuilt yet` : t`Last rebuilt ${ago(completedAt)}`;
  const state = running
    ? t`Rebuilding: ${indexed} of ${plural(total, { one: '# recording', other: '# recordings' })}`
    : idle;
  return status.failed_files > 0 ? t`${state}, ${status.failed_files} failed` : state;
}

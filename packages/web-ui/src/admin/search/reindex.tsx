import { t } from '@lingui/core/macro';
import { Button, Group, NativeSelect, Progress, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { QueryStatus } from '../../ui/query-status.tsx';
import { ComparisonResult } from './comparison-result.tsx';
import { modelText, paceText, startText, statusText } from './labels.ts';
import { reindexStatusQuery, type ReindexBody, type ReindexStatus } from './reindex-queries.ts';
import { TargetSelect } from './target-select.tsx';

type Scope = 'all' | 'user' | 'file';

/** Indexes recordings again: what is chosen, a dry run, the progress, and the button that stops it. */
export function Reindex() {
  const client = useQueryClient();
  const status = useQuery(reindexStatusQuery);
  const [scope, setScope] = useState<Scope>('all');
  const [target, setTarget] = useState<string | null>(null);
  const body = bodyOf(scope, target);
  const preview = useMutation({
    mutationFn: (asked: ReindexBody) => call('POST /api/search/reindex/preview', { body: asked }),
  });
  const start = useMutation({
    mutationFn: (asked: ReindexBody) => call('POST /api/search/reindex', { body: asked }),
    onSuccess: async ({ status: result }) => {
      preview.reset();
      if (result === 'started') notify(startText(result));
      else notifyError(t`The reindex wasn’t started`, new Error(startText(result)));
      await client.invalidateQueries(reindexStatusQuery);
    },
    onError: (error) => notifyError(t`The reindex wasn’t started`, error),
  });
  const running = status.data?.in_progress ?? false;
  const choose = (next: { scope?: Scope; target: string | null }): void => {
    if (next.scope) setScope(next.scope);
    setTarget(next.target);
    preview.reset();
  };
  return (
    <Stack gap="sm" data-testid="reindex">
      <Text size="sm" c="dimmed">
        {t`All recordings: a new index is built next to the current one, which serves until the new one is complete. One person or one recording: replaced in the current index.`}
      </Text>
      <Group align="flex-end" gap="sm">
        <NativeSelect
          label={t`What to index again`}
          value={scope}
          data={[
            { value: 'all', label: t`All recordings` },
            { value: 'user', label: t`Recordings of one person` },
            { value: 'file', label: t`One recording` },
          ]}
          onChange={(event) => choose({ scope: event.currentTarget.value as Scope, target: null })}
        />
        {scope !== 'all' && (
          <TargetSelect key={scope} kind={scope} value={target} onChange={(uuid) => choose({ target: uuid })} />
        )}
      </Group>
      <Group gap="xs">
        <Button
          variant="default"
          disabled={body === null}
          loading={preview.isPending}
          onClick={() => body && preview.mutate(body)}
        >
          {t`Show what would change`}
        </Button>
        <Button
          disabled={body === null || running}
          loading={start.isPending}
          onClick={() => body && start.mutate(body)}
        >
          {t`Start reindex`}
        </Button>
      </Group>
      {preview.error && <ErrorNote error={preview.error} title={t`The dry run failed`} />}
      {preview.data && (
        <div data-testid="reindex-preview" aria-live="polite">
          <Text size="sm" fw={600}>
            {t`Dry run: nothing was changed.`}
          </Text>
          <ComparisonResult comparison={preview.data} />
          <Text size="sm" mt="xs">
            {previewText(scope, preview.data)}
          </Text>
        </div>
      )}
      <QueryStatus of={status} failure={t`The status of the reindex couldn’t be loaded`} height={24} />
      {status.data && <Status status={status.data} />}
    </Stack>
  );
}

function Status({ status }: { status: ReindexStatus }) {
  const client = useQueryClient();
  const stop = useMutation({
    mutationFn: () => call('POST /api/search/reindex/stop'),
    onSuccess: () => client.invalidateQueries(reindexStatusQuery),
    onError: (error) => notifyError(t`The reindex wasn’t stopped`, error),
  });
  const done = status.indexed_files + status.failed_files;
  return (
    <Stack gap={6} data-testid="reindex-status" data-running={status.in_progress}>
      <Text size="sm" aria-live="polite">
        {statusText(status)}
      </Text>
      <Text size="sm">{modelText(status)}</Text>
      {status.in_progress && (
        <>
          <Progress aria-label={t`Progress of the reindex`} value={(done / Math.max(1, status.total_files)) * 100} />
          <Group justify="space-between" gap="xs">
            <Text size="sm" c="dimmed">
              {paceText(status)}
            </Text>
            <Button
              size="compact-sm"
              variant="default"
              loading={stop.isPending}
              disabled={status.stop_requested}
              onClick={() => stop.mutate()}
            >
              {t`Stop reindex`}
            </Button>
          </Group>
        </>
      )}
    </Stack>
  );
}

/** null: nothing is chosen yet. */
function bodyOf(scope: Scope, target: string | null): ReindexBody | null {
  if (scope === 'all') return {};
  if (target === null) return null;
  return scope === 'user' ? { user_uuid: target } : { file_uuids: [target] };
}

function previewText(scope: Scope, preview: { model: string | null; next_model: string | null }): string {
  const { model, next_model: next } = preview;
  if (scope !== 'all') return t`A reindex writes these recordings again, also those that are up to date.`;
  const changes = model !== null && next !== null && model !== next;
  return changes
    ? t`A reindex writes all recordings into a new index, with the text model ${next} instead of ${model}.`
    : t`A reindex writes all recordings into a new index, also those that are up to date.`;
}

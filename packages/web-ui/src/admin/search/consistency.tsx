import { plural, t } from '@lingui/core/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '../../api/client.ts';
import { timeOfDay } from '../../lib/format.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { ComparisonResult } from './comparison-result.tsx';
import { differenceCount } from './labels.ts';
import { reindexStatusQuery } from './reindex-queries.ts';

/** Compares the database with the index on request, and repairs what differs. */
export function Consistency() {
  const client = useQueryClient();
  const status = useQuery(reindexStatusQuery).data;
  const running = status?.in_progress ?? false;
  const check = useMutation({ mutationFn: () => call('GET /api/search/consistency') });
  const repair = useMutation({
    mutationFn: () => call('POST /api/search/consistency/repair'),
    onSuccess: async ({ message }) => {
      notify(message);
      await client.invalidateQueries(reindexStatusQuery);
    },
    onError: (error) => notifyError(t`The repair wasn’t started`, error),
  });
  const { mutate: checkAgain, data: result } = check;
  // After a repair, or any other reindex, the result is out of date.
  const finishedAt = status?.finished_at ?? null;
  const isOutdated = !running && result !== undefined && finishedAt !== null && finishedAt > result.checked_at;
  useEffect(() => {
    if (isOutdated) checkAgain();
  }, [isOutdated, checkAgain]);
  const differences = result ? differenceCount(result) : 0;
  return (
    <Stack gap="sm" data-testid="consistency">
      <Text size="sm" c="dimmed">
        {t`Compares the transcripts in the database with the search index: recordings that are missing, outdated, or should not be there any more.`}
      </Text>
      <Group gap="xs">
        <Button variant="default" loading={check.isPending} disabled={running} onClick={() => checkAgain()}>
          {t`Check consistency`}
        </Button>
        {differences > 0 && (
          <Button loading={repair.isPending || running} onClick={() => repair.mutate()}>
            {plural(differences, { one: 'Repair # recording', other: 'Repair # recordings' })}
          </Button>
        )}
      </Group>
      {check.error && <ErrorNote error={check.error} title={t`The check failed`} />}
      {result && (
        <div data-testid="consistency-result" data-differences={differences} aria-live="polite">
          <Text size="sm" fw={600}>
            {differences === 0 ? t`Database and index agree.` : t`Database and index differ.`}
          </Text>
          <ComparisonResult comparison={result} />
          <Text size="xs" c="dimmed" mt="xs">
            {t`Checked at ${timeOfDay(result.checked_at)}.`}
          </Text>
        </div>
      )}
    </Stack>
  );
}

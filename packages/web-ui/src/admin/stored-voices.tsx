import { plural, t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ResponseBody } from '@overtone/client';
import { call } from '../api/client.ts';
import { QueryStatus } from '../ui/query-status.tsx';

export type SpeakerIndexState = ResponseBody<'GET /api/search/speaker-index'>;

export const speakerIndexQuery = queryOptions({
  queryKey: ['speaker-index'],
  queryFn: ({ signal }) => call('GET /api/search/speaker-index', { signal }),
  refetchInterval: ({ state }) => pollMs(state.data),
});

function pollMs(data: SpeakerIndexState | undefined): number {
  return data?.migration?.state === 'running' || (data?.waiting_files ?? 0) > 0 ? 1_500 : 15_000;
}

/** How soon after a change of the setting the index is asked for it again. */
const followMs = 1_000;

/**
 * How many voices are stored, and of how many recordings they are missing.
 * @param isAllowed the setting, which the index follows a moment after it was changed.
 */
export function StoredVoices({ isAllowed }: { isAllowed?: boolean }) {
  const isBehind = (data: SpeakerIndexState): boolean => isAllowed !== undefined && data.enabled !== isAllowed;
  const index = useQuery({
    ...speakerIndexQuery,
    refetchInterval: (query) => (query.state.data && isBehind(query.state.data) ? followMs : pollMs(query.state.data)),
  });
  if (!index.data) return <QueryStatus of={index} failure={t`The speaker index couldn’t be loaded`} height={40} />;
  const { enabled, versions, waiting_files: waiting, failed_files: failed } = index.data;
  if (isBehind(index.data))
    return (
      <Text size="sm" c="dimmed" role="status">
        {isAllowed === true ? t`Switching on…` : t`Switching off and deleting…`}
      </Text>
    );
  const current = versions.find(({ state }) => state === 'current');
  if (!enabled || !current)
    return <Text size="sm" c="dimmed">{t`Recognising voices across recordings is switched off.`}</Text>;
  const voices = plural(current.speakers, { one: '# voice', other: '# voices' });
  const lines = [
    plural(current.files, { one: `${voices} of # recording stored.`, other: `${voices} of # recordings stored.` }),
    waiting > 0 && plural(waiting, { one: '# recording waits.', other: '# recordings wait.' }),
    failed > 0 && plural(failed, { one: '# recording failed.', other: '# recordings failed.' }),
  ];
  return (
    <>
      {index.isError && <QueryStatus of={index} failure={t`The speaker index couldn’t be loaded`} />}
      <Text size="sm" aria-live="polite" data-testid="stored-voices">
        {lines.filter((line) => line !== false).join(' ')}
      </Text>
    </>
  );
}

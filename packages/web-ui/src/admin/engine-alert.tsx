import { plural, t } from '@lingui/core/macro';
import { Alert, Anchor, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ResponseBody } from '@overtone/client';
import { call } from '../api/client.ts';
import { Icon } from '../ui/icons.tsx';

export type Worker = ResponseBody<'GET /api/admin/engines'>['workers'][number];

export const enginesQuery = queryOptions({
  queryKey: ['engines'],
  queryFn: ({ signal }) => call('GET /api/admin/engines', { signal }),
  refetchInterval: 10_000,
});

/** Other workers only serve queues and the index; they need no engine. */
export function isForSpeech({ engine, pulls }: Worker): boolean {
  return engine !== null || pulls.some((durable) => durable.startsWith('gpu-'));
}

/** On every page of the administration: why no recording is transcribed now. */
export function EngineAlert({ isSuper }: { isSuper: boolean }) {
  const engines = useQuery(enginesQuery).data;
  if (!engines) return null;
  const workers = engines.workers.filter(isForSpeech);
  if (workers.some(({ engine }) => engine !== null)) return null;
  const reasons = [...new Set(workers.flatMap(({ note }) => note ?? []))];
  return (
    <Alert
      role="alert"
      color="red"
      variant="light"
      mx="md"
      mt="md"
      icon={<Icon name="alert" />}
      title={t`Nothing is transcribed now`}
      data-testid="engine-alert"
    >
      <Text size="sm">
        {workers.length === 0
          ? t`No worker for speech is running. Recordings wait until one starts.`
          : plural(workers.length, {
              one: 'The worker has no speech engine. Recordings wait.',
              other: 'None of # workers has a speech engine. Recordings wait.',
            })}
      </Text>
      {reasons.map((reason) => (
        <Text key={reason} size="sm" style={{ overflowWrap: 'anywhere' }}>
          {reason}
        </Text>
      ))}
      <Text size="sm" mt={4}>
        <Anchor component={Link} to="/admin">
          {t`Engines and models`}
        </Anchor>
        {isSuper && (
          <>
            {' · '}
            <Anchor component={Link} to="/admin/asr">
              {t`ASR provider`}
            </Anchor>
          </>
        )}
      </Text>
    </Alert>
  );
}

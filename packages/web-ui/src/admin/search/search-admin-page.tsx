import { t, msg, plural } from '@lingui/core/macro';
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ResponseBody } from '@overtone/client';
import { Pane, Section } from '../../ui/pane.tsx';
import { SpeakerIndex } from '../speaker-index.tsx';
import { Consistency } from './consistency.tsx';
import { Reindex } from './reindex.tsx';
import { call } from '../../api/client.ts';
import { translateOnRead } from '../../lib/language.ts';
import { QueryStatus } from '../../ui/query-status.tsx';

type Health = ResponseBody<'GET /api/search/index-health'>;
const healthLabels: Record<Health['status'], string> = translateOnRead({
  green: msg`healthy`,
  yellow: msg`limited`,
  red: msg`down`,
});

const backendNames = { lancedb: 'LanceDB', elasticsearch: 'Elasticsearch' };

/** The state of the search index. */
function IndexHealth() {
  const health = useQuery({
    queryKey: ['index-health'],
    queryFn: ({ signal }) => call('GET /api/search/index-health', { signal }),
    refetchInterval: 30_000,
  });
  if (!health.data || health.isError)
    return <QueryStatus of={health} failure={t`The search index is not responding`} height={24} />;
  return <Text size="sm">{healthText(health.data)}</Text>;
}

function healthText(health: Health): string {
  // Only administrators get the totals.
  if (!('files' in health)) return healthLabels[health.status];
  const { backend, status, chunks, files, keyword_only_files: keywordOnly, error } = health;
  const size = t`${plural(chunks, { one: '# passage', other: '# passages' })} of ${plural(files, { one: '# recording', other: '# recordings' })}`;
  const state = t`The index (${backendNames[backend]}) is ${healthLabels[status]}: ${size}`;
  const counted = keywordOnly > 0 ? t`${state}, ${keywordOnly} found by exact words only` : state;
  return error === null ? counted : `${counted}. ${error}`;
}

/** Administration > Search: the search index, and the index of voices. */
export function SearchAdminPage() {
  return (
    <Pane title={t`Search`}>
      <Stack gap="lg">
        <Section title={t`Search index`}>
          <IndexHealth />
        </Section>
        <Section title={t`Reindex`}>
          <Reindex />
        </Section>
        <Section title={t`Consistency`}>
          <Consistency />
        </Section>
        <Section title={t`Speaker index`}>
          <SpeakerIndex />
        </Section>
      </Stack>
    </Pane>
  );
}

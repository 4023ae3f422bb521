import { t } from '@lingui/core/macro';
import { Stack } from '@mantine/core';
import { Pane, Section } from '../../ui/pane.tsx';
import { SpeakerIndex } from '../speaker-index.tsx';
import { Consistency } from './consistency.tsx';
import { IndexHealth } from './index-health.tsx';
import { Reindex } from './reindex.tsx';

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

import { t } from '@lingui/core/macro';
import { Stack } from '@mantine/core';
import { Engines } from './engines.tsx';
import { GpuProfiles } from './gpu-profiles.tsx';
import { Models } from './models/models.tsx';
import { Pane, Section } from '../ui/pane.tsx';
import { SearchIndex } from './search-index.tsx';
import { SpeakerIndex } from './speaker-index.tsx';

export function AdminPage() {
  return (
    <Pane title={t`Engines and search`}>
      <Stack gap="lg">
        <Section title={t`Speech engines`}>
          <Engines />
          <GpuProfiles />
        </Section>
        <Section title={t`Speech models`}>
          <Models />
        </Section>
        <Section title={t`Search index`}>
          <SearchIndex />
        </Section>
        <Section title={t`Speaker index`}>
          <SpeakerIndex />
        </Section>
      </Stack>
    </Pane>
  );
}

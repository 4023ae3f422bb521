import { Stack } from '@mantine/core';
import { Engines } from './engines.tsx';
import { GpuProfiles } from './gpu-profiles.tsx';
import { Pane, Section } from '../ui/pane.tsx';
import { SearchIndex } from './search-index.tsx';

export function AdminPage() {
  return (
    <Pane title="Engines and search">
      <Stack gap="lg">
        <Section title="Speech engines">
          <Engines />
          <GpuProfiles />
        </Section>
        <Section title="Search index">
          <SearchIndex />
        </Section>
      </Stack>
    </Pane>
  );
}

import { t } from '@lingui/core/macro';
import { Stack } from '@mantine/core';
import { Engines } from './engines.tsx';
import { GpuProfiles } from './gpu-profiles.tsx';
import { Models } from './models/models.tsx';
import { Pane, Section } from '../ui/pane.tsx';

export function AdminPage() {
  return (
    <Pane title={t`Engines and models`}>
      <Stack gap="lg">
        <Section title={t`Speech engines`}>
          <Engines />
          <GpuProfiles />
        </Section>
        <Section title={t`Speech models`}>
          <Models />
        </Section>
      </Stack>
    </Pane>
  );
}

import { Stack } from '@mantine/core';
import { Engines } from './engines.tsx';
import { AdminPane, Section } from './parts.tsx';
import { SearchIndex } from './search-index.tsx';
import { Tasks } from './tasks.tsx';

export const AdminPage = () => (
  <AdminPane title="Engines and tasks">
    <Stack gap="lg">
      <Section title="Speech engines">
        <Engines />
      </Section>
      <Section title="Search index">
        <SearchIndex />
      </Section>
      <Section title="Tasks">
        <Tasks />
      </Section>
    </Stack>
  </AdminPane>
);

import { Stack, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { meQuery } from '../api/queries.ts';
import { NotFoundPage } from '../app/pages.tsx';
import { Engines } from './engines.tsx';
import { SearchIndex } from './search-index.tsx';
import { Tasks } from './tasks.tsx';

export const AdminPage = () => {
  useDocumentTitle('Engines and tasks · Overtone');
  const me = useQuery(meQuery).data;
  if (me?.role === 'user') return <NotFoundPage />;
  return (
    <div className="ot-page">
      <Title order={1} size="h2" mb="md">
        Engines and tasks
      </Title>
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
    </div>
  );
};

const Section = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="ot-card" style={{ padding: '1.125rem 1.25rem 1.25rem' }}>
    <Title order={2} size="h4" mb="sm">
      {title}
    </Title>
    {children}
  </section>
);

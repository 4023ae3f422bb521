import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { AdminPane, Section, Waiting } from '../parts.tsx';
import { PassList } from './pass-list.tsx';
import { RunNow } from './run-now.tsx';
import { ScheduleForm } from './schedule-form.tsx';
import { lastOf, statusQuery } from './sync-queries.ts';
import { Why } from './why.tsx';

/** Settings > Directory sync: when the sweep comes, what it may do, what it did and why. */
export const SyncPage = () => {
  const status = useQuery(statusQuery);
  return (
    <AdminPane title="Directory sync">
      <Stack gap="lg">
        <Waiting of={status} what="The sweep" />
        {status.data && (
          <>
            <Section title="Now">
              <RunNow status={status.data} />
            </Section>
            <Section title="Schedule and limits">
              <ScheduleForm status={status.data} />
            </Section>
          </>
        )}
        <Section title="Passes">
          <PassList last={lastOf(status.data)} />
        </Section>
        <Section title="Why?">
          <Why />
        </Section>
      </Stack>
    </AdminPane>
  );
};

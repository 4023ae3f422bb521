import { Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { AdminPane, Section, Waiting } from '../parts.tsx';
import { PassList } from './pass-list.tsx';
import { RunNow } from './run-now.tsx';
import { ScheduleForm } from './schedule-form.tsx';
import { statusQuery } from './sync-queries.ts';
import { Why } from './why.tsx';

/** Settings > Directory sync: when the sweep comes, what it may do, what it did and why. */
export const SyncPage = () => {
  const status = useQuery(statusQuery);
  const client = useQueryClient();
  const running = status.data?.running ?? null;
  const wasRunning = useRef(false);
  useEffect(() => {
    // A pass that has just ended is in the list now.
    if (wasRunning.current && !running) void client.invalidateQueries({ queryKey: ['sweep', 'passes'] });
    wasRunning.current = running !== null;
  }, [client, running]);
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
          <PassList />
        </Section>
        <Section title="Why?">
          <Why />
        </Section>
      </Stack>
    </AdminPane>
  );
};

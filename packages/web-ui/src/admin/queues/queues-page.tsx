import { t } from '@lingui/core/macro';
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Pane, Section } from '../../ui/pane.tsx';
import { QueryStatus } from '../../ui/query-status.tsx';
import { DeadJobs } from './dead-jobs.tsx';
import { overviewQuery } from './queue-queries.ts';
import { QueueList } from './queue-list.tsx';
import { TaskList } from './task-list.tsx';
import { WorkerList } from './worker-list.tsx';

/** Admin > Queues: queues, workers, dead-lettered jobs and tasks. */
export function QueuesPage() {
  const overview = useQuery(overviewQuery);
  return (
    <Pane title={t`Queues`}>
      <Stack gap="lg">
        <Section title={t`Queues`}>
          <QueryStatus of={overview} failure={t`The queues couldn’t be loaded`} height={320} />
          {overview.data && <QueueList overview={overview.data} />}
        </Section>
        <Section title={t`Workers`}>
          {overview.data ? (
            <WorkerList overview={overview.data} />
          ) : (
            <QueryStatus of={overview} failure={t`The workers couldn’t be loaded`} height={120} />
          )}
        </Section>
        <Section title={t`Failed jobs`}>
          <DeadJobs />
        </Section>
        <div id="tasks">
          <Section title={t`Tasks`}>
            <TaskList />
          </Section>
        </div>
      </Stack>
    </Pane>
  );
}

import { t } from '@lingui/core/macro';
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Pane, Section } from '../../ui/pane.tsx';
import { QueryStatus } from '../../ui/query-status.tsx';
import { ExplainAccount } from './explain-account.tsx';
import { RunList } from './run-list.tsx';
import { ScheduleForm } from './schedule-form.tsx';
import { StartRun } from './start-run.tsx';
import { lastRunIdOf, statusQuery } from './sync-queries.ts';

/** Settings > Directory sync: schedule and limits, past runs, and the explanation of their decisions. */
export function SyncPage() {
  const status = useQuery(statusQuery);
  return (
    <Pane title={t`Directory sync`}>
      <Stack gap="lg">
        <QueryStatus of={status} failure={t`The directory sync couldn’t be loaded`} />
        {status.data && (
          <>
            <Section title={t`Status`}>
              <StartRun status={status.data} />
            </Section>
            <Section title={t`Schedule and limits`}>
              <ScheduleForm status={status.data} />
            </Section>
          </>
        )}
        <Section title={t`Runs`}>
          <RunList lastRunId={lastRunIdOf(status.data)} />
        </Section>
        <Section title={t`Explain an account`}>
          <ExplainAccount />
        </Section>
      </Stack>
    </Pane>
  );
}

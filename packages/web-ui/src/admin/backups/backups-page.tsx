import type { BackupSettings } from '@overtone/contracts';
import { valuesOf } from '../settings/items.ts';
import { t } from '@lingui/core/macro';
import { Stack } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { notifyError } from '../../ui/notify.ts';
import { Pane, Section } from '../../ui/pane.tsx';
import { QueryStatus } from '../../ui/query-status.tsx';
import { BackupForm } from './backup-form.tsx';
import { BackupRunList } from './backup-run-list.tsx';
import { backupSummaryOf } from './labels.ts';
import { backupRunsQuery, backupSettingsQuery, backupStatusQuery, isActive, stateOf } from './operations-queries.ts';
import { RestoreInstructions } from './restore-instructions.tsx';
import { RunNow } from './run-now.tsx';
import { StoredBackups } from './stored-backups.tsx';

/** Administration > Backups: the current and past runs, settings, the stored backups, and how one is restored. */
export function BackupsPage() {
  const settings = useQuery(backupSettingsQuery);
  const values = settings.data && valuesOf<BackupSettings>(settings.data.settings);
  return (
    <Pane title={t`Backups`}>
      <Stack gap="lg">
        <QueryStatus of={settings} failure={t`The backups couldn’t be loaded`} height={320} />
        {settings.data && values && (
          <>
            <Section title={t`Status`}>
              <CurrentBackup />
            </Section>
            <Section title={t`Settings`}>
              <BackupForm saved={settings.data} />
            </Section>
            <Section title={t`Runs`}>
              <BackupRunList />
            </Section>
            <StoredBackups settings={values} />
            <Section title={t`Restore`}>
              <RestoreInstructions settings={values} />
            </Section>
          </>
        )}
      </Stack>
    </Pane>
  );
}

function CurrentBackup() {
  const client = useQueryClient();
  const runs = useQuery(backupRunsQuery(1));
  const newest = runs.data?.items[0];
  const status = useQuery({ ...backupStatusQuery(stateOf(newest)), enabled: runs.data !== undefined });
  const run = useMutation({
    mutationFn: () => call('POST /api/admin/backup/run'),
    onSuccess: () => client.invalidateQueries({ queryKey: ['backup', 'runs'] }),
    onError: (error) => notifyError(t`The backup wasn’t started`, error),
  });
  if (!status.data)
    return <QueryStatus of={runs.isError ? runs : status} failure={t`The state of the backups couldn’t be loaded`} />;
  const { last_run: last, pg_dump_available: hasProgram } = status.data;
  return (
    <>
      <QueryStatus of={status} failure={t`The state of the backups couldn’t be loaded`} />
      <RunNow
        status={status.data}
        active={isActive(newest) ? newest : undefined}
        lastTitle={t`Last backup`}
        lastSummary={last ? backupSummaryOf(last) : ''}
        noRuns={t`No backups have been made yet.`}
        queue="utility"
        problem={
          hasProgram ? null : t`pg_dump was not found where the service operations runs. Install it, or set PG_BIN_DIR.`
        }
        button={t`Back up now`}
        pending={run.isPending}
        onRun={() => run.mutate()}
      />
    </>
  );
}

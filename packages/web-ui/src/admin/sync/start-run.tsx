import { t } from '@lingui/core/macro';
import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call } from '../../api/client.ts';
import { Icon } from '../../ui/icons.tsx';
import { notifyError } from '../../ui/notify.ts';
import { ago, timeOfDay, formatNumber } from '../../lib/format.ts';
import { awaitsApproval, phaseTexts, statusLabelOf, summaryOf, type Status } from './labels.ts';
import { useIsRunRequested } from './requested-run.ts';
import { showRequestedRun } from './sync-queries.ts';

/** The current and the last run, and the buttons that start one. */
export function StartRun({ status }: { status: Status }) {
  const client = useQueryClient();
  const requested = useIsRunRequested();
  const run = useMutation({
    mutationFn: (dryRun: boolean) =>
      call('POST /api/admin/directory-sync/run', { body: dryRun ? { dry_run: true } : {} }),
    onSuccess: () => showRequestedRun(client),
    onError: (error) => notifyError(t`The run wasn’t started`, error),
  });
  const busy = requested || status.running !== null;
  const changesAccounts = status.enabled && !status.dry_run;
  return (
    <Stack gap="md">
      <div>
        <LastRun status={status} />
        <CurrentRun running={status.running} requested={requested} />
      </div>
      <Group>
        <Button
          variant={changesAccounts ? 'default' : 'filled'}
          disabled={busy}
          loading={run.isPending && run.variables}
          onClick={() => run.mutate(true)}
        >
          {t`Start dry run`}
        </Button>
        {changesAccounts && (
          <Button disabled={busy} loading={run.isPending && !run.variables} onClick={() => run.mutate(false)}>
            {t`Run now`}
          </Button>
        )}
      </Group>
      <Text size="xs" c="dimmed">
        {effectOf(status)}
      </Text>
    </Stack>
  );
}

function effectOf({ enabled, dry_run: dryRun }: Status): string {
  if (!enabled) return t`Directory sync is off. A dry run is possible and changes nothing.`;
  return dryRun
    ? t`Dry run is on: each run only reports and changes nothing.`
    : t`A run disables accounts that have left the directory, within the limits below.`;
}

function LastRun({ status }: { status: Status }) {
  const last = status.last_result;
  if (!last) return <Text size="sm">{t`No runs yet.`}</Text>;
  const failed = last.status === 'directory_unavailable' || last.status === 'failed';
  const needsApproval = awaitsApproval(last);
  return (
    <Alert
      color={failed ? 'red' : needsApproval ? 'yellow' : statusLabelOf(last).color}
      variant="light"
      icon={<Icon name={failed || needsApproval ? 'alert' : 'check'} />}
      title={last.dry_run ? t`Last run ${ago(last.started_at)}, dry run` : t`Last run ${ago(last.started_at)}`}
      data-testid="last-run"
    >
      <Text size="sm" mb={4}>
        {summaryOf(last)}
      </Text>
      <Link className="ot-link" to="/admin/directory-sync/passes/$uuid" params={{ uuid: last.pass_uuid }}>
        {needsApproval ? t`Review and approve` : t`Report`}
      </Link>
    </Alert>
  );
}

/** Screen readers announce the step only: the progress changes every second. */
function CurrentRun({ running, requested }: { running: Status['running']; requested: boolean }) {
  const phase = running ? phaseTexts[running.phase] : t`Requested`;
  const step = running?.dry_run ? t`${phase} (dry run)` : phase;
  const busy = running !== null || requested;
  return (
    <div data-testid="running">
      <Text size="sm" fw={600} role="status" mt={busy ? 'md' : 0}>
        {busy && step}
      </Text>
      {busy && (
        <>
          <Text size="xs" c="dimmed" className="ot-tabular">
            {running ? progressText(running) : t`Starts when a worker for the queue “cpu” is free.`}
          </Text>
          <ProgressBar percent={running?.total ? (100 * running.done) / running.total : null} label={step} />
        </>
      )}
    </div>
  );
}

function progressText({ done, total, started_at: since }: NonNullable<Status['running']>): string {
  const start = timeOfDay(since);
  if (done === 0) return t`since ${start}`;
  const count = total === null ? formatNumber(done) : t`${formatNumber(done)} of ${formatNumber(total)}`;
  return t`${count} · since ${start}`;
}

/** @param percent null while the total is unknown */
function ProgressBar({ percent, label }: { percent: number | null; label: string }) {
  return (
    <Progress.Root mt={6}>
      {percent === null ? (
        <Progress.Section value={100} withAria={false} animated opacity={0.5} />
      ) : (
        <Progress.Section value={percent} animated aria-label={label} />
      )}
    </Progress.Root>
  );
}

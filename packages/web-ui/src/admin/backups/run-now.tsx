import { t } from '@lingui/core/macro';
import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ago, moment, soon, timeOfDay } from '../../lib/format.ts';
import { Icon } from '../../ui/icons.tsx';
import { destinationText } from './labels.ts';
import type { BackupRun, BackupStatus, DestinationStatus, MirrorRun, MirrorStatus } from './operations-queries.ts';

type Run = BackupRun | MirrorRun;
type Props = {
  readonly status: BackupStatus | MirrorStatus;
  /** The run that is queued or running. */
  readonly active: Run | undefined;
  readonly lastTitle: string;
  readonly lastSummary: string;
  readonly noRuns: string;
  /** The queue whose worker executes the runs. */
  readonly queue: string;
  /** Why no run can succeed; null: nothing is known. */
  readonly problem: string | null;
  readonly button: string;
  readonly pending: boolean;
  readonly onRun: () => void;
  readonly children?: ReactNode;
};

/** The last and the current run, the next scheduled one, and the button that starts one. */
export function RunNow(props: Props) {
  const { status, active, queue, problem, button, pending, onRun, children } = props;
  const { destination_status: destination } = status;
  return (
    <Stack gap="md">
      <LastRun {...props} />
      {problem !== null && (
        <Alert color="red" variant="light" icon={<Icon name="alert" />}>
          {problem}
        </Alert>
      )}
      <Destination status={destination} />
      <CurrentRun run={active} queue={queue} />
      <div>
        <Text size="sm" data-testid="next-run">
          {nextText(status)}
        </Text>
        {children}
      </div>
      <Group>
        <Button disabled={active !== undefined || destination.destination === null} loading={pending} onClick={onRun}>
          {button}
        </Button>
      </Group>
    </Stack>
  );
}

function nextText({ enabled, next_due: next }: BackupStatus | MirrorStatus): string {
  if (!enabled) return t`The schedule is off: nothing runs unless you start it here.`;
  return next === null ? t`The schedule has no next run.` : t`Next scheduled run: ${soon(next)}, in your time zone.`;
}

function LastRun({ status, lastTitle, lastSummary, noRuns }: Props) {
  const { last_run: last, last_success: success } = status;
  if (!last) return <Text size="sm">{noRuns}</Text>;
  const failed = last.status === 'failed';
  const warned = !failed && last.error !== null;
  return (
    <Alert
      color={failed ? 'red' : warned ? 'yellow' : 'petrol'}
      variant="light"
      icon={<Icon name={failed || warned ? 'alert' : 'check'} />}
      title={titleOf(lastTitle, last)}
      data-testid="last-run"
      data-status={last.status}
    >
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {lastSummary}
      </Text>
      {failed && (
        <Text size="sm" mt={4}>
          {success
            ? t`Last successful run: ${moment(success.finished_at ?? success.queued_at)}`
            : t`None has succeeded yet.`}
        </Text>
      )}
    </Alert>
  );
}

function titleOf(lastTitle: string, { status, finished_at: finished, queued_at: queued }: Run): string {
  const when = ago(finished ?? queued);
  return status === 'failed' ? t`${lastTitle} failed, ${when}` : t`${lastTitle}: ${when}`;
}

function Destination({ status }: { status: DestinationStatus }) {
  if (status.destination === null) return <Text size="sm">{t`There is no destination yet. Set one below.`}</Text>;
  if (status.ok)
    return (
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {destinationText(status)}
      </Text>
    );
  return (
    <Alert
      color="red"
      variant="light"
      icon={<Icon name="alert" />}
      title={t`The destination can’t be used`}
      data-testid="destination-problem"
    >
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {destinationText(status)}
      </Text>
    </Alert>
  );
}

/** Screen readers announce the step only. */
function CurrentRun({ run, queue }: { run: Run | undefined; queue: string }) {
  const step = run?.status === 'running' ? t`Running` : t`Queued`;
  return (
    <div data-testid="running" hidden={run === undefined}>
      <Text size="sm" fw={600} role="status">
        {run && step}
      </Text>
      {run && (
        <>
          <Text size="xs" c="dimmed" className="ot-tabular">
            {run.started_at === null
              ? t`Starts when a worker for the queue “${queue}” is free.`
              : t`since ${timeOfDay(run.started_at)}`}
          </Text>
          <Progress.Root mt={6}>
            <Progress.Section value={100} withAria={false} animated opacity={0.5} />
          </Progress.Root>
        </>
      )}
    </div>
  );
}

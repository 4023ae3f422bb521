import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { askSweep } from '../../api/sweep.ts';
import { say, sayError } from '../../app/notify.ts';
import { Icon } from '../../app/icons.tsx';
import { ago, moment } from '../../lib/format.ts';
import css from '../admin.module.css';
import { phaseWords, summaryOf, type Status } from './words.ts';

/** State of the sweep, and the two ways to start a pass. */
export const RunNow = ({ status }: { status: Status }) => {
  const client = useQueryClient();
  const run = useMutation({
    mutationFn: (dry: boolean) => askSweep('runDirectorySync', { body: dry ? { dry_run: true } : {} }),
    onSuccess: () => {
      say('A pass is on its way.');
      void client.invalidateQueries({ queryKey: ['sweep'] });
      // It is ordered, not begun: look again soon.
      setTimeout(() => void client.invalidateQueries({ queryKey: ['sweep'] }), 2_000);
    },
    onError: (error) => sayError('No pass was started', error),
  });
  const busy = status.running !== null;
  return (
    <Stack gap="md">
      <Last status={status} />
      {status.running && <Running running={status.running} />}
      <Group>
        <Button
          variant="default"
          disabled={busy}
          loading={run.isPending && run.variables}
          onClick={() => run.mutate(true)}
        >
          Try it (dry run)
        </Button>
        <Button disabled={busy} loading={run.isPending && !run.variables} onClick={() => run.mutate(false)}>
          Run now
        </Button>
      </Group>
      <Text size="xs" c="dimmed">
        {status.dry_run
          ? 'Dry run is on: a pass reports and changes nothing.'
          : 'A pass disables whoever has left the directory, within the limits below.'}
      </Text>
    </Stack>
  );
};

const Last = ({ status }: { status: Status }) => {
  const last = status.last_result;
  if (!last) return <Text size="sm">No pass has run yet.</Text>;
  const bad = last.status === 'directory_unavailable' || last.status === 'failed';
  const waits = last.status === 'held';
  return (
    <Alert
      color={bad ? 'red' : waits ? 'yellow' : 'petrol'}
      variant="light"
      icon={<Icon name={bad || waits ? 'alert' : 'check'} />}
      title={`Last pass ${ago(last.started_at)}${last.dry_run ? ', dry run' : ''}`}
      data-testid="last-pass"
    >
      <Text size="sm">{summaryOf(last)}</Text>
      <Link className={css['rowLink'] ?? ''} to="/admin/directory-sync/passes/$uuid" params={{ uuid: last.pass_uuid }}>
        {waits ? 'Review and approve' : 'Report'}
      </Link>
    </Alert>
  );
};

const Running = ({ running }: { running: NonNullable<Status['running']> }) => {
  const { phase, done, total } = running;
  return (
    <div role="status" data-testid="running">
      <Text size="sm" fw={600}>
        {phaseWords[phase]}
        {running.dry_run ? ' (dry run)' : ''}
      </Text>
      <Text size="xs" c="dimmed" className="ot-tabular">
        {done > 0 && `${done.toLocaleString()}${total === null ? '' : ` of ${total.toLocaleString()}`} · `}since{' '}
        {moment(running.started_at)}
      </Text>
      <Progress
        mt={6}
        value={total === null || total === 0 ? 100 : (100 * done) / total}
        animated
        aria-label={phaseWords[phase]}
      />
    </div>
  );
};

import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { askSweep } from '../../api/sweep.ts';
import { Icon } from '../../app/icons.tsx';
import { sayError } from '../../app/notify.ts';
import { ago, timeOfDay } from '../../lib/format.ts';
import { useOrdered } from './ordered.ts';
import { passOrdered } from './sync-queries.ts';
import { awaitsApproval, phaseWords, stateOf, summaryOf, type Status } from './words.ts';

/** State of the sweep, and the ways to start a pass. */
export const RunNow = ({ status }: { status: Status }) => {
  const client = useQueryClient();
  const ordered = useOrdered();
  const run = useMutation({
    mutationFn: (dry: boolean) => askSweep('runDirectorySync', { body: dry ? { dry_run: true } : {} }),
    onSuccess: () => passOrdered(client),
    onError: (error) => sayError('No pass was started', error),
  });
  const busy = ordered || status.running !== null;
  const real = status.enabled && !status.dry_run;
  return (
    <Stack gap="md">
      <div>
        <Last status={status} />
        <Progressing running={status.running} ordered={ordered} />
      </div>
      <Group>
        <Button
          variant={real ? 'default' : 'filled'}
          disabled={busy}
          loading={run.isPending && run.variables}
          onClick={() => run.mutate(true)}
        >
          Try it (dry run)
        </Button>
        {real && (
          <Button disabled={busy} loading={run.isPending && !run.variables} onClick={() => run.mutate(false)}>
            Run now
          </Button>
        )}
      </Group>
      <Text size="xs" c="dimmed">
        {whatItDoes(status)}
      </Text>
    </Stack>
  );
};

const whatItDoes = ({ enabled, dry_run: dry }: Status): string => {
  if (!enabled) return 'The sweep is switched off: it can be tried, and changes nothing.';
  return dry
    ? 'Dry run is on: every pass reports and changes nothing.'
    : 'A pass disables whoever has left the directory, within the limits below.';
};

const Last = ({ status }: { status: Status }) => {
  const last = status.last_result;
  if (!last) return <Text size="sm">No pass has run yet.</Text>;
  const bad = last.status === 'directory_unavailable' || last.status === 'failed';
  const waits = awaitsApproval(last);
  return (
    <Alert
      color={bad ? 'red' : waits ? 'yellow' : stateOf(last).color}
      variant="light"
      icon={<Icon name={bad || waits ? 'alert' : 'check'} />}
      title={`Last pass ${ago(last.started_at)}${last.dry_run ? ', dry run' : ''}`}
      data-testid="last-pass"
    >
      <Text size="sm" mb={4}>
        {summaryOf(last)}
      </Text>
      <Link className="ot-link" to="/admin/directory-sync/passes/$uuid" params={{ uuid: last.pass_uuid }}>
        {waits ? 'Review and approve' : 'Report'}
      </Link>
    </Alert>
  );
};

/** What is said when it changes is the step, not how far it is: that moves every second. */
const Progressing = ({ running, ordered }: { running: Status['running']; ordered: boolean }) => {
  const step = running ? phaseWords[running.phase] + (running.dry_run ? ' (dry run)' : '') : 'Ordered';
  const busy = running !== null || ordered;
  return (
    <div data-testid="running">
      <Text size="sm" fw={600} role="status" mt={busy ? 'md' : 0}>
        {busy && step}
      </Text>
      {busy && (
        <>
          <Text size="xs" c="dimmed" className="ot-tabular">
            {running ? howFar(running) : 'It begins as soon as a worker of the queue cpu takes it.'}
          </Text>
          <Bar share={running?.total ? (100 * running.done) / running.total : null} words={step} />
        </>
      )}
    </div>
  );
};
const howFar = ({ done, total, started_at: since }: NonNullable<Status['running']>): string => {
  const count = done > 0 ? `${done.toLocaleString()}${total === null ? '' : ` of ${total.toLocaleString()}`} · ` : '';
  return `${count}since ${timeOfDay(since)}`;
};

/** @param share In percent; null: it moves, nobody knows how far. */
const Bar = ({ share, words }: { share: number | null; words: string }) => (
  <Progress.Root mt={6}>
    {share === null ? (
      <Progress.Section value={100} withAria={false} animated opacity={0.5} />
    ) : (
      <Progress.Section value={share} animated aria-label={words} />
    )}
  </Progress.Root>
);

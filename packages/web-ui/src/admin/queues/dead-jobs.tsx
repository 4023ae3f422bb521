import { plural, t } from '@lingui/core/macro';
import { Badge, Button, Group, Text, UnstyledButton } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { Icon } from '../../ui/icons.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { stageNames } from '../../library/status.ts';
import { ago, moment, formatNumber } from '../../lib/format.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Empty, QueryStatus } from '../../ui/query-status.tsx';
import { DeadTasks } from './dead-tasks.tsx';
import { deadKindsQuery, kindFields, type DeadKind } from './queue-queries.ts';
import css from './queues.module.css';

/** Dead-lettered jobs by kind: jobs that failed in the same way mostly have the same cause. */
export function DeadJobs() {
  const kinds = useQuery(deadKindsQuery);
  return (
    <>
      <QueryStatus of={kinds} failure={t`The failed jobs couldn’t be loaded`} height={80} />
      {kinds.data && <Kinds kinds={kinds.data.kinds} />}
    </>
  );
}

function keyOf(kind: DeadKind): string {
  return [kind.queue, kind.task_type, kind.error_code ?? ''].join(' ');
}

function Kinds({ kinds }: { kinds: readonly DeadKind[] }) {
  return kinds.length === 0 ? (
    <Empty>{t`No failed jobs.`}</Empty>
  ) : (
    <ul className={css['kinds']} data-testid="dead-kinds">
      {kinds.map((kind) => (
        <Kind key={keyOf(kind)} kind={kind} />
      ))}
    </ul>
  );
}

function Kind({ kind }: { kind: DeadKind }) {
  const [open, setOpen] = useState(false);
  const [discarding, setDiscarding] = useState(false);
  const client = useQueryClient();
  const refresh = () =>
    Promise.all([['dead'], ['queues'], ['tasks']].map((queryKey) => client.invalidateQueries({ queryKey })));
  const retry = useMutation({
    mutationFn: () => call('POST /api/tasks/dead/retry', { body: kindFields(kind) }),
    onSuccess: ({ retried, refused, remaining }) => {
      const [first] = refused;
      const report = plural(retried, { one: 'Retrying # job.', other: 'Retrying # jobs.' });
      notify(remaining > refused.length ? `${report} ${t`More are left: retry again.`}` : report);
      if (first)
        notifyError(
          plural(refused.length, { one: '# job couldn’t be retried', other: '# jobs couldn’t be retried' }),
          new Error(first.message),
        );
    },
    onError: (error) => notifyError(t`No job was retried`, error),
    onSettled: refresh,
  });
  const name = `${stageNames[kind.task_type]}, ${kind.error_code ?? t`no code`}`;
  return (
    <li className={css['kind']} data-error={kind.error_code ?? ''}>
      <div className={css['kindHead']}>
        <UnstyledButton
          className={css['kindName'] ?? ''}
          aria-expanded={open}
          aria-label={t`Jobs of ${name}`}
          onClick={() => setOpen(!open)}
        >
          <Icon name={open ? 'chevronUp' : 'chevronDown'} size={16} />
          <span>
            <b>{stageNames[kind.task_type]}</b> <span className={css['code']}>{kind.error_code ?? t`no code`}</span>
          </span>
        </UnstyledButton>
        <Badge color="red" variant="light">
          {formatNumber(kind.count)}
        </Badge>
        <Text size="xs" c="dimmed" title={moment(kind.newest_at)}>
          {kind.queue} · {ago(kind.newest_at)}
        </Text>
        <Group gap="xs" ml="auto" wrap="nowrap">
          <Button size="xs" aria-label={t`Retry all: ${name}`} loading={retry.isPending} onClick={() => retry.mutate()}>
            {t`Retry all`}
          </Button>
          <Button size="xs" variant="default" aria-label={t`Discard all: ${name}`} onClick={() => setDiscarding(true)}>
            {t`Discard all`}
          </Button>
        </Group>
      </div>
      {open && <DeadTasks kind={kind} refresh={refresh} />}
      {discarding && (
        <Confirm
          title={t`Discard ${plural(kind.count, { one: '# job', other: '# jobs' })}?`}
          action={t`Discard`}
          run={() => call('POST /api/tasks/dead/discard', { body: kindFields(kind) })}
          onDone={() => void refresh()}
          onClose={() => setDiscarding(false)}
        >
          <Text size="sm">{t`They won’t be retried. Their recordings are kept and can be transcribed again.`}</Text>
        </Confirm>
      )}
    </li>
  );
}

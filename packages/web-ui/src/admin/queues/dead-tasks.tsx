import { plural, t } from '@lingui/core/macro';
import { ActionIcon, Button, Group, Text, Tooltip } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { Icon } from '../../ui/icons.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { ago, moment } from '../../lib/format.ts';
import { Pager } from '../../ui/pager.tsx';
import { QueryStatus } from '../../ui/query-status.tsx';
import { deadPageSize, deadTasksQuery, type DeadKind, type TaskItem } from './queue-queries.ts';
import css from './queues.module.css';

type Refresh = () => Promise<unknown>;

/** The dead-lettered jobs of one kind. */
export function DeadTasks({ kind, refresh }: { kind: DeadKind; refresh: Refresh }) {
  const [page, setPage] = useState(1);
  const tasks = useQuery(deadTasksQuery(kind, page));
  if (!tasks.data) return <QueryStatus of={tasks} failure={t`The jobs couldn’t be loaded`} height={80} />;
  return (
    <>
      <ul className={css['deadTasks']}>
        {tasks.data.items.map((task) => (
          <DeadTask key={task.uuid} task={task} refresh={refresh} />
        ))}
      </ul>
      <Pager page={page} total={tasks.data.total} size={deadPageSize} onPage={setPage} />
    </>
  );
}

function DeadTask({ task, refresh }: { task: TaskItem; refresh: Refresh }) {
  const params = { uuid: task.uuid };
  const retry = useMutation({
    mutationFn: () => call('POST /api/tasks/{uuid}/retry', { params }),
    onSuccess: () => notify(plural(1, { one: 'Retrying # job.', other: 'Retrying # jobs.' })),
    onError: (error) => notifyError(t`The job wasn’t retried`, error),
    onSettled: refresh,
  });
  const discard = useMutation({
    mutationFn: () => call('DELETE /api/tasks/{uuid}', { params }),
    onSuccess: () => notify(t`Job discarded.`),
    onError: (error) => notifyError(t`The job wasn’t discarded`, error),
    onSettled: refresh,
  });
  const name = task.file_title ?? task.media_file_id.slice(0, 8);
  return (
    <li className={css['deadTask']}>
      <div>
        <Link className="ot-row-link" dir="auto" to="/files/$uuid" params={{ uuid: task.media_file_id }}>
          {name}
        </Link>
        <Text size="xs" style={{ overflowWrap: 'anywhere' }}>
          {task.error_message ?? t`No reason given.`}
        </Text>
        <Text size="xs" c="dimmed" title={moment(task.completed_at ?? task.created_at)}>
          {ago(task.completed_at ?? task.created_at)}
          {task.worker === null ? '' : ` · ${task.worker}`}
        </Text>
      </div>
      <Group gap={6} wrap="nowrap">
        <Button
          size="xs"
          variant="light"
          aria-label={t`Retry ${name}`}
          loading={retry.isPending}
          onClick={() => retry.mutate()}
        >
          {t`Retry`}
        </Button>
        <Tooltip label={t`Discard`}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t`Discard ${name}`}
            loading={discard.isPending}
            onClick={() => discard.mutate()}
          >
            <Icon name="trash" size={17} />
          </ActionIcon>
        </Tooltip>
      </Group>
    </li>
  );
}

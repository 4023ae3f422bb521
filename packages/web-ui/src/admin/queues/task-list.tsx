import { Badge, Button, Table, Text, UnstyledButton } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import { call } from '../../api/client.ts';
import { Icon } from '../../ui/icons.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { SearchBox } from '../../ui/search-box.tsx';
import { stageNames } from '../../library/status.ts';
import { ago, moment, plural } from '../../lib/format.ts';
import { FilterSelect } from '../../ui/filter-select.tsx';
import { Empty, QueryStatus } from '../../ui/query-status.tsx';
import { Pager } from '../../ui/pager.tsx';
import { taskPageSize, taskQuery, tasksQuery, type TaskItem } from './queue-queries.ts';
import { AttemptList } from './attempt-list.tsx';
import { queueHints, taskColors, taskLabels } from './labels.ts';
import { Sheet } from '../../ui/sheet.tsx';

type Filters = Record<string, string>;

/** The newest tasks, filtered by the query parameters of the page. */
export function TaskList() {
  const filters = useSearch({ from: '/inside/frame/admin/queues' });
  const navigate = useNavigate({ from: '/admin/queues' });
  const tasks = useQuery(tasksQuery(filters));
  const change = (next: Filters): void => {
    const { page: _, ...rest } = filters;
    void navigate({ search: { ...rest, ...next }, replace: true, resetScroll: false });
  };
  return (
    <>
      <Bar filters={filters} onChange={change} />
      <QueryStatus of={tasks} what="The tasks" />
      {tasks.data?.items.length === 0 && (
        <Empty>{Object.values(filters).some(Boolean) ? 'No task matches.' : 'No tasks yet.'}</Empty>
      )}
      {tasks.data && tasks.data.items.length > 0 && <Tasks tasks={tasks.data.items} />}
      {tasks.data && (
        <>
          <Text size="sm" c="dimmed" mt="sm" aria-live="polite">
            {plural(tasks.data.total, 'task')}
            {tasks.data.total >= 10_000 ? ', the newest ones' : ''}
          </Text>
          <Pager
            page={tasks.data.page}
            total={tasks.data.total}
            size={taskPageSize}
            onPage={(page) => void navigate({ search: { ...filters, page: String(page) }, resetScroll: false })}
          />
        </>
      )}
    </>
  );
}

const queueNames = Object.fromEntries(Object.keys(queueHints).map((queue) => [queue, queue]));

function Bar({ filters, onChange }: { filters: Filters; onChange: (next: Filters) => void }) {
  return (
    <div className="ot-bar" role="search" aria-label="Find tasks">
      <SearchBox label="Error, worker or ID" value={filters['q'] ?? ''} onChange={(text) => onChange({ q: text })} />
      <FilterSelect
        label="Status of tasks"
        any="Any status"
        labels={taskLabels}
        value={filters['status']}
        onChange={(status) => onChange({ status })}
      />
      <FilterSelect
        label="Stage of tasks"
        any="Any stage"
        labels={stageNames}
        value={filters['stage']}
        onChange={(stage) => onChange({ stage })}
      />
      <FilterSelect
        label="Queue of tasks"
        any="Any queue"
        labels={queueNames}
        value={filters['queue']}
        onChange={(queue) => onChange({ queue })}
      />
      {(['owner', 'file'] as const).map((filter) =>
        filters[filter] === undefined ? null : (
          <Button
            key={filter}
            variant="light"
            rightSection={<Icon name="close" size={14} />}
            aria-label={`Show tasks of all ${filter === 'owner' ? 'accounts' : 'recordings'}`}
            onClick={() => onChange({ [filter]: '' })}
          >
            {filter === 'owner' ? 'One account' : 'One recording'}
          </Button>
        ),
      )}
      <Recover />
    </div>
  );
}

function Recover() {
  const client = useQueryClient();
  const recover = useMutation({
    mutationFn: () => call('POST /api/tasks/recover-stuck-tasks'),
    onSuccess: ({ message }) => {
      notify(message);
      void client.invalidateQueries({ queryKey: ['tasks'] });
    },
    onError: (error) => notifyError('Recovery failed', error),
  });
  return (
    <Button variant="default" loading={recover.isPending} onClick={() => recover.mutate()}>
      Recover stuck tasks
    </Button>
  );
}

function Tasks({ tasks }: { tasks: readonly TaskItem[] }) {
  return (
    <Sheet
      testId="tasks"
      heads={[
        'Stage',
        'Status',
        'Recording',
        <Table.Th key="Attempts" ta="right">
          Attempts
        </Table.Th>,
        'Created',
      ]}
    >
      {tasks.map((task) => (
        <TaskRows key={task.uuid} task={task} />
      ))}
    </Sheet>
  );
}

function TaskRows({ task }: { task: TaskItem }) {
  const [open, setOpen] = useState(false);
  return (
    <Fragment>
      <Table.Tr data-status={task.status}>
        <Table.Td style={{ whiteSpace: 'nowrap' }}>
          <UnstyledButton
            fz="sm"
            aria-expanded={open}
            aria-label={`Attempts of ${stageNames[task.task_type]}, ${task.file_title ?? task.media_file_id}`}
            onClick={() => setOpen(!open)}
            style={{ display: 'inline-flex', alignItems: 'center', gap: 6 }}
          >
            <Icon name={open ? 'chevronUp' : 'chevronDown'} size={14} />
            {stageNames[task.task_type]}
          </UnstyledButton>
        </Table.Td>
        <Table.Td>
          <Badge variant={task.dead ? 'filled' : 'light'} color={taskColors[task.status]}>
            {task.dead ? 'failed' : taskLabels[task.status]}
          </Badge>
          {task.error_message !== null && (
            <Text size="xs" c="red" mt={2} lineClamp={2}>
              {task.error_message}
            </Text>
          )}
        </Table.Td>
        <Table.Td>
          <Link className="ot-row-link" to="/files/$uuid" params={{ uuid: task.media_file_id }}>
            {task.file_title ?? task.media_file_id.slice(0, 8)}
          </Link>
        </Table.Td>
        <Table.Td ta="right" data-label="Attempts">
          {task.attempt}
        </Table.Td>
        <Table.Td data-label="Created" title={moment(task.created_at)} style={{ whiteSpace: 'nowrap' }}>
          {ago(task.created_at)}
        </Table.Td>
      </Table.Tr>
      {open && (
        <Table.Tr>
          <Table.Td colSpan={5}>
            <Attempts uuid={task.uuid} />
          </Table.Td>
        </Table.Tr>
      )}
    </Fragment>
  );
}

function Attempts({ uuid }: { uuid: string }) {
  const task = useQuery(taskQuery(uuid));
  if (!task.data) return <QueryStatus of={task} what="The attempts" height={40} />;
  const { tries: attempts, queue, next_attempt_at: next } = task.data;
  return (
    <>
      <Text size="xs" c="dimmed">
        Queue {queue} · {uuid}
        {next === null ? '' : ` · next attempt ${moment(next)}`}
      </Text>
      {attempts.length === 0 ? <Text size="xs">No attempt yet.</Text> : <AttemptList attempts={attempts} />}
    </>
  );
}

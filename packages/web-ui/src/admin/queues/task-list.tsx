import { plural, t } from '@lingui/core/macro';
import { Badge, Button, Table, Text, UnstyledButton } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import { call } from '../../api/client.ts';
import { Icon } from '../../ui/icons.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { SearchBox } from '../../ui/search-box.tsx';
import { stageNames } from '../../library/status.ts';
import { ago, moment } from '../../lib/format.ts';
import { FilterSelect } from '../../ui/filter-select.tsx';
import { Empty, QueryStatus } from '../../ui/query-status.tsx';
import { Pager } from '../../ui/pager.tsx';
import { taskPageSize, taskQuery, tasksQuery, type TaskItem, type AttemptItem } from './queue-queries.ts';
import { queueHints, taskColors, taskLabels, ageSince, outcomeTexts } from './labels.ts';
import { Sheet } from '../../ui/sheet.tsx';
import css from './queues.module.css';

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
      <QueryStatus of={tasks} failure={t`The tasks couldn’t be loaded`} />
      {tasks.data?.items.length === 0 && (
        <Empty>{Object.values(filters).some(Boolean) ? t`No task matches.` : t`No tasks yet.`}</Empty>
      )}
      {tasks.data && tasks.data.items.length > 0 && <Tasks tasks={tasks.data.items} />}
      {tasks.data && (
        <>
          <Text size="sm" c="dimmed" mt="sm" aria-live="polite">
            {tasks.data.total >= 10_000
              ? plural(tasks.data.total, { one: '# task, the newest ones', other: '# tasks, the newest ones' })
              : plural(tasks.data.total, { one: '# task', other: '# tasks' })}
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
    <div className="ot-bar" role="search" aria-label={t`Find tasks`}>
      <SearchBox label={t`Error, worker or ID`} value={filters['q'] ?? ''} onChange={(text) => onChange({ q: text })} />
      <FilterSelect
        label={t`Status of tasks`}
        any={t`Any status`}
        labels={taskLabels}
        value={filters['status']}
        onChange={(status) => onChange({ status })}
      />
      <FilterSelect
        label={t`Stage of tasks`}
        any={t`Any stage`}
        labels={stageNames}
        value={filters['stage']}
        onChange={(stage) => onChange({ stage })}
      />
      <FilterSelect
        label={t`Queue of tasks`}
        any={t`Any queue`}
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
            aria-label={filter === 'owner' ? t`Show tasks of all accounts` : t`Show tasks of all recordings`}
            onClick={() => onChange({ [filter]: '' })}
          >
            {filter === 'owner' ? t`One account` : t`One recording`}
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
    onError: (error) => notifyError(t`Recovery failed`, error),
  });
  return (
    <Button variant="default" loading={recover.isPending} onClick={() => recover.mutate()}>
      {t`Recover stuck tasks`}
    </Button>
  );
}

function Tasks({ tasks }: { tasks: readonly TaskItem[] }) {
  return (
    <Sheet
      testId="tasks"
      heads={[
        t`Stage`,
        t`Status`,
        t`Recording`,
        <Table.Th key="Attempts" ta="right">
          {t`Attempts`}
        </Table.Th>,
        t`Created`,
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
            aria-label={t`Attempts of ${stageNames[task.task_type]}, ${task.file_title ?? task.media_file_id}`}
            onClick={() => setOpen(!open)}
            style={{ display: 'inline-flex', alignItems: 'center', gap: 6 }}
          >
            <Icon name={open ? 'chevronUp' : 'chevronDown'} size={14} />
            {stageNames[task.task_type]}
          </UnstyledButton>
        </Table.Td>
        <Table.Td>
          <Badge variant={task.dead ? 'filled' : 'light'} color={taskColors[task.status]}>
            {task.dead ? t`failed` : taskLabels[task.status]}
          </Badge>
          {task.error_message !== null && (
            <Text size="xs" c="red" mt={2} lineClamp={2}>
              {task.error_message}
            </Text>
          )}
        </Table.Td>
        <Table.Td>
          <Link className="ot-row-link" dir="auto" to="/files/$uuid" params={{ uuid: task.media_file_id }}>
            {task.file_title ?? task.media_file_id.slice(0, 8)}
          </Link>
        </Table.Td>
        <Table.Td ta="right" data-label={t`Attempts`}>
          {task.attempt}
        </Table.Td>
        <Table.Td data-label={t`Created`} title={moment(task.created_at)} style={{ whiteSpace: 'nowrap' }}>
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
  if (!task.data) return <QueryStatus of={task} failure={t`The attempts couldn’t be loaded`} height={40} />;
  const { tries: attempts, queue, next_attempt_at: next } = task.data;
  return (
    <>
      <Text size="xs" c="dimmed">
        {next === null ? t`Queue ${queue} · ${uuid}` : t`Queue ${queue} · ${uuid} · next attempt ${moment(next)}`}
      </Text>
      {attempts.length === 0 ? <Text size="xs">{t`No attempt yet.`}</Text> : <AttemptList attempts={attempts} />}
    </>
  );
}

/** The attempts of a task, with outcome and worker. */
function AttemptList({ attempts }: { attempts: readonly AttemptItem[] }) {
  return (
    <ol className={css['tries']}>
      {attempts.map((attempt) => (
        <li key={attempt.number} data-outcome={attempt.outcome}>
          <b>{t`Attempt ${attempt.number}`}</b>{' '}
          {attempt.ended_at === null
            ? outcomeTexts[attempt.outcome]
            : t`${outcomeTexts[attempt.outcome]} after ${ageSince(attempt.started_at, attempt.ended_at)}`}
          {attempt.error_message === null ? '' : `: ${attempt.error_message}`}
          <span className={css['dim']}>
            {' '}
            ({moment(attempt.started_at)}
            {attempt.worker === null ? '' : `, ${attempt.worker}`})
          </span>
        </li>
      ))}
    </ol>
  );
}

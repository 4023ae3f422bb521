import {
  Badge,
  Button,
  Group,
  NativeSelect,
  Pagination,
  Progress,
  Skeleton,
  Stack,
  Table,
  Text,
  Title,
} from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { call } from '../api/client.ts';
import { meQuery } from '../api/queries.ts';
import type { Answer } from '../api/routes.ts';
import { ErrorNote } from '../app/error-note.tsx';
import { NotFoundPage } from '../app/pages.tsx';
import { say, sayError } from '../app/notify.ts';
import { stageNames } from '../library/status.ts';
import { ago, moment, plural } from '../lib/format.ts';

export const AdminPage = () => {
  useDocumentTitle('Engines and tasks · Overtone');
  const me = useQuery(meQuery).data;
  if (me?.role === 'user') return <NotFoundPage />;
  return (
    <div className="ot-page">
      <Title order={1} size="h2" mb="md">
        Engines and tasks
      </Title>
      <Stack gap="lg">
        <Section title="Speech engines">
          <Engines />
        </Section>
        <Section title="Search index">
          <SearchIndex />
        </Section>
        <Section title="Tasks">
          <Tasks />
        </Section>
      </Stack>
    </div>
  );
};

const Section = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="ot-card" style={{ padding: '1.125rem 1.25rem 1.25rem' }}>
    <Title order={2} size="h4" mb="sm">
      {title}
    </Title>
    {children}
  </section>
);

const Engines = () => {
  const engines = useQuery({
    queryKey: ['engines'],
    queryFn: ({ signal }) => call('engines', { signal }),
    refetchInterval: 10_000,
  });
  if (engines.isError)
    return (
      <ErrorNote
        error={engines.error}
        title="The engines cannot be read just now"
        onRetry={() => void engines.refetch()}
      />
    );
  if (engines.isPending) return <Skeleton h={80} />;
  if (engines.data.workers.length === 0)
    return <Text c="dimmed">No worker is running. Recordings wait until one comes back.</Text>;
  return (
    <Table.ScrollContainer minWidth={480}>
      <Table data-testid="engines">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Worker</Table.Th>
            <Table.Th>Engine</Table.Th>
            <Table.Th>Takes</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {engines.data.workers.map((worker) => (
            <Table.Tr key={worker.id}>
              <Table.Td>
                <Text size="sm">{worker.service}</Text>
                <Text size="xs" c="dimmed">
                  {worker.id}
                </Text>
              </Table.Td>
              <Table.Td>
                {worker.engine ? (
                  <Badge variant="light">{`${worker.engine.provider}, ${worker.engine.model}`}</Badge>
                ) : (
                  <Text size="sm" c="dimmed">
                    none
                  </Text>
                )}
                {worker.note !== null && (
                  <Text size="xs" c="dimmed" mt={4}>
                    {worker.note}
                  </Text>
                )}
              </Table.Td>
              <Table.Td>
                <Text size="xs">{worker.pulls.join(', ')}</Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
};

const healthWords: Record<Answer<'indexHealth'>['status'], string> = {
  green: 'healthy',
  yellow: 'limited',
  red: 'down',
};

const SearchIndex = () => {
  const client = useQueryClient();
  const health = useQuery({ queryKey: ['index-health'], queryFn: ({ signal }) => call('indexHealth', { signal }) });
  const status = useQuery({
    queryKey: ['reindex'],
    queryFn: ({ signal }) => call('reindexStatus', { signal }),
    refetchInterval: (q) => (q.state.data?.in_progress ? 1500 : 15_000),
  });
  const reindex = useMutation({
    mutationFn: () => call('reindex'),
    onSuccess: (answer) => {
      say(answer.message);
      void client.invalidateQueries({ queryKey: ['reindex'] });
    },
    onError: (error) => sayError('The rebuild was not started', error),
  });
  const running = status.data?.in_progress ?? false;
  return (
    <Stack gap="sm">
      {health.isError && (
        <ErrorNote error={health.error} title="The index does not answer" onRetry={() => void health.refetch()} />
      )}
      {health.data && (
        <Text size="sm">
          {health.data.backend}, {healthWords[health.data.status]}: {plural(health.data.chunks, 'passage')} of{' '}
          {plural(health.data.files, 'recording')}
          {health.data.keyword_only_files > 0 ? `, ${health.data.keyword_only_files} found by words only` : ''}
          {health.data.error === null ? '' : `. ${health.data.error}`}
        </Text>
      )}
      {status.data && (
        <Text size="sm" c="dimmed" aria-live="polite">
          {running
            ? `Rebuilding: ${status.data.indexed_files} of ${plural(status.data.total_files, 'recording')}`
            : status.data.last_completed_at === null
              ? 'Not rebuilt yet'
              : `Last rebuilt ${ago(status.data.last_completed_at)}`}
          {status.data.failed_files > 0 ? `, ${status.data.failed_files} failed` : ''}
        </Text>
      )}
      {running && status.data && (
        <Progress
          aria-label="Rebuild of the search index"
          value={(status.data.indexed_files / Math.max(1, status.data.total_files)) * 100}
        />
      )}
      <Group>
        <Button variant="default" loading={reindex.isPending} disabled={running} onClick={() => reindex.mutate()}>
          Rebuild the search index
        </Button>
      </Group>
    </Stack>
  );
};

type Task = Answer<'listTasks'>['items'][number];
const taskColors: Record<Task['status'], string> = {
  pending: 'gray',
  in_progress: 'petrol',
  completed: 'petrol',
  failed: 'red',
  cancelled: 'gray',
};
const taskWords: Record<Task['status'], string> = {
  pending: 'waiting',
  in_progress: 'running',
  completed: 'done',
  failed: 'failed',
  cancelled: 'stopped',
};
const taskPageSize = 20;

const Tasks = () => {
  const [status, setStatus] = useState('');
  const [page, setPage] = useState(1);
  const client = useQueryClient();
  const tasks = useQuery({
    queryKey: ['tasks', status, page],
    queryFn: ({ signal }) => call('listTasks', { signal, query: { status, page, page_size: taskPageSize } }),
    refetchInterval: 5000,
    placeholderData: (old) => old,
  });
  const recover = useMutation({
    mutationFn: () => call('recoverStuck'),
    onSuccess: (answer) => {
      say(answer.message);
      void client.invalidateQueries({ queryKey: ['tasks'] });
    },
    onError: (error) => sayError('Recovery did not work', error),
  });
  const pages = Math.ceil((tasks.data?.total ?? 0) / taskPageSize);
  return (
    <Stack gap="sm">
      <Group>
        <NativeSelect
          aria-label="State of tasks"
          value={status}
          onChange={(event) => {
            setStatus(event.currentTarget.value);
            setPage(1);
          }}
          data={[{ value: '', label: 'All' }, ...Object.entries(taskWords).map(([value, label]) => ({ value, label }))]}
        />
        <Button variant="default" loading={recover.isPending} onClick={() => recover.mutate()}>
          Recover stuck tasks
        </Button>
      </Group>
      {tasks.isError && (
        <ErrorNote error={tasks.error} title="The tasks cannot be read just now" onRetry={() => void tasks.refetch()} />
      )}
      {tasks.isPending && <Skeleton h={200} />}
      {tasks.data && (
        <Table.ScrollContainer minWidth={560}>
          <Table fz="sm" data-testid="tasks">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Stage</Table.Th>
                <Table.Th>State</Table.Th>
                <Table.Th>Recording</Table.Th>
                <Table.Th>Tries</Table.Th>
                <Table.Th>Ordered</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {tasks.data.items.map((task) => (
                <TaskRow key={task.uuid} task={task} />
              ))}
            </Table.Tbody>
          </Table>
          {tasks.data.items.length === 0 && (
            <Text c="dimmed" size="sm" p="sm">
              No tasks.
            </Text>
          )}
        </Table.ScrollContainer>
      )}
      {pages > 1 && <Pagination value={page} total={pages} onChange={setPage} aria-label="Pages of tasks" />}
    </Stack>
  );
};

const TaskRow = ({ task }: { task: Task }) => (
  <Table.Tr>
    <Table.Td>{stageNames[task.task_type]}</Table.Td>
    <Table.Td>
      <Badge variant="light" color={taskColors[task.status]}>
        {taskWords[task.status]}
      </Badge>
      {task.error_message !== null && (
        <Text size="xs" c="red" mt={2}>
          {task.error_message} {task.error_code === null ? '' : `(${task.error_code})`}
        </Text>
      )}
    </Table.Td>
    <Table.Td>
      <Text component={Link} to={`/files/${task.media_file_id}`} size="sm" c="petrol">
        {task.media_file_id.slice(0, 8)}
      </Text>
    </Table.Td>
    <Table.Td>{task.attempt}</Table.Td>
    <Table.Td title={moment(task.created_at)}>{ago(task.created_at)}</Table.Td>
  </Table.Tr>
);

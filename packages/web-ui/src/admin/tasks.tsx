import { Badge, Button, Group, NativeSelect, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/client.ts';
import type { Answer } from '../api/routes.ts';
import { ErrorNote } from '../app/error-note.tsx';
import { say, sayError } from '../app/notify.ts';
import { stageNames } from '../library/status.ts';
import { ago, moment } from '../lib/format.ts';
import { Pager } from './parts.tsx';

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

/** What the workers do and did. */
export const Tasks = () => {
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
      <Pager page={page} total={tasks.data?.total ?? 0} size={taskPageSize} onPage={setPage} />
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

import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { callOperations, type OperationsResponse } from '../../api/operations.ts';

export type Overview = OperationsResponse<'queues'>;
export type QueueItem = Overview['queues'][number];
export type WorkerItem = Overview['workers'][number];
export type TaskItem = OperationsResponse<'listTasks'>['items'][number];
export type AttemptItem = OperationsResponse<'task'>['tries'][number];
export type DeadKind = OperationsResponse<'deadTasks'>['kinds'][number];
type Filters = Readonly<Record<string, string>>;

/** The refresh interval of a visible page; a hidden page does not refresh. */
const refreshMs = 3_000;
export const taskPageSize = 20;
export const deadPageSize = 10;

export const overviewQuery = queryOptions({
  queryKey: ['queues'],
  queryFn: ({ signal }) => callOperations('queues', { signal }),
  refetchInterval: refreshMs,
});

export const deadKindsQuery = queryOptions({
  queryKey: ['dead', 'kinds'],
  queryFn: ({ signal }) => callOperations('deadTasks', { signal, query: { page_size: 1 } }),
  refetchInterval: refreshMs,
});

/** The fields that select a kind of dead-lettered jobs. */
export function kindFields({ queue, task_type, error_code }: DeadKind) {
  return {
    queue,
    task_type,
    ...(error_code === null ? {} : { error_code }),
  };
}

export function deadTasksQuery(kind: DeadKind, page: number) {
  return queryOptions({
    queryKey: ['dead', 'tasks', kindFields(kind), page],
    queryFn: ({ signal }) =>
      callOperations('deadTasks', { signal, query: { ...kindFields(kind), page, page_size: deadPageSize } }),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  });
}

export function tasksQuery(filters: Filters) {
  return queryOptions({
    queryKey: ['tasks', filters],
    queryFn: ({ signal }) =>
      callOperations('listTasks', {
        signal,
        query: {
          status: filters['status'],
          task_type: filters['stage'],
          queue: filters['queue'],
          file: filters['file'],
          owner: filters['owner'],
          q: filters['q'],
          page: filters['page'],
          page_size: taskPageSize,
        },
      }),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  });
}

export function taskQuery(uuid: string) {
  return queryOptions({
    queryKey: ['tasks', 'one', uuid],
    queryFn: ({ signal }) => callOperations('task', { signal, params: { uuid } }),
    refetchInterval: refreshMs,
  });
}

import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { operate, type OperationsAnswer } from '../../api/operations.ts';

export type Overview = OperationsAnswer<'queues'>;
export type QueueItem = Overview['queues'][number];
export type WorkerItem = Overview['workers'][number];
export type TaskItem = OperationsAnswer<'listTasks'>['items'][number];
export type TryItem = OperationsAnswer<'task'>['tries'][number];
export type DeadKind = OperationsAnswer<'deadTasks'>['kinds'][number];
type Filters = Readonly<Record<string, string>>;

/** Asked again this often while somebody looks; a hidden page asks nothing. */
const liveMs = 3_000;
export const taskPageSize = 20;
export const deadPageSize = 10;

export const overviewQuery = queryOptions({
  queryKey: ['queues'],
  queryFn: ({ signal }) => operate('queues', { signal }),
  refetchInterval: liveMs,
});

export const deadKindsQuery = queryOptions({
  queryKey: ['dead', 'kinds'],
  queryFn: ({ signal }) => operate('deadTasks', { signal, query: { page_size: 1 } }),
  refetchInterval: liveMs,
});

/** What a kind is asked for by. */
export const kindFields = ({ queue, task_type, error_code }: DeadKind) => ({
  queue,
  task_type,
  ...(error_code === null ? {} : { error_code }),
});

export const deadTasksQuery = (kind: DeadKind, page: number) =>
  queryOptions({
    queryKey: ['dead', 'tasks', kindFields(kind), page],
    queryFn: ({ signal }) =>
      operate('deadTasks', { signal, query: { ...kindFields(kind), page, page_size: deadPageSize } }),
    placeholderData: keepPreviousData,
    refetchInterval: liveMs,
  });

export const tasksQuery = (f: Filters) =>
  queryOptions({
    queryKey: ['tasks', f],
    queryFn: ({ signal }) =>
      operate('listTasks', {
        signal,
        query: {
          status: f['status'],
          task_type: f['stage'],
          queue: f['queue'],
          file: f['file'],
          owner: f['owner'],
          q: f['q'],
          page: f['page'],
          page_size: taskPageSize,
        },
      }),
    placeholderData: keepPreviousData,
    refetchInterval: liveMs,
  });

export const taskQuery = (uuid: string) =>
  queryOptions({
    queryKey: ['tasks', 'one', uuid],
    queryFn: ({ signal }) => operate('task', { signal, params: { uuid } }),
    refetchInterval: liveMs,
  });

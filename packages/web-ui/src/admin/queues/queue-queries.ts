import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ResponseBody } from '@overtone/client';
import { call } from '../../api/client.ts';

export type Overview = ResponseBody<'GET /api/admin/queues'>;
export type QueueItem = Overview['queues'][number];
export type WorkerItem = Overview['workers'][number];
export type TaskItem = ResponseBody<'GET /api/tasks'>['items'][number];
export type AttemptItem = ResponseBody<'GET /api/tasks/{uuid}'>['tries'][number];
export type DeadKind = ResponseBody<'GET /api/tasks/dead'>['kinds'][number];
type Filters = Readonly<Record<string, string>>;

/** The refresh interval of a visible page; a hidden page does not refresh. */
const refreshMs = 3_000;
export const taskPageSize = 20;
export const deadPageSize = 10;

export const overviewQuery = queryOptions({
  queryKey: ['queues'],
  queryFn: ({ signal }) => call('GET /api/admin/queues', { signal }),
  refetchInterval: refreshMs,
});

export const deadKindsQuery = queryOptions({
  queryKey: ['dead', 'kinds'],
  queryFn: ({ signal }) => call('GET /api/tasks/dead', { signal, query: { page_size: 1 } }),
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
      call('GET /api/tasks/dead', { signal, query: { ...kindFields(kind), page, page_size: deadPageSize } }),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  });
}

export function tasksQuery(filters: Filters) {
  return queryOptions({
    queryKey: ['tasks', filters],
    queryFn: ({ signal }) =>
      call('GET /api/tasks', {
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
    queryFn: ({ signal }) => call('GET /api/tasks/{uuid}', { signal, params: { uuid } }),
    refetchInterval: refreshMs,
  });
}

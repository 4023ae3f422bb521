import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ResponseBody } from '@overtone/client';
import { call } from '../../api/client.ts';

export type BackupRun = ResponseBody<'GET /api/admin/backup/runs'>['items'][number];
export type MirrorRun = ResponseBody<'GET /api/admin/media-mirror/runs'>['items'][number];
export type BackupStatus = ResponseBody<'GET /api/admin/backup/status'>;
export type MirrorStatus = ResponseBody<'GET /api/admin/media-mirror/status'>;
export type DestinationStatus = BackupStatus['destination_status'];

const busyMs = 1_000;
const idleMs = 15_000;
export const runPageSize = 10;

export const backupSettingsQuery = queryOptions({
  queryKey: ['backup', 'settings'],
  queryFn: ({ signal }) => call('GET /api/admin/backup/settings', { signal }),
});

export const mirrorSettingsQuery = queryOptions({
  queryKey: ['media-mirror', 'settings'],
  queryFn: ({ signal }) => call('GET /api/admin/media-mirror/settings', { signal }),
});

export function backupRunsQuery(page: number) {
  return queryOptions({
    queryKey: ['backup', 'runs', page],
    queryFn: ({ signal }) => call('GET /api/admin/backup/runs', { signal, query: { page, page_size: runPageSize } }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => refreshMs(state.data?.items),
  });
}

export function mirrorRunsQuery(page: number) {
  return queryOptions({
    queryKey: ['media-mirror', 'runs', page],
    queryFn: ({ signal }) =>
      call('GET /api/admin/media-mirror/runs', { signal, query: { page, page_size: runPageSize } }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => refreshMs(state.data?.items),
  });
}

/**
 * The status tests the destination, which writes a file there, so it is not polled.
 * @param state the newest run and its status: another one changes the answer
 */
export function backupStatusQuery(state: string) {
  return queryOptions({
    queryKey: ['backup', 'status', state],
    queryFn: ({ signal }) => call('GET /api/admin/backup/status', { signal }),
    placeholderData: keepPreviousData,
  });
}

export function mirrorStatusQuery(state: string) {
  return queryOptions({
    queryKey: ['media-mirror', 'status', state],
    queryFn: ({ signal }) => call('GET /api/admin/media-mirror/status', { signal }),
    placeholderData: keepPreviousData,
  });
}

export function storedBackupsQuery(state: string) {
  return queryOptions({
    queryKey: ['backup', 'stored', state],
    queryFn: ({ signal }) => call('GET /api/admin/backup/backups', { signal }),
    placeholderData: keepPreviousData,
  });
}

export function mirrorReportQuery(state: string) {
  return queryOptions({
    queryKey: ['media-mirror', 'report', state],
    queryFn: ({ signal }) => call('GET /api/admin/media-mirror/report', { signal }),
    placeholderData: keepPreviousData,
  });
}

/** The newest run and its status as one text; it changes whenever a run is requested, starts or ends. */
export function stateOf(newest: Pick<BackupRun, 'uuid' | 'status'> | undefined): string {
  return newest ? `${newest.uuid} ${newest.status}` : 'no runs';
}

/** A run that is queued or running is always the newest one. */
export function isActive(newest: Pick<BackupRun, 'status'> | undefined): boolean {
  return newest?.status === 'queued' || newest?.status === 'running';
}

function refreshMs(runs: readonly Pick<BackupRun, 'status'>[] | undefined): number {
  return isActive(runs?.[0]) ? busyMs : idleMs;
}

import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/client.ts';

/** Everything about the versions of one transcript is below this key. */
export function versionsKey(fileId: string) {
  return ['versions', fileId] as const;
}

export function versionsQuery(fileId: string) {
  return queryOptions({
    queryKey: [...versionsKey(fileId), 'list'],
    queryFn: ({ signal }) => call('GET /api/files/{uuid}/transcript/versions', { params: { uuid: fileId }, signal }),
  });
}

/** @param versionId null: the automatic transcript */
export function differencesQuery(fileId: string, versionId: string | null) {
  return queryOptions({
    queryKey: [...versionsKey(fileId), 'differences', versionId],
    queryFn: ({ signal }) =>
      call('GET /api/files/{uuid}/transcript/differences', {
        params: { uuid: fileId },
        query: versionId === null ? {} : { version_uuid: versionId },
        signal,
      }),
    // The transcript may have changed since.
    staleTime: 0,
    gcTime: 0,
  });
}

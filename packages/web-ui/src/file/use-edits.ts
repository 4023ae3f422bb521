import { useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { ApiError } from '../api/problem.ts';
import type { Segment } from '../api/queries.ts';
import type { Answer } from '../api/routes.ts';
import { sayError } from '../app/notify.ts';
import { transcriptVersions } from '../live/transcript-versions.ts';
import { useUndo } from './use-undo.ts';

type Page = Answer<'listSegments'>;
export type SegmentChange = { readonly text?: string; readonly speaker_uuid?: string | null };
type Vars = { readonly segment: Segment; readonly change: SegmentChange; readonly shown: Segment };

/** Puts a segment into the cached page that holds it; gives back the one it replaced. */
const put = (client: QueryClient, fileId: string, next: Segment): Segment | undefined => {
  let before: Segment | undefined;
  for (const [queryKey, page] of client.getQueriesData<Page>({ queryKey: ['segments', fileId] })) {
    const at = page?.transcript_segments.findIndex((s) => s.uuid === next.uuid) ?? -1;
    if (!page || at === -1) continue;
    before = page.transcript_segments[at];
    client.setQueryData<Page>(queryKey, { ...page, transcript_segments: page.transcript_segments.with(at, next) });
  }
  return before;
};

/** Removes a passage; its toast takes it back. */
export const useSegmentRemoval = (fileId: string) => {
  const sayUndo = useUndo(fileId);
  return useMutation({
    mutationFn: (segment: Segment) =>
      call('deleteSegment', {
        params: { uuid: fileId, segment_uuid: segment.uuid },
        query: { version: segment.version },
      }),
    onSuccess: ({ undo }) => sayUndo('Passage deleted.', undo),
    onError: (error) => sayError('The passage was not deleted', error),
  });
};

/** Edits one segment: on screen at once, put back when the server refuses. The editor handles a 409. */
export const useSegmentEdit = (fileId: string) => {
  const client = useQueryClient();
  const sayUndo = useUndo(fileId);
  const refetch = (): void => void client.invalidateQueries({ queryKey: ['segments', fileId] });
  return useMutation({
    mutationFn: ({ segment, change }: Vars) =>
      call('editSegment', {
        params: { uuid: fileId, segment_uuid: segment.uuid },
        body: { ...change, version: segment.version },
      }),
    onMutate: ({ shown }) => ({ own: transcriptVersions.begin(fileId), before: put(client, fileId, shown) }),
    onSuccess: ({ undo, ...answer }, { segment, change }, { own }) => {
      put(client, fileId, answer);
      if (change.text === '') sayUndo('Passage emptied.', undo);
      if (transcriptVersions.end(fileId, own, answer.version > segment.version)) refetch();
      if (change.speaker_uuid !== undefined) void client.invalidateQueries({ queryKey: ['file', fileId] });
    },
    onError: (error, { segment, change }, context) => {
      put(client, fileId, context?.before ?? segment);
      const missed = context !== undefined && transcriptVersions.end(fileId, context.own, false);
      if (missed || isConflict(error)) refetch();
      // The editor of a text has its own words for a conflict.
      if (!isConflict(error) || change.text === undefined) sayError('The change was not saved', error);
    },
  });
};
export const isConflict = (error: unknown): boolean => error instanceof ApiError && error.status === 409;

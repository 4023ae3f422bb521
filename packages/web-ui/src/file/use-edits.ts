import { t } from '@lingui/core/macro';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import type { TranscriptOperation } from '@overtone/contracts';
import { useCallback, useRef } from 'react';
import { call } from '../api/client.ts';
import type { ResponseBody } from '../api/routes.ts';
import { ApiError } from '../api/problem.ts';
import type { Segment } from '../api/queries.ts';
import { notifyError } from '../ui/notify.ts';
import { transcriptVersions } from '../live/transcript-versions.ts';
import { useUndo } from './use-undo.ts';

type Page = ResponseBody<'GET /api/files/{uuid}/segments'>;
export type SegmentChange = { readonly text?: string; readonly speaker_uuid?: string | null };
type Edit = { readonly segment: Segment; readonly change: SegmentChange; readonly shown: Segment };

/** Deletes a passage, with a toast that undoes it. */
export function useSegmentRemoval(fileId: string) {
  const { refresh, offerUndo } = useUndo(fileId);
  return useMutation({
    mutationFn: (segment: Segment) =>
      call('DELETE /api/files/{uuid}/transcript/segments/{segment_uuid}', {
        params: { uuid: fileId, segment_uuid: segment.uuid },
        query: { version: segment.version },
      }),
    onSuccess: ({ undo }) => {
      void refresh();
      offerUndo(t`Passage deleted.`, undo);
    },
    onError: (error) => notifyError(t`The passage wasn’t deleted`, error),
  });
}

/** A passage that replaces others; what is absent stays as it was. */
export type Piece = TranscriptOperation['replacement'][number];

/** Replaces passages by others: a split, a merge, another speaker for a part, other times. The transcript is loaded again before the promise resolves. */
export function useSegmentReplacement(fileId: string) {
  const { refresh } = useUndo(fileId);
  return useCallback(
    async (replaced: readonly Segment[], pieces: readonly Piece[]): Promise<void> => {
      const segments = replaced.map(({ uuid, version }) => ({ uuid, version }));
      const operations = [{ segments, replacement: [...pieces] }];
      try {
        await call('POST /api/files/{uuid}/transcript/operations', {
          params: { uuid: fileId },
          body: { uuid: crypto.randomUUID(), operations },
        });
      } catch (error) {
        if (isConflict(error)) {
          notifyError(t`The passage wasn’t saved`, error);
          void refresh();
        }
        throw error;
      }
      await refresh();
    },
    [fileId, refresh],
  );
}

/** Edits one segment optimistically and rolls back when the server refuses. The editor handles a 409. The last edit can be undone. */
export function useSegmentEdit(fileId: string) {
  const client = useQueryClient();
  const { offerUndo } = useUndo(fileId);
  const lastToast = useRef<string>(null);
  const refetch = (): void => void client.invalidateQueries({ queryKey: ['segments', fileId] });
  return useMutation({
    mutationFn: ({ segment, change }: Edit) =>
      call('PUT /api/files/{uuid}/transcript/segments/{segment_uuid}', {
        params: { uuid: fileId, segment_uuid: segment.uuid },
        body: { ...change, version: segment.version },
      }),
    onMutate: ({ shown }) => ({
      edit: transcriptVersions.beginEdit(fileId),
      replaced: replaceSegment(client, fileId, shown),
    }),
    onSuccess: ({ undo, ...saved }, { segment, change }, { edit }) => {
      replaceSegment(client, fileId, saved);
      // One toast for all edits: those of many corrections would cover the page.
      if (lastToast.current !== null) notifications.hide(lastToast.current);
      lastToast.current = offerUndo(editMessage(change), undo);
      if (transcriptVersions.endEdit(fileId, edit, saved.version > segment.version)) refetch();
      if (change.speaker_uuid !== undefined) void client.invalidateQueries({ queryKey: ['file', fileId] });
    },
    onError: (error, { segment, change }, context) => {
      replaceSegment(client, fileId, context?.replaced ?? segment);
      const messageIgnored = context !== undefined && transcriptVersions.endEdit(fileId, context.edit, false);
      if (messageIgnored || isConflict(error)) refetch();
      // The text editor shows a conflict itself.
      if (!isConflict(error) || change.text === undefined) notifyError(t`The change wasn’t saved`, error);
    },
  });
}

function editMessage({ text }: SegmentChange): string {
  if (text === undefined) return t`Speaker of the passage changed.`;
  return text === '' ? t`Passage emptied.` : t`Passage saved.`;
}

export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409;
}

/** Replaces a segment in the cached page that contains it. @returns the replaced segment */
function replaceSegment(client: QueryClient, fileId: string, next: Segment): Segment | undefined {
  let replaced: Segment | undefined;
  for (const [queryKey, page] of client.getQueriesData<Page>({ queryKey: ['segments', fileId] })) {
    const index = page?.transcript_segments.findIndex(({ uuid }) => uuid === next.uuid) ?? -1;
    if (!page || index === -1) continue;
    replaced = page.transcript_segments[index];
    client.setQueryData<Page>(queryKey, { ...page, transcript_segments: page.transcript_segments.with(index, next) });
  }
  return replaced;
}

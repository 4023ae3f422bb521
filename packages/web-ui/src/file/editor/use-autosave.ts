import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ApiError } from '@overtone/client';
import { call } from '../../api/client.ts';
import { segmentPageSize, segmentsQuery, type FileDetail, type Segment } from '../../api/queries.ts';
import { transcriptVersions } from '../../live/transcript-versions.ts';
import { drafts } from '../../state/services.ts';
import { notifyError } from '../../ui/notify.ts';
import type { AutosaveDeps, Draft, Failure } from './autosave.ts';
import { t } from '@lingui/core/macro';

export function draftKey(fileId: string): string {
  return `corrections:${fileId}`;
}

/** How the document of a file is saved, loaded again and kept in the browser. */
export function useAutosaveDeps(fileId: string): AutosaveDeps {
  const client = useQueryClient();
  return useMemo((): AutosaveDeps => {
    const path = { params: { uuid: fileId } };
    /** Runs a request whose push message must not load the transcript again. */
    const asOwnEdit = async <R>(request: () => Promise<R>): Promise<R> => {
      const edit = transcriptVersions.beginEdit(fileId);
      try {
        const result = await request();
        transcriptVersions.endEdit(fileId, edit, true);
        return result;
      } catch (error) {
        if (transcriptVersions.endEdit(fileId, edit, false))
          void client.invalidateQueries({ queryKey: ['segments', fileId] });
        throw error;
      }
    };
    return {
      send: ({ uuid, operations }) =>
        asOwnEdit(() =>
          call('POST /api/files/{uuid}/transcript/operations', {
            ...path,
            body: { uuid, operations: [...operations] },
          }),
        ),
      revert: (which, uuid) =>
        asOwnEdit(() =>
          which === 'undo'
            ? call('POST /api/files/{uuid}/transcript/undo', { ...path, body: { uuid } })
            : call('POST /api/files/{uuid}/transcript/redo', { ...path, body: { uuid } }),
        ),
      reload: () => readPassages(client, fileId),
      loadAgain: () => void client.invalidateQueries({ queryKey: ['segments', fileId] }),
      failureOf,
      onRefused: (error) => notifyError(t`A correction wasn’t saved`, error),
      onSaved: (base, result) => {
        storePages(client, fileId, base, result.transcript_version);
        const isPlain = result.removed.length === 0 && result.segments.every(({ version }) => version > 1);
        client.setQueryData<FileDetail>(
          ['file', fileId],
          (file) => file && { ...file, total_segments: base.length, transcript_version: result.transcript_version },
        );
        // The speakers' shares of the time change with structure and speakers.
        if (!isPlain || result.segments.length > 1)
          void client.invalidateQueries({ queryKey: ['file', fileId], exact: true });
      },
      draft: {
        read: () => (drafts.read(draftKey(fileId)) as Draft | undefined) ?? null,
        write: (draft) => (draft === null ? drafts.drop(draftKey(fileId)) : drafts.write(draftKey(fileId), draft)),
      },
    };
  }, [client, fileId]);
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof ApiError)) return 'connection';
  const { status } = error;
  if (status === 404 || status === 409) return 'outdated';
  if (status === 403) return 'forbidden';
  return status === 0 || status === 401 || status === 429 || status >= 500 ? 'connection' : 'refused';
}

async function readPassages(client: QueryClient, fileId: string): Promise<readonly Segment[]> {
  const passages: Segment[] = [];
  const versions = new Set<number>();
  for (let page = 0; ; page += 1) {
    const response = await client.fetchQuery({ ...segmentsQuery(fileId, page), staleTime: 0 });
    passages.push(...response.transcript_segments);
    versions.add(response.transcript_version);
    // Changed while it was read: passages could be there twice.
    if (versions.size > 1) return readPassages(client, fileId);
    if (response.transcript_segments.length === 0 || passages.length >= response.total_segments) return passages;
  }
}

/** Stores the pages as the server would answer them now. */
function storePages(client: QueryClient, fileId: string, base: readonly Segment[], version: number): void {
  const queryKey = ['segments', fileId];
  const isLoading = client.isFetching({ queryKey }) > 0;
  for (let page = 0; page * segmentPageSize < Math.max(1, base.length); page += 1)
    client.setQueryData(segmentsQuery(fileId, page).queryKey, {
      transcript_segments: base.slice(page * segmentPageSize, (page + 1) * segmentPageSize),
      total_segments: base.length,
      transcript_version: version,
    });
  // Its response may be older than what was saved.
  if (isLoading) void client.invalidateQueries({ queryKey });
}

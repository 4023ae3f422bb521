import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { CommentObject, CommentThread, HighlightColor } from '@overtone/contracts';
import { call } from '../../api/client.ts';
import type { FileDetail } from '../../api/queries.ts';

export type { CommentObject, CommentThread, HighlightColor };
export const colors: readonly HighlightColor[] = ['yellow', 'green', 'blue', 'pink'];
/** The limit of the service. */
export const maxCommentText = 2_000;

/** The quotes are those of one version of the transcript. The push channel reports changes. */
export function commentsQuery({ uuid, transcript_version }: Pick<FileDetail, 'uuid' | 'transcript_version'>) {
  return queryOptions({
    queryKey: ['comments', uuid, transcript_version],
    queryFn: ({ signal }) => call('GET /api/files/{uuid}/comments', { params: { uuid }, signal }),
    placeholderData: keepPreviousData,
  });
}

export function commentReadersQuery(uuid: string) {
  return queryOptions({
    queryKey: ['comment-readers', uuid],
    queryFn: ({ signal }) => call('GET /api/files/{uuid}/comments/people', { params: { uuid }, signal }),
  });
}

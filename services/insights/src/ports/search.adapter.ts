import { retrievalRpc, type ReplyOf, type RequestOf } from '@overtone/contracts';
import type { Bus } from '@overtone/service-kit';

/** The search index. Both fail with `search_unavailable` when nothing can be searched. */
export type Search = {
  retrieve: (request: RequestOf<typeof retrievalRpc.retrieve>) => Promise<ReplyOf<typeof retrievalRpc.retrieve>>;
  /** Any number of files. */
  countMentions: (
    request: RequestOf<typeof retrievalRpc.countMentions>,
  ) => Promise<ReplyOf<typeof retrievalRpc.countMentions>>;
};

const maxCountedFiles = 1_000;
const maxListedFiles = 200;

export function createSearch({ bus }: { bus: Pick<Bus, 'request'> }): Search {
  return {
    retrieve: (request) => bus.request(retrievalRpc.retrieve, request),
    countMentions: async ({ fileIds, ...request }) => {
      if (fileIds === null) return bus.request(retrievalRpc.countMentions, { ...request, fileIds });
      const replies = [];
      for (let from = 0; from < fileIds.length; from += maxCountedFiles)
        replies.push(
          await bus.request(retrievalRpc.countMentions, {
            ...request,
            fileIds: fileIds.slice(from, from + maxCountedFiles),
          }),
        );
      const files = replies.flatMap((reply) => reply.files).toSorted((left, right) => right.count - left.count);
      return {
        files: files.slice(0, maxListedFiles),
        totalFiles: replies.reduce((sum, { totalFiles }) => sum + totalFiles, 0),
      };
    },
  };
}

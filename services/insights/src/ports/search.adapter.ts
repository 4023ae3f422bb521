import { retrievalRpc, type ReplyOf, type RequestOf } from '@overtone/contracts';
import type { Bus } from '@overtone/service-kit';

/** The search index. Both fail with `search_unavailable` when nothing can be searched. */
export type Search = {
  retrieve: (request: RequestOf<typeof retrievalRpc.retrieve>) => Promise<ReplyOf<typeof retrievalRpc.retrieve>>;
  countMentions: (
    request: RequestOf<typeof retrievalRpc.countMentions>,
  ) => Promise<ReplyOf<typeof retrievalRpc.countMentions>>;
};

export function createSearch({ bus }: { bus: Pick<Bus, 'request'> }): Search {
  return {
    retrieve: (request) => bus.request(retrievalRpc.retrieve, request),
    countMentions: (request) => bus.request(retrievalRpc.countMentions, request),
  };
}

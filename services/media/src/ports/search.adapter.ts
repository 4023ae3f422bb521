import { foundRpc, type ReplyOf, type RequestOf } from '@overtone/contracts';
import type { Bus } from '@overtone/service-kit';

/** The files that a search finds. @throws AppError while search does not respond, and what it refuses. */
export type FindFiles = (
  request: RequestOf<typeof foundRpc.foundFiles>,
) => Promise<ReplyOf<typeof foundRpc.foundFiles>>;

export function createFindFiles({ bus }: { bus: Pick<Bus, 'request'> }): FindFiles {
  return (request) => bus.request(foundRpc.foundFiles, request);
}

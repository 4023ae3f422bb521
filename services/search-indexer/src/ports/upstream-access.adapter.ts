import { identityRpc, mediaRpc } from '@overtone/contracts';
import { askAll, type Bus } from '@overtone/service-kit';

const pageSize = 500;

/** Requests group memberships from identity and shares from media. */
export function createUpstreamAccess({ bus }: { bus: Pick<Bus, 'request'> }) {
  return {
    memberships: () =>
      askAll(
        async (after) => (await bus.request(identityRpc.memberships, { after, limit: pageSize })).users,
        ({ userId }) => userId,
      ),
    shared: () =>
      askAll(
        async (after) => (await bus.request(mediaRpc.listShared, { after, limit: pageSize })).files,
        ({ fileId }) => fileId,
      ),
  };
}

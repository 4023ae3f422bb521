import { identityRpc, mediaRpc } from '@overtone/contracts';
import { askAll, type Bus } from '@overtone/service-kit';
import type { Audience } from './audience.ts';

const pageSize = 500;

/** Loads memberships and shares that changed before this process started. */
export function createAudienceLoader({ bus, audience }: { bus: Pick<Bus, 'request'>; audience: Audience }) {
  return async (): Promise<void> => {
    const memberships = askAll(
      async (after) => (await bus.request(identityRpc.memberships, { after, limit: pageSize })).users,
      ({ userId }) => userId,
    );
    for await (const membership of memberships) audience.setMembership(membership);
    const shared = askAll(
      async (after) => (await bus.request(mediaRpc.listShared, { after, limit: pageSize })).files,
      ({ fileId }) => fileId,
    );
    for await (const access of shared) audience.setAccess(access);
  };
}

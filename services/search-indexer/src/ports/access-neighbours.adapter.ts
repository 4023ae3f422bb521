import { identityRpc, mediaRpc } from '@overtone/contracts';
import { askAll, type Bus } from '@overtone/service-kit';

const pageSize = 500;

/** Asks identity and media over the bus who is in which groups and with whom files are shared. */
export const createAccessNeighbours = ({ bus }: { bus: Pick<Bus, 'ask'> }) => ({
  memberships: () =>
    askAll(
      async (after) => (await bus.ask(identityRpc.memberships, { after, limit: pageSize })).users,
      ({ userId }) => userId,
    ),
  shared: () =>
    askAll(
      async (after) => (await bus.ask(mediaRpc.listShared, { after, limit: pageSize })).files,
      ({ fileId }) => fileId,
    ),
});

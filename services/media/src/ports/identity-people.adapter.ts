import { identityRpc } from '@overtone/contracts';
import { askAll, type Bus } from '@overtone/service-kit';
import type { People } from './people.ts';

const pageSize = 500;

/** Asks identity over the bus. */
export const createIdentityPeople = ({ bus }: { bus: Pick<Bus, 'ask'> }): People => ({
  exists: async (userId) => (await bus.ask(identityRpc.names, { userIds: [userId] })).users.length > 0,
  memberships: () =>
    askAll(
      async (after) => (await bus.ask(identityRpc.memberships, { after, limit: pageSize })).users,
      ({ userId }) => userId,
    ),
});

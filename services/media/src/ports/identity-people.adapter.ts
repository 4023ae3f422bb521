import { identityRpc } from '@overtone/contracts';
import { askAll, type Bus } from '@overtone/service-kit';
import type { People } from './people.ts';

const pageSize = 500;

/** Asks identity over the bus. */
export const createIdentityPeople = ({ bus }: { bus: Pick<Bus, 'ask'> }): People => ({
  exists: async (userId) => (await bus.ask(identityRpc.names, { userIds: [userId] })).users.length > 0,
  names: async (userIds) => {
    if (userIds.length === 0) return new Map();
    const { users } = await bus.ask(identityRpc.names, { userIds: userIds.slice(0, pageSize) });
    return new Map(users.map(({ userId, fullName, email }) => [userId, fullName || email]));
  },
  memberships: () =>
    askAll(
      async (after) => (await bus.ask(identityRpc.memberships, { after, limit: pageSize })).users,
      ({ userId }) => userId,
    ),
});

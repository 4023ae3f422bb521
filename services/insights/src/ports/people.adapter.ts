import { identityRpc } from '@overtone/contracts';
import type { Bus, Log } from '@overtone/service-kit';

/** Users as identity knows them. */
export type People = {
  /** By user id, without unknown users; empty while identity does not respond. */
  names: (userIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** @throws AppError while identity does not respond. */
  exists: (userId: string) => Promise<boolean>;
  /** The groups of a user. @throws AppError while identity does not respond. */
  groupsOf: (userId: string) => Promise<string[]>;
};

const pageSize = 500;

export function createPeople({ bus, log }: { bus: Pick<Bus, 'request'>; log: Log }): People {
  return {
    exists: async (userId) => (await bus.request(identityRpc.names, { userIds: [userId] })).users.length > 0,
    groupsOf: async (userId) => (await bus.request(identityRpc.readerGroups, { userId })).groupIds,
    names: async (userIds) => {
      const wanted = [...new Set(userIds)];
      const pages = Array.from({ length: Math.ceil(wanted.length / pageSize) }, (_, page) =>
        wanted.slice(page * pageSize, (page + 1) * pageSize),
      );
      try {
        const replies = await Promise.all(pages.map((page) => bus.request(identityRpc.names, { userIds: page })));
        return new Map(replies.flatMap(({ users }) => users.map((user) => [user.userId, user.fullName || user.email])));
      } catch (err) {
        log.debug({ err: err as Error }, 'user names request failed');
        return new Map();
      }
    },
  };
}

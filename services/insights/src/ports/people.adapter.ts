import { identityRpc } from '@overtone/contracts';
import type { Bus, Log } from '@overtone/service-kit';

/** Names of users as identity knows them. */
export type People = {
  /** By user id, without unknown users; empty while identity does not respond. */
  names: (userIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
};

const pageSize = 500;

export function createPeople({ bus, log }: { bus: Pick<Bus, 'request'>; log: Log }): People {
  return {
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

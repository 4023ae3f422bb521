import { identityRpc } from '@overtone/contracts';
import { askAll, type Bus, type Log } from '@overtone/service-kit';

/** Users as identity knows them. */
export type People = {
  exists: (userId: string) => Promise<boolean>;
  /** Names by user id; empty while identity does not respond, and without unknown users. */
  names: (userIds: string[]) => Promise<ReadonlyMap<string, string>>;
  /** Active accounts by e-mail address or directory user name. @throws AppError while identity does not respond. */
  find: (names: string[]) => Promise<ReadonlyMap<string, string>>;
  /** All users who are or were members of a group. */
  memberships: () => AsyncIterable<{ userId: string; groupIds: string[]; version: number }>;
};

const pageSize = 500;
const cacheMs = 60_000;
/** Pause after a failure, so that not every file list waits for identity. */
const pauseMs = 15_000;
const maxCached = 10_000;

/** Requests users from identity; names are cached for a minute. */
export function createPeople({ bus, log }: { bus: Pick<Bus, 'request'>; log: Log }): People {
  const cached = new Map<string, { name: string | null; until: number }>();
  let pausedUntil = 0;

  const fetchNames = async (userIds: string[]): Promise<void> => {
    if (userIds.length === 0 || Date.now() < pausedUntil) return;
    const { users } = await bus.request(identityRpc.names, { userIds: userIds.slice(0, pageSize) });
    const names = new Map(users.map(({ userId, fullName, email }) => [userId, fullName || email || null]));
    if (cached.size > maxCached) cached.clear();
    for (const id of userIds) cached.set(id, { name: names.get(id) ?? null, until: Date.now() + cacheMs });
  };

  return {
    exists: async (userId) => (await bus.request(identityRpc.names, { userIds: [userId] })).users.length > 0,
    names: async (userIds) => {
      const wanted = [...new Set(userIds)];
      await fetchNames(wanted.filter((id) => (cached.get(id)?.until ?? 0) < Date.now())).catch((err: unknown) => {
        pausedUntil = Date.now() + pauseMs;
        log.debug({ err: err as Error }, 'user names request failed');
      });
      const known = wanted.map((id) => [id, cached.get(id)?.name] as const);
      return new Map(known.flatMap(([id, name]) => (name ? [[id, name] as const] : [])));
    },
    find: async (names) => {
      const { accounts } = await bus.request(identityRpc.findAccounts, { names });
      return new Map(accounts.map(({ name, userId }) => [name, userId]));
    },
    memberships: () =>
      askAll(
        async (after) => (await bus.request(identityRpc.memberships, { after, limit: pageSize })).users,
        ({ userId }) => userId,
      ),
  };
}

import { identityRpc } from '@overtone/contracts';
import { askAll, type Bus, type Log } from '@overtone/service-kit';
import type { People } from './people.ts';

const pageSize = 500;
const keepMs = 60_000;
/** After a failure, so that a list of files does not wait for identity again and again. */
const pauseMs = 15_000;
const mostKept = 10_000;

/** Asks identity over the bus; names are kept for a minute. */
export const createIdentityPeople = ({ bus, log }: { bus: Pick<Bus, 'ask'>; log: Log }): People => {
  const kept = new Map<string, { name: string | null; until: number }>();
  let pausedUntil = 0;

  const fetchNames = async (userIds: string[]): Promise<void> => {
    if (userIds.length === 0 || Date.now() < pausedUntil) return;
    const { users } = await bus.ask(identityRpc.names, { userIds: userIds.slice(0, pageSize) });
    const names = new Map(users.map(({ userId, fullName, email }) => [userId, fullName || email || null]));
    if (kept.size > mostKept) kept.clear();
    for (const id of userIds) kept.set(id, { name: names.get(id) ?? null, until: Date.now() + keepMs });
  };

  return {
    exists: async (userId) => (await bus.ask(identityRpc.names, { userIds: [userId] })).users.length > 0,
    names: async (userIds) => {
      const wanted = [...new Set(userIds)];
      await fetchNames(wanted.filter((id) => (kept.get(id)?.until ?? 0) < Date.now())).catch((err: unknown) => {
        pausedUntil = Date.now() + pauseMs;
        log.debug({ err: err as Error }, 'names of users unavailable');
      });
      const known = wanted.map((id) => [id, kept.get(id)?.name] as const);
      return new Map(known.flatMap(([id, name]) => (name ? [[id, name] as const] : [])));
    },
    memberships: () =>
      askAll(
        async (after) => (await bus.ask(identityRpc.memberships, { after, limit: pageSize })).users,
        ({ userId }) => userId,
      ),
  };
};

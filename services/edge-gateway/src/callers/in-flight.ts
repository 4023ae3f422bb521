import type { ResolvedSession } from '@overtone/contracts';
import type { Doubt, ProxiedRequest } from './callers.ts';

type Deps = {
  /** Resolves the current session of a token. */
  resolve: (token: string) => Promise<ResolvedSession | null> | ResolvedSession;
  /** Timeout of the check after a revocation; then the session counts as unknown. */
  checkTimeoutMs?: number;
  /** The same while the broker is silent: most likely no session has ended. */
  silenceTimeoutMs?: number;
};
/** Longer than a request takes from its arrival until it is forwarded. */
const rememberMs = 60_000;

/**
 * Requests in flight: a download may run for an hour, and must end with its session. A revocation triggers
 * a check instead of an abort, because "all sessions of a user" excludes one opened just afterwards.
 */
export function createInFlight({ resolve, checkTimeoutMs = 500, silenceTimeoutMs = 3_000 }: Deps) {
  const users = new Map<string, Set<ProxiedRequest>>();
  const revoked = new Map<string, number>();

  const doubtOf = (token: string, withinMs: number): Promise<Doubt | null> =>
    new Promise((done) => {
      const timer = setTimeout(() => done('unknown'), withinMs);
      Promise.resolve(resolve(token))
        // A session may stay valid only to report why it is refused.
        .then((session) => done(session !== null && !session.refusal ? null : 'ended'))
        .catch(() => done('unknown'))
        .finally(() => clearTimeout(timer));
    });

  /** Resolves each of their tokens once and aborts the requests whose session is not confirmed. */
  const check = async (some: Iterable<ProxiedRequest>, withinMs = checkTimeoutMs): Promise<void> => {
    const byToken = Map.groupBy(some, (x) => x.token);
    await Promise.all(
      [...byToken].map(async ([token, exchanges]) => {
        const doubt = await doubtOf(token, withinMs);
        if (doubt) for (const x of exchanges) x.end(doubt);
      }),
    );
  };

  const forget = (): void => {
    const old = Date.now() - rememberMs;
    for (const [userId, at] of revoked) if (at < old) revoked.delete(userId);
  };

  return {
    enter: (x: ProxiedRequest): (() => void) => {
      const { userId } = x.session;
      const mine = users.get(userId) ?? new Set();
      users.set(userId, mine.add(x));
      if ((revoked.get(userId) ?? -Infinity) >= x.receivedAt) void check([x]);
      return () => {
        if (mine.delete(x) && mine.size === 0) users.delete(userId);
      };
    },
    /** A session of a user has ended; with null, all of them. */
    revoked: async (userId: string, sessionId: string | null): Promise<void> => {
      forget();
      revoked.set(userId, Date.now());
      const mine = [...(users.get(userId) ?? [])];
      await check(mine.filter((x) => sessionId === null || x.session.sessionId === sessionId));
    },
    /** Checks all of them, while revocations cannot be received. */
    checkAll: (): Promise<void> =>
      check(
        [...users.values()].flatMap((mine) => [...mine]),
        silenceTimeoutMs,
      ),
    size: (): number => [...users.values()].reduce((sum, mine) => sum + mine.size, 0),
  };
}

export type InFlight = ReturnType<typeof createInFlight>;

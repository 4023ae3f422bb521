import type { ResolvedSession } from '@overtone/contracts';

/** What is known of a session: that it has ended, or nothing, because nobody answers. */
export type Doubt = 'ended' | 'unknown';

/** A request on its way to a service and back, for somebody. */
type Exchange = {
  session: Pick<ResolvedSession, 'userId' | 'sessionId'>;
  token: string;
  /** When the request came, in epoch milliseconds. */
  receivedAt: number;
  /** Cuts it off. */
  end: (why: Doubt) => void;
};
type Deps = {
  /** Who a token belongs to now. */
  resolve: (token: string) => Promise<ResolvedSession | null> | ResolvedSession;
  /** So long an answer is waited for, after word of an end, before nothing is known of the session. */
  patienceMs?: number;
  /** The same when there was no word at all, only silence: it is most likely that nothing has ended. */
  silencePatienceMs?: number;
};
/** Longer than it takes from a request's arrival until it is handed on. */
const rememberMs = 60_000;

/**
 * Requests that are under way: a download may run for an hour, and must end with its session. Word of an ended session
 * makes us ask anew rather than cut at once, because "all sessions of a user" does not mean the one begun just now.
 */
export const createInFlight = ({ resolve, patienceMs = 500, silencePatienceMs = 3_000 }: Deps) => {
  const users = new Map<string, Set<Exchange>>();
  const revoked = new Map<string, number>();

  const doubtOf = (token: string, withinMs: number): Promise<Doubt | null> =>
    new Promise((done) => {
      const timer = setTimeout(() => done('unknown'), withinMs);
      Promise.resolve(resolve(token))
        // A session may live on only to say why nothing is allowed to it any more.
        .then((session) => done(session !== null && !session.refusal ? null : 'ended'))
        .catch(() => done('unknown'))
        .finally(() => clearTimeout(timer));
    });

  /** Asks once for each token among them; what nobody vouches for goes no further. */
  const check = async (some: Iterable<Exchange>, withinMs = patienceMs): Promise<void> => {
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
    /** @returns what to call when the exchange is over. */
    enter: (x: Exchange): (() => void) => {
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
    /** Nobody would have told us. */
    checkAll: (): Promise<void> =>
      check(
        [...users.values()].flatMap((mine) => [...mine]),
        silencePatienceMs,
      ),
    size: (): number => [...users.values()].reduce((n, mine) => n + mine.size, 0),
  };
};
export type InFlight = ReturnType<typeof createInFlight>;

import type { ResolvedSession } from '@overtone/contracts';

/** Resolves the user of a token at identity; null: no user. */
export type AskIdentity = (accessToken: string) => Promise<ResolvedSession | null>;

export type SessionCache = {
  resolve: (accessToken: string) => Promise<ResolvedSession | null> | ResolvedSession;
  /** sessionId null: every session of the user. */
  drop: (userId: string, sessionId: string | null) => void;
  clear: () => void;
};

type Deps = {
  ask: AskIdentity;
  /** Whether news of ended sessions would reach us at this moment; while not, nothing is answered from memory. */
  isReceiving: () => boolean;
  maxAgeMs?: number;
  maxEntries?: number;
};
type Entry = { session: ResolvedSession; until: number };

/** Caches the users of tokens until the session ends, the token expires, or revocations cannot be received. */
export function createSessionCache({ ask, isReceiving, maxAgeMs = 30_000, maxEntries = 50_000 }: Deps): SessionCache {
  const known = new Map<string, Entry>();
  const asking = new Map<string, Promise<ResolvedSession | null>>();
  let epoch = 0;

  const askOnce = async (token: string): Promise<ResolvedSession | null> => {
    const begun = epoch;
    const session = await ask(token);
    if (!session || session.expiresAt <= Date.now()) return null;
    // A reply during which some session ended may be about that session: used once, not cached.
    if (begun === epoch && isReceiving()) {
      if (known.size >= maxEntries) known.delete(known.keys().next().value as string);
      known.set(token, { session, until: Math.min(session.expiresAt, Date.now() + maxAgeMs) });
    }
    return session;
  };

  return {
    resolve: (token) => {
      const hit = known.get(token);
      if (hit && isReceiving() && hit.until > Date.now()) return hit.session;
      if (hit) known.delete(token);
      const running = asking.get(token);
      if (running) return running;
      const question = askOnce(token).finally(() => asking.delete(token));
      asking.set(token, question);
      return question;
    },
    drop: (userId, sessionId) => {
      epoch += 1;
      asking.clear();
      for (const [token, { session }] of known)
        if (session.userId === userId && (sessionId === null || session.sessionId === sessionId)) known.delete(token);
    },
    clear: () => {
      epoch += 1;
      asking.clear();
      known.clear();
    },
  };
}

import type { PushMessage } from '@overtone/contracts';

export type StoredFact = { seq: number; message: PushMessage; at: number };

/**
 * The latest facts of each user, by stream sequence, for clients that reconnect. Complete after `floor`, or, for a user
 * with dropped facts, after the last dropped one.
 */
export function createReplay({ keepMs, maxPerUser }: { keepMs: number; maxPerUser: number }) {
  const kept = new Map<string, StoredFact[]>();
  const droppedUpTo = new Map<string, number>();
  let floor = 0;
  let last = 0;

  const drop = (ownerId: string, facts: StoredFact[], count: number): void => {
    const lastDropped = facts.splice(0, count).at(-1);
    if (lastDropped) droppedUpTo.set(ownerId, lastDropped.seq);
    if (facts.length === 0) kept.delete(ownerId);
  };

  return {
    /** Forgets all facts; the stream is known after this sequence. */
    reset: (from: number): void => {
      kept.clear();
      droppedUpTo.clear();
      floor = from;
      last = from;
    },
    /** Records the latest sequence of the stream, with or without a fact. */
    advanceTo: (seq: number): void => {
      last = Math.max(last, seq);
    },
    add: (ownerId: string, fact: StoredFact): void => {
      const facts = kept.get(ownerId) ?? [];
      if (facts.length === 0) kept.set(ownerId, facts);
      facts.push(fact);
      if (facts.length > maxPerUser) drop(ownerId, facts, facts.length - maxPerUser);
    },
    prune: (now: number): void => {
      for (const [ownerId, facts] of kept) {
        const fresh = facts.findIndex(({ at }) => at > now - keepMs);
        drop(ownerId, facts, fresh === -1 ? facts.length : fresh);
      }
    },
    last: (): number => last,
    /** The facts after `since`, up to `until`; null when they are not completely known: the client must resync. */
    missed: (ownerId: string, since: number, until: number): StoredFact[] | null => {
      if (since > last || since < Math.max(floor, droppedUpTo.get(ownerId) ?? 0)) return null;
      return (kept.get(ownerId) ?? []).filter(({ seq }) => seq > since && seq <= until);
    },
  };
}

export type Replay = ReturnType<typeof createReplay>;

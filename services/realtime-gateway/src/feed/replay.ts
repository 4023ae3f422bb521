import type { PushMessage } from '@overtone/contracts';

export type Kept = { seq: number; message: PushMessage; at: number };

/**
 * The latest facts of each user, by stream sequence, for those who come back. Complete from `floor` on; of a user of
 * whom something older was let go, complete from there on.
 */
export const createReplay = ({ keepMs, maxPerUser }: { keepMs: number; maxPerUser: number }) => {
  const kept = new Map<string, Kept[]>();
  const letGo = new Map<string, number>();
  let floor = 0;
  let last = 0;

  const drop = (ownerId: string, facts: Kept[], count: number): void => {
    const gone = facts.splice(0, count).at(-1);
    if (gone) letGo.set(ownerId, gone.seq);
    if (facts.length === 0) kept.delete(ownerId);
  };

  return {
    /** The stream before this sequence is not known here. */
    begin: (from: number): void => {
      kept.clear();
      letGo.clear();
      floor = from;
      last = from;
    },
    /** The stream has come this far, whatever it said. */
    reached: (seq: number): void => {
      last = Math.max(last, seq);
    },
    add: (ownerId: string, fact: Kept): void => {
      const facts = kept.get(ownerId) ?? [];
      if (facts.length === 0) kept.set(ownerId, facts);
      facts.push(fact);
      if (facts.length > maxPerUser) drop(ownerId, facts, facts.length - maxPerUser);
    },
    prune: (now: number): void => {
      for (const [ownerId, facts] of kept) {
        const fresh = facts.findIndex((f) => f.at > now - keepMs);
        drop(ownerId, facts, fresh === -1 ? facts.length : fresh);
      }
    },
    last: (): number => last,
    /** What a user has missed after `since`, up to `until`; null when that cannot be known: fetch everything anew. */
    missed: (ownerId: string, since: number, until: number): Kept[] | null => {
      if (since > last || since < Math.max(floor, letGo.get(ownerId) ?? 0)) return null;
      return (kept.get(ownerId) ?? []).filter((f) => f.seq > since && f.seq <= until);
    },
  };
};
export type Replay = ReturnType<typeof createReplay>;

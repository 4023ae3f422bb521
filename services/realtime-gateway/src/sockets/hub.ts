import type { Caller } from '@overtone/service-kit';
import type { Live } from '../feed/feed.ts';
import type { Replay } from '../feed/feed.ts';
import { outgoing, type Outgoing } from './frames.ts';
import { closing, paceOf, type Closing, type Member, type Sink } from './sockets.ts';

export type HubDeps = {
  replay: Pick<Replay, 'last' | 'missed'>;
  latestProgress: (userId: string) => Live[];
  maxPerUser: number;
  now?: () => number;
};
type Revoked = { sessionId: string | null; at: number };
/** Longer than an assertion lives, and than a look-up takes: a socket let in on old evidence meets its revocation. */
const rememberRevokedMs = 120_000;

/** Who is connected, and what each of them is told. Of which files a user hears is for others to say. */
export const createHub = ({ replay, latestProgress, maxPerUser, now = Date.now }: HubDeps) => {
  const users = new Map<string, Set<Member>>();
  const revoked = new Map<string, Revoked[]>();
  let count = 0;

  const drop = (member: Member, why: Closing): void => {
    leave(member);
    member.sink.close(why);
  };
  const leave = (member: Member): void => {
    const members = users.get(member.caller.userId);
    if (!members?.delete(member)) return;
    count -= 1;
    if (members.size === 0) users.delete(member.caller.userId);
  };
  const send = (member: Member, out: Outgoing): void => {
    if (paceOf(member.sink.buffered()) === 'none') drop(member, closing.tooSlow);
    else member.sink.send(out);
  };
  /** The facts after `since`, or the word that they are not known any more. */
  const replayTo = (member: Member, since: number): boolean => {
    const missed = replay.missed(member.caller.userId, since, member.joinedAt);
    if (missed === null) send(member, outgoing({ type: 'resync', data: { seq: replay.last() } }));
    else for (const { message } of missed) send(member, outgoing(message));
    return missed !== null;
  };
  const isRevoked = (caller: Caller, since: number): boolean =>
    (revoked.get(caller.userId) ?? []).some(
      (r) => r.at >= since && (r.sessionId === null || r.sessionId === caller.sessionId),
    );
  const everyone = function* (): Generator<Member> {
    for (const members of users.values()) yield* members;
  };

  return {
    /**
     * Lets a socket in and tells it what it missed, all in one turn, so that nothing is told twice or not at all.
     * @param knownAt when the caller's session was looked up.
     * @returns null when it was closed instead.
     */
    join: (caller: Caller, sink: Sink, since: number | undefined, knownAt: number): Member | null => {
      const members = users.get(caller.userId) ?? new Set<Member>();
      const refusal = isRevoked(caller, knownAt)
        ? closing.sessionRevoked
        : members.size >= maxPerUser
          ? closing.tooMany
          : null;
      if (refusal) {
        sink.close(refusal);
        return null;
      }
      const member: Member = { caller, knownAt, sink, joinedAt: replay.last(), held: new Map() };
      users.set(caller.userId, members.add(member));
      count += 1;
      const known = since !== undefined && replay.missed(caller.userId, since, member.joinedAt) !== null;
      const hello = { user_id: caller.userId, seq: member.joinedAt, resumed: known };
      send(member, outgoing({ type: 'connection_established', data: hello }));
      if (since !== undefined) replayTo(member, since);
      for (const live of latestProgress(caller.userId)) send(member, outgoing(live.message));
      return member;
    },
    leave,
    resume: (member: Member, since: number): void => void replayTo(member, since),
    /** A fresh token of the same user keeps the socket; somebody else's does not. */
    renew: (member: Member, caller: Caller, knownAt: number): void => {
      if (caller.userId !== member.caller.userId) return drop(member, closing.tokenRefused);
      if (isRevoked(caller, knownAt)) return drop(member, closing.sessionRevoked);
      member.caller = caller;
      member.knownAt = knownAt;
    },
    tell: (userId: string, out: Outgoing): void => {
      for (const member of users.get(userId) ?? []) send(member, out);
    },
    progress: ({ ownerId, fileId, message }: Live, userId = ownerId): void => {
      const members = users.get(userId);
      if (!members) return;
      const out = outgoing(message);
      for (const member of members) {
        if (paceOf(member.sink.buffered()) === 'all') {
          member.held.delete(fileId);
          member.sink.send(out);
        } else member.held.set(fileId, out);
      }
    },
    /** A session, or with null every session of a user that was opened before, has ended. */
    revoke: (userId: string, sessionId: string | null, at: number): void => {
      revoked.set(userId, [...(revoked.get(userId) ?? []), { sessionId, at }]);
      for (const member of users.get(userId) ?? [])
        if (sessionId === null ? member.knownAt <= at : member.caller.sessionId === sessionId)
          drop(member, closing.sessionRevoked);
    },
    /** What somebody may see has changed in more than one place: they fetch everything anew. */
    resync: (userId: string): void => {
      const out = outgoing({ type: 'resync', data: { seq: replay.last() } });
      for (const member of users.get(userId) ?? []) send(member, out);
    },
    /** Everybody fetches everything anew. */
    resyncAll: (): void => {
      const out = outgoing({ type: 'resync', data: { seq: replay.last() } });
      for (const member of everyone()) send(member, out);
    },
    /** Ends sockets whose token is over, and tells slow ones that caught up the latest progress. */
    sweep: (): void => {
      const time = now();
      for (const member of everyone()) {
        if (member.caller.tokenExpiresAt <= time) drop(member, closing.tokenExpired);
        else if (member.held.size > 0 && paceOf(member.sink.buffered()) === 'all') {
          for (const out of member.held.values()) member.sink.send(out);
          member.held.clear();
        }
      }
      for (const [userId, list] of revoked) {
        const fresh = list.filter((r) => time - r.at < rememberRevokedMs);
        if (fresh.length > 0) revoked.set(userId, fresh);
        else revoked.delete(userId);
      }
    },
    closeAll: (): void => {
      for (const member of everyone()) drop(member, closing.restarting);
    },
    count: (): number => count,
  };
};
export type Hub = ReturnType<typeof createHub>;

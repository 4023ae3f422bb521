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
/** Longer than the lifetime of an assertion and a session lookup, so that a socket based on either sees its revocation. */
const revocationRetentionMs = 120_000;

/** Tracks connected sockets by user and sends messages to them. The caller decides which users receive a message. */
export function createHub({ replay, latestProgress, maxPerUser, now = Date.now }: HubDeps) {
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
  /** Sends the facts after `since`, or `resync` when they are no longer known. */
  const replayTo = (member: Member, since: number): boolean => {
    const missed = replay.missed(member.caller.userId, since, member.joinedAtSeq);
    if (missed === null) send(member, outgoing({ type: 'resync', data: { seq: replay.last() } }));
    else for (const { message } of missed) send(member, outgoing(message));
    return missed !== null;
  };
  const isRevoked = (caller: Caller, since: number): boolean =>
    (revoked.get(caller.userId) ?? []).some(
      (r) => r.at >= since && (r.sessionId === null || r.sessionId === caller.sessionId),
    );
  const allMembers = function* (): Generator<Member> {
    for (const members of users.values()) yield* members;
  };

  return {
    /**
     * Adds a socket and sends what it missed, all synchronously, so that no message is sent twice or lost.
     * @param knownAt when the caller's session was looked up.
     * @returns null when the socket was refused and closed.
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
      const member: Member = { caller, knownAt, sink, joinedAtSeq: replay.last(), delayedProgress: new Map() };
      users.set(caller.userId, members.add(member));
      count += 1;
      const known = since !== undefined && replay.missed(caller.userId, since, member.joinedAtSeq) !== null;
      const hello = { user_id: caller.userId, seq: member.joinedAtSeq, resumed: known };
      send(member, outgoing({ type: 'connection_established', data: hello }));
      if (since !== undefined) replayTo(member, since);
      for (const live of latestProgress(caller.userId)) send(member, outgoing(live.message));
      return member;
    },
    leave,
    resume: (member: Member, since: number): void => void replayTo(member, since),
    /** A new token of the same user extends the socket; another user's token closes it. */
    renew: (member: Member, caller: Caller, knownAt: number): void => {
      if (caller.userId !== member.caller.userId) return drop(member, closing.tokenRefused);
      if (isRevoked(caller, knownAt)) return drop(member, closing.sessionRevoked);
      member.caller = caller;
      member.knownAt = knownAt;
    },
    notify: (userId: string, out: Outgoing): void => {
      for (const member of users.get(userId) ?? []) send(member, out);
    },
    progress: ({ ownerId, fileId, message }: Live, userId = ownerId): void => {
      const members = users.get(userId);
      if (!members) return;
      const out = outgoing(message);
      for (const member of members) {
        if (paceOf(member.sink.buffered()) === 'all') {
          member.delayedProgress.delete(fileId);
          member.sink.send(out);
        } else member.delayedProgress.set(fileId, out);
      }
    },
    /** Closes the sockets of a session, or with null of all the user's sessions that started before. */
    revoke: (userId: string, sessionId: string | null, at: number): void => {
      revoked.set(userId, [...(revoked.get(userId) ?? []), { sessionId, at }]);
      for (const member of users.get(userId) ?? [])
        if (sessionId === null ? member.knownAt <= at : member.caller.sessionId === sessionId)
          drop(member, closing.sessionRevoked);
    },
    /** The user's access has changed for several files: the clients reload everything. */
    resync: (userId: string): void => {
      const out = outgoing({ type: 'resync', data: { seq: replay.last() } });
      for (const member of users.get(userId) ?? []) send(member, out);
    },
    /** All clients reload everything. */
    resyncAll: (): void => {
      const out = outgoing({ type: 'resync', data: { seq: replay.last() } });
      for (const member of allMembers()) send(member, out);
    },
    /** Closes sockets with an expired token, and sends delayed progress to slow sockets that caught up. */
    cleanUp: (): void => {
      const time = now();
      for (const member of allMembers()) {
        if (member.caller.tokenExpiresAt <= time) drop(member, closing.tokenExpired);
        else if (member.delayedProgress.size > 0 && paceOf(member.sink.buffered()) === 'all') {
          for (const out of member.delayedProgress.values()) member.sink.send(out);
          member.delayedProgress.clear();
        }
      }
      for (const [userId, list] of revoked) {
        const fresh = list.filter((r) => time - r.at < revocationRetentionMs);
        if (fresh.length > 0) revoked.set(userId, fresh);
        else revoked.delete(userId);
      }
    },
    closeAll: (): void => {
      for (const member of allMembers()) drop(member, closing.restarting);
    },
    count: (): number => count,
  };
}

export type Hub = ReturnType<typeof createHub>;

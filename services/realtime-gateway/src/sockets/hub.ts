import type { PushMessage } from '@overtone/contracts';
import type { Caller } from '@overtone/service-kit';
import type { Live, Replay } from '../feed/feed.ts';
import { outgoing, type Outgoing } from './frames.ts';
import { closing, paceOf, type Closing, type Member, type Sink } from './sockets.ts';

export type HubDeps = {
  replay: Pick<Replay, 'last' | 'missed'>;
  latestProgress: (userId: string) => Live[];
  maxPerUser: number;
  now?: () => number;
};
export type Hub = ReturnType<typeof createHub>;

/** Tracks connected sockets by user and sends messages to them. The caller decides which users receive a message. */
export function createHub({ replay, latestProgress, maxPerUser, now = Date.now }: HubDeps) {
  const members = createMembers();
  const revocations = createRevocations();
  const resync = (): Outgoing => outgoing({ type: 'resync', data: { seq: replay.last() } });
  return {
    ...createEntry({ members, revocations, replay, latestProgress, maxPerUser, resync }),
    leave: members.leave,
    count: members.count,
    notify: (userIds: Iterable<string>, message: PushMessage): void => {
      const out = outgoing(message);
      for (const userId of userIds) for (const member of members.of(userId)) members.send(member, out);
    },
    progress: (userIds: Iterable<string>, { fileId, message }: Live): void => {
      let out: Outgoing | undefined;
      for (const userId of userIds)
        for (const member of members.of(userId)) sendProgress(member, fileId, (out ??= outgoing(message)));
    },
    /** Closes the sockets of a session, or with null of all the user's sessions that started before. */
    revoke: (userId: string, sessionId: string | null, at: number): void => {
      revocations.add(userId, { sessionId, at });
      for (const member of members.of(userId))
        if (sessionId === null ? member.knownAt <= at : member.caller.sessionId === sessionId)
          members.drop(member, closing.sessionRevoked);
    },
    /** The user's access has changed for several files: the clients reload everything. */
    resync: (userId: string): void => {
      const out = resync();
      for (const member of members.of(userId)) members.send(member, out);
    },
    /** All clients reload everything. */
    resyncAll: (): void => {
      const out = resync();
      for (const member of members.all()) members.send(member, out);
    },
    /** Closes sockets with an expired token, and sends delayed progress to slow sockets that caught up. */
    cleanUp: (): void => {
      const time = now();
      for (const member of members.all()) {
        if (member.caller.tokenExpiresAt <= time) members.drop(member, closing.tokenExpired);
        else sendDelayedProgress(member);
      }
      revocations.prune(time);
    },
    closeAll: (): void => {
      for (const member of members.all()) members.drop(member, closing.restarting);
    },
  };
}

type EntryDeps = Required<Omit<HubDeps, 'now'>> & {
  members: Members;
  revocations: Revocations;
  resync: () => Outgoing;
};

/** How a socket joins: greeted, with the messages that it missed. */
function createEntry({ members, revocations, replay, latestProgress, maxPerUser, resync }: EntryDeps) {
  /** Sends the facts after `since`, or `resync` when they are no longer known. */
  const resume = (member: Member, since: number): void => {
    const missed = replay.missed(member.caller.userId, since, member.joinedAtSeq);
    if (missed === null) members.send(member, resync());
    else for (const { message } of missed) members.send(member, outgoing(message));
  };
  const refusalOf = (caller: Caller, knownAt: number): Closing | null => {
    if (revocations.includes(caller, knownAt)) return closing.sessionRevoked;
    return members.of(caller.userId).size >= maxPerUser ? closing.tooMany : null;
  };
  return {
    resume,
    /**
     * Adds a socket and sends what it missed, all synchronously, so that no message is sent twice or lost.
     * @param knownAt when the caller's session was looked up.
     * @returns null when the socket was refused and closed.
     */
    join: (caller: Caller, sink: Sink, since: number | undefined, knownAt: number): Member | null => {
      const refusal = refusalOf(caller, knownAt);
      if (refusal) {
        sink.close(refusal);
        return null;
      }
      const { userId } = caller;
      const member: Member = { caller, knownAt, sink, joinedAtSeq: replay.last(), delayedProgress: new Map() };
      members.add(member);
      const resumed = since !== undefined && replay.missed(userId, since, member.joinedAtSeq) !== null;
      const hello = { user_id: userId, seq: member.joinedAtSeq, resumed };
      members.send(member, outgoing({ type: 'connection_established', data: hello }));
      if (since !== undefined) resume(member, since);
      for (const live of latestProgress(userId)) members.send(member, outgoing(live.message));
      return member;
    },
    /** A new token of the same user extends the socket; another user's token closes it. */
    renew: (member: Member, caller: Caller, knownAt: number): void => {
      if (caller.userId !== member.caller.userId) return members.drop(member, closing.tokenRefused);
      if (revocations.includes(caller, knownAt)) return members.drop(member, closing.sessionRevoked);
      Object.assign(member, { caller, knownAt });
    },
  };
}

type Members = ReturnType<typeof createMembers>;
const none: ReadonlySet<Member> = new Set();

/** The connected sockets by user. */
function createMembers() {
  const users = new Map<string, Set<Member>>();
  let count = 0;
  const leave = (member: Member): void => {
    const { userId } = member.caller;
    const members = users.get(userId);
    if (!members?.delete(member)) return;
    count -= 1;
    if (members.size === 0) users.delete(userId);
  };
  const drop = (member: Member, why: Closing): void => {
    leave(member);
    member.sink.close(why);
  };
  return {
    of: (userId: string): ReadonlySet<Member> => users.get(userId) ?? none,
    all: function* (): Generator<Member> {
      for (const members of users.values()) yield* members;
    },
    add: (member: Member): void => {
      const { userId } = member.caller;
      users.set(userId, (users.get(userId) ?? new Set<Member>()).add(member));
      count += 1;
    },
    leave,
    drop,
    send: (member: Member, out: Outgoing): void => {
      if (paceOf(member.sink.buffered()) === 'none') drop(member, closing.tooSlow);
      else member.sink.send(out);
    },
    count: (): number => count,
  };
}

/** Progress waits while a socket is slow; the latest of each file is kept. */
function sendProgress({ delayedProgress, sink }: Member, fileId: string, out: Outgoing): void {
  if (paceOf(sink.buffered()) === 'all') {
    delayedProgress.delete(fileId);
    sink.send(out);
  } else delayedProgress.set(fileId, out);
}

function sendDelayedProgress({ delayedProgress, sink }: Member): void {
  if (delayedProgress.size === 0 || paceOf(sink.buffered()) !== 'all') return;
  for (const out of delayedProgress.values()) sink.send(out);
  delayedProgress.clear();
}

type Revocation = { sessionId: string | null; at: number };
type Revocations = ReturnType<typeof createRevocations>;
/** Longer than the lifetime of an assertion and a session lookup, so that a socket based on either sees its revocation. */
const revocationRetentionMs = 120_000;

/** The latest revoked sessions by user. */
function createRevocations() {
  const users = new Map<string, Revocation[]>();
  return {
    add: (userId: string, revocation: Revocation): void =>
      void users.set(userId, [...(users.get(userId) ?? []), revocation]),
    /** Whether the caller's session was revoked at this time or later. */
    includes: ({ userId, sessionId: own }: Caller, since: number): boolean =>
      (users.get(userId) ?? []).some(({ sessionId, at }) => at >= since && (sessionId === null || sessionId === own)),
    prune: (time: number): void => {
      for (const [userId, list] of users) {
        const recent = list.filter(({ at }) => time - at < revocationRetentionMs);
        if (recent.length > 0) users.set(userId, recent);
        else users.delete(userId);
      }
    },
  };
}

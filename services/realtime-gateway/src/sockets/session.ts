import { clientFrame } from '@overtone/contracts';
import type { Caller } from '@overtone/service-kit';
import type { Hub } from './hub.ts';
import { outgoing } from './frames.ts';
import { closing, type Member, type Sink } from './sockets.ts';

export type SessionDeps = {
  hub: Hub;
  /** Who holds this access token; null: nobody may come in with it. */
  resolve: (accessToken: string) => Promise<Caller | null>;
  authenticateWithinMs: number;
  /** Sockets that may be waiting for their token at once. */
  maxUnauthenticated: number;
};
/** What is known of a socket when it opens. */
export type Opening = { caller: Caller | null; since: number | undefined; knownAt: number };

/**
 * The conversation on one socket, the same for both protocols: who is there, then questions in any order. The first
 * word of a socket without a cookie is its token.
 */
export const createConversations = (d: SessionDeps) => {
  let strangers = 0;
  return (sink: Sink, opening: Opening): Conversation => {
    if (opening.caller === null && strangers >= d.maxUnauthenticated) {
      sink.close(closing.tooMany);
      return mute;
    }
    strangers += 1;
    return converse(d, sink, opening, () => {
      strangers -= 1;
    });
  };
};
export type Conversations = ReturnType<typeof createConversations>;
export type Conversation = {
  frame: (raw: unknown) => Promise<void>;
  end: () => void;
  authenticated: () => boolean;
};
const mute: Conversation = { frame: async () => {}, end: () => {}, authenticated: () => false };

/** `settled` is called once, when the socket is known or gone. */
const converse = (d: SessionDeps, sink: Sink, opening: Opening, settled: () => void): Conversation => {
  let member: Member | null = null;
  let over = false;
  let unsettled = true;
  const settle = () => {
    if (unsettled) settled();
    unsettled = false;
  };
  const flood = createFloodGate();
  const close: Sink['close'] = (why) => {
    end();
    sink.close(why);
  };
  const guarded: Sink = { ...sink, close };
  const timer = setTimeout(() => close(closing.notAuthenticated), d.authenticateWithinMs);
  const end = () => {
    over = true;
    clearTimeout(timer);
    settle();
    if (member) d.hub.leave(member);
  };
  const enter = (caller: Caller, since: number | undefined, knownAt: number) => {
    clearTimeout(timer);
    settle();
    member = d.hub.join(caller, guarded, since, knownAt);
  };

  const authenticate = async (token: string, since: number | undefined): Promise<void> => {
    const knownAt = Date.now();
    const caller = await d.resolve(token).catch(() => 'unknown' as const);
    if (over) return;
    if (caller === 'unknown') return close(closing.identityDown);
    if (caller === null) return close(closing.tokenRefused);
    if (member) d.hub.renew(member, caller, knownAt);
    else enter(caller, since, knownAt);
  };

  if (opening.caller) enter(opening.caller, opening.since, opening.knownAt);

  return {
    frame: async (raw: unknown): Promise<void> => {
      if (over) return;
      if (flood(Date.now())) return close(closing.flood);
      const frame = clientFrame.safeParse(raw);
      if (!frame.success) return close(closing.badFrame);
      if (frame.data.type === 'authenticate') return authenticate(frame.data.token, frame.data.since);
      if (!member) return close(closing.badFrame);
      if (frame.data.type === 'resume') d.hub.resume(member, frame.data.since);
      else sink.send(outgoing({ type: 'pong', data: {} }));
    },
    end,
    authenticated: (): boolean => member !== null,
  };
};

const framesPerWindow = 60;
const windowMs = 10_000;
/** A page says a few words a minute; a flood would only cost others. */
const createFloodGate = () => {
  let from = 0;
  let count = 0;
  return (now: number): boolean => {
    if (now - from >= windowMs) {
      from = now;
      count = 0;
    }
    count += 1;
    return count > framesPerWindow;
  };
};

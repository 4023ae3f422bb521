import { clientFrame } from '@overtone/contracts';
import type { Caller } from '@overtone/service-kit';
import type { Hub } from './hub.ts';
import { outgoing } from './frames.ts';
import { closing, type Member, type Sink } from './sockets.ts';

export type SessionDeps = {
  hub: Hub;
  /** The owner of this access token; null when it is not valid. */
  resolve: (accessToken: string) => Promise<Caller | null>;
  authenticateWithinMs: number;
  /** Maximum number of unauthenticated sockets. */
  maxUnauthenticated: number;
};
/** Parameters of a socket from its opening request. */
export type Opening = { caller: Caller | null; since: number | undefined; knownAt: number };

/**
 * The conversation on one socket, the same for both protocols: authentication, then requests in any order. The first
 * frame of a socket without a cookie must carry its token.
 */
export function createConversations(deps: SessionDeps) {
  let unauthenticated = 0;
  return (sink: Sink, opening: Opening): Conversation => {
    if (opening.caller === null && unauthenticated >= deps.maxUnauthenticated) {
      sink.close(closing.tooMany);
      return closedConversation;
    }
    unauthenticated += 1;
    return createConversation(deps, sink, opening, () => {
      unauthenticated -= 1;
    });
  };
}

export type Conversations = ReturnType<typeof createConversations>;
export type Conversation = {
  frame: (raw: unknown) => Promise<void>;
  end: () => void;
  authenticated: () => boolean;
};
const closedConversation: Conversation = { frame: async () => {}, end: () => {}, authenticated: () => false };

/** `onSettled` is called once, when the socket is authenticated or closed. */
function createConversation(
  { authenticateWithinMs, hub, resolve }: SessionDeps,
  sink: Sink,
  opening: Opening,
  onSettled: () => void,
): Conversation {
  let member: Member | null = null;
  let ended = false;
  let unsettled = true;
  const settle = () => {
    if (unsettled) onSettled();
    unsettled = false;
  };
  const exceedsFrameLimit = createFrameLimit();
  const close: Sink['close'] = (why) => {
    end();
    sink.close(why);
  };
  const guarded: Sink = { ...sink, close };
  const timer = setTimeout(() => close(closing.notAuthenticated), authenticateWithinMs);
  const end = () => {
    ended = true;
    clearTimeout(timer);
    settle();
    if (member) hub.leave(member);
  };
  const join = (caller: Caller, since: number | undefined, knownAt: number) => {
    clearTimeout(timer);
    settle();
    member = hub.join(caller, guarded, since, knownAt);
  };

  const authenticate = async (token: string, since: number | undefined): Promise<void> => {
    const knownAt = Date.now();
    const caller = await resolve(token).catch(() => 'unknown' as const);
    if (ended) return;
    if (caller === 'unknown') return close(closing.identityDown);
    if (caller === null) return close(closing.tokenRefused);
    if (member) hub.renew(member, caller, knownAt);
    else join(caller, since, knownAt);
  };

  if (opening.caller) join(opening.caller, opening.since, opening.knownAt);

  return {
    frame: async (raw: unknown): Promise<void> => {
      if (ended) return;
      if (exceedsFrameLimit(Date.now())) return close(closing.flood);
      const frame = clientFrame.safeParse(raw);
      if (!frame.success) return close(closing.badFrame);
      if (frame.data.type === 'authenticate') return authenticate(frame.data.token, frame.data.since);
      if (!member) return close(closing.badFrame);
      if (frame.data.type === 'resume') hub.resume(member, frame.data.since);
      else sink.send(outgoing({ type: 'pong', data: {} }));
    },
    end,
    authenticated: (): boolean => member !== null,
  };
}

const maxFramesPerWindow = 60;
const windowMs = 10_000;
/** Limits the frame rate of one socket. The product's UI sends a few frames a minute. */
function createFrameLimit() {
  let from = 0;
  let count = 0;
  return (now: number): boolean => {
    if (now - from >= windowMs) {
      from = now;
      count = 0;
    }
    count += 1;
    return count > maxFramesPerWindow;
  };
}

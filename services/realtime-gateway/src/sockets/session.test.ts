import { afterEach, beforeEach, describe, expect, jest, it } from '@jest/globals';
import type { Caller } from '@overtone/service-kit';
import { createReplay } from '../feed/replay.ts';
import { createHub } from './hub.ts';
import { createConversations } from './session.ts';
import type { Sink } from './sockets.ts';

const user: Caller = { userId: 'u', sessionId: 's', role: 'user', tokenExpiresAt: Number.MAX_SAFE_INTEGER };

type Resolve = (token: string) => Promise<Caller | null>;
const replay = createReplay({ keepMs: 1_000, maxPerUser: 10 });

function createFixture(resolve: Resolve) {
  const hub = createHub({ replay, latestProgress: () => [], maxPerUser: 5 });
  return {
    hub,
    startConversation: createConversations({ hub, resolve, authenticateWithinMs: 10_000, maxUnauthenticated: 2 }),
  };
}

function open(caller: Caller | null, resolve: Resolve, fixture = createFixture(resolve)) {
  const state = { received: [] as string[], closed: undefined as number | undefined };
  const sink: Sink = {
    send: ({ message }) => void state.received.push(message.type),
    buffered: () => 0,
    close: ({ code }) => {
      state.closed = code;
    },
  };
  const conversation = fixture.startConversation(sink, { caller, since: undefined, knownAt: 0 });
  return Object.assign(state, { conversation, hub: fixture.hub });
}

describe('socket conversation', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('greets a socket with a cookie immediately', () => {
    expect(open(user, async () => null).received).toEqual(['connection_established']);
  });
  it('greets a socket without a cookie after its token was accepted', async () => {
    const socket = open(null, async () => user);
    expect(socket.received).toEqual([]);
    await socket.conversation.frame({ type: 'authenticate', token: 't' });
    expect(socket.received).toEqual(['connection_established']);
  });
  it('closes a socket that sends nothing for ten seconds with 4001', () => {
    const socket = open(null, async () => user);
    jest.advanceTimersByTime(10_000);
    expect(socket.closed).toBe(4001);
  });
  it('closes a socket with an invalid token with 4003', async () => {
    const socket = open(null, async () => null);
    await socket.conversation.frame({ type: 'authenticate', token: 't' });
    expect(socket.closed).toBe(4003);
  });
  it.each([[undefined], [{ type: 'dance' }], [{ type: 'authenticate' }], ['text'], [{ type: 'ping' }]])(
    'closes a socket whose first frame is %j with 4002',
    async (frame) => {
      const socket = open(null, async () => user);
      await socket.conversation.frame(frame);
      expect(socket.closed).toBe(4002);
    },
  );
  it('closes the socket with 1013 while tokens cannot be resolved', async () => {
    const socket = open(null, async () => Promise.reject(new Error('identity is down')));
    await socket.conversation.frame({ type: 'authenticate', token: 't' });
    expect(socket.closed).toBe(1013);
  });
  it('does not add a socket that closed during its token lookup', async () => {
    const socket = open(null, async () => user);
    const frame = socket.conversation.frame({ type: 'authenticate', token: 't' });
    socket.conversation.end();
    await frame;
    expect(socket.hub.count()).toBe(0);
  });
  it('answers a ping with a pong', async () => {
    const socket = open(user, async () => null);
    await socket.conversation.frame({ type: 'ping' });
    expect(socket.received).toEqual(['connection_established', 'pong']);
  });
  it('refuses a socket while too many are unauthenticated, and accepts it when their number has dropped', async () => {
    const fixture = createFixture(async () => user);
    const [one, two] = [open(null, async () => user, fixture), open(null, async () => user, fixture)];
    expect(open(null, async () => user, fixture).closed).toBe(1013);
    expect(open(user, async () => user, fixture).closed).toBeUndefined();
    one.conversation.end();
    await two.conversation.frame({ type: 'authenticate', token: 't' });
    expect(open(null, async () => user, fixture).closed).toBeUndefined();
  });
  it('closes a socket that sends too many frames', async () => {
    const socket = open(user, async () => null);
    for (let i = 0; i < 61; i += 1) await socket.conversation.frame({ type: 'ping' });
    expect(socket.closed).toBe(4002);
  });
  it('removes the socket from the hub when it ends', () => {
    const socket = open(user, async () => null);
    expect(socket.hub.count()).toBe(1);
    socket.conversation.end();
    expect(socket.hub.count()).toBe(0);
  });
});

import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Caller } from '@overtone/service-kit';
import { createReplay } from '../feed/replay.ts';
import { createHub } from './hub.ts';
import { createConversations } from './session.ts';
import type { Sink } from './sockets.ts';

const user: Caller = { userId: 'u', sessionId: 's', role: 'user', tokenExpiresAt: Number.MAX_SAFE_INTEGER };

type Resolve = (token: string) => Promise<Caller | null>;
const replay = createReplay({ keepMs: 1_000, maxPerUser: 10 });
const worldOf = (resolve: Resolve) => {
  const hub = createHub({ replay, latestProgress: () => [], maxPerUser: 5 });
  return { hub, converse: createConversations({ hub, resolve, authenticateWithinMs: 10_000, maxUnauthenticated: 2 }) };
};
const open = (caller: Caller | null, resolve: Resolve, world = worldOf(resolve)) => {
  const seen = { told: [] as string[], closed: undefined as number | undefined };
  const sink: Sink = {
    send: ({ message }) => void seen.told.push(message.type),
    buffered: () => 0,
    close: ({ code }) => {
      seen.closed = code;
    },
  };
  const talk = world.converse(sink, { caller, since: undefined, knownAt: 0 });
  return Object.assign(seen, { talk, hub: world.hub });
};

describe('a socket', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  test('with a cookie is greeted at once', () => {
    expect(open(user, async () => null).told).toEqual(['connection_established']);
  });
  test('without a cookie is greeted after its token was accepted', async () => {
    const s = open(null, async () => user);
    expect(s.told).toEqual([]);
    await s.talk.frame({ type: 'authenticate', token: 't' });
    expect(s.told).toEqual(['connection_established']);
  });
  test('that says nothing for ten seconds is closed with 4001', () => {
    const s = open(null, async () => user);
    jest.advanceTimersByTime(10_000);
    expect(s.closed).toBe(4001);
  });
  test('with a token that is not good is closed with 4003', async () => {
    const s = open(null, async () => null);
    await s.talk.frame({ type: 'authenticate', token: 't' });
    expect(s.closed).toBe(4003);
  });
  test.each([[undefined], [{ type: 'dance' }], [{ type: 'authenticate' }], ['text'], [{ type: 'ping' }]])(
    'that begins with %j is closed with 4002',
    async (frame) => {
      const s = open(null, async () => user);
      await s.talk.frame(frame);
      expect(s.closed).toBe(4002);
    },
  );
  test('is told to come back later while tokens cannot be looked up', async () => {
    const s = open(null, async () => Promise.reject(new Error('identity is down')));
    await s.talk.frame({ type: 'authenticate', token: 't' });
    expect(s.closed).toBe(1013);
  });
  test('that left while its token was looked up is not let in', async () => {
    const s = open(null, async () => user);
    const frame = s.talk.frame({ type: 'authenticate', token: 't' });
    s.talk.end();
    await frame;
    expect(s.hub.count()).toBe(0);
  });
  test('is answered when it asks whether we are there', async () => {
    const s = open(user, async () => null);
    await s.talk.frame({ type: 'ping' });
    expect(s.told).toEqual(['connection_established', 'pong']);
  });
  test('is refused while too many others say nothing, and let in when they have gone', async () => {
    const world = worldOf(async () => user);
    const [one, two] = [open(null, async () => user, world), open(null, async () => user, world)];
    expect(open(null, async () => user, world).closed).toBe(1013);
    expect(open(user, async () => user, world).closed).toBeUndefined();
    one.talk.end();
    await two.talk.frame({ type: 'authenticate', token: 't' });
    expect(open(null, async () => user, world).closed).toBeUndefined();
  });
  test('that floods us with frames is closed', async () => {
    const s = open(user, async () => null);
    for (let i = 0; i < 61; i += 1) await s.talk.frame({ type: 'ping' });
    expect(s.closed).toBe(4002);
  });
  test('leaves the hub when it ends', () => {
    const s = open(user, async () => null);
    expect(s.hub.count()).toBe(1);
    s.talk.end();
    expect(s.hub.count()).toBe(0);
  });
});

import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Caller } from '@overtone/service-kit';
import type { Live } from '../feed/progress.ts';
import { createReplay } from '../feed/replay.ts';
import { createHub, type Hub } from './hub.ts';
import { outgoing } from './frames.ts';
import { closing, lostBytes, paceOf, sameOrigin, slowBytes, type Sink } from './sockets.ts';

const caller = (userId: string, sessionId = 's', tokenExpiresAt = 1_000): Caller => ({
  userId,
  sessionId,
  role: 'user',
  tokenExpiresAt,
});
const socket = () => {
  const told: string[] = [];
  const state = { told, buffered: 0, closed: undefined as number | undefined };
  const sink: Sink = {
    send: ({ message }) => void told.push(message.type),
    buffered: () => state.buffered,
    close: ({ code }) => {
      state.closed = code;
    },
  };
  return Object.assign(state, { sink });
};
const deleted = (seq: number) => outgoing({ type: 'file_deleted', seq, data: { file_id: 'f' } });
const live = (ownerId: string): Live => ({
  fileId: 'f',
  ownerId,
  message: {
    type: 'transcription_status',
    data: { file_id: 'f', stage: 'prepare', progress: 1, message: '', eta_seconds: null },
  },
});

describe('a hub', () => {
  let now = 0;
  let hub: Hub;
  let latest: Live[];
  const replay = createReplay({ keepMs: 1_000, maxPerUser: 10 });
  beforeEach(() => {
    now = 0;
    latest = [];
    replay.begin(0);
    hub = createHub({ replay, latestProgress: () => latest, maxPerUser: 2, now: () => now });
  });
  const join = (userId: string, sessionId?: string, since?: number, knownAt = 0) => {
    const s = socket();
    return Object.assign(s, { member: hub.join(caller(userId, sessionId), s.sink, since, knownAt) });
  };

  test('tells a user of own files only', () => {
    const [a, b] = [join('a'), join('b')];
    hub.tell('a', deleted(1));
    expect(a.told).toEqual(['connection_established', 'file_deleted']);
    expect(b.told).toEqual(['connection_established']);
  });
  test('greets first, then what was missed, then the running progress', () => {
    replay.reached(1);
    replay.add('a', { seq: 1, message: deleted(1).message, at: 0 });
    latest = [live('a')];
    expect(join('a', 's', 0).told).toEqual(['connection_established', 'file_deleted', 'transcription_status']);
  });
  test('says resync when it does not know what was missed', () => {
    expect(join('a', 's', 5).told).toEqual(['connection_established', 'resync']);
  });
  test('holds progress back from a slow socket, never facts, and tells the latest when it caught up', () => {
    const a = join('a');
    a.buffered = slowBytes;
    hub.progress(live('a'));
    hub.progress(live('a'));
    hub.tell('a', deleted(1));
    expect(a.told).toEqual(['connection_established', 'file_deleted']);
    a.buffered = 0;
    hub.sweep();
    expect(a.told.slice(2)).toEqual(['transcription_status']);
  });
  test('gives up a socket that is far behind', () => {
    const a = join('a');
    a.buffered = lostBytes;
    hub.tell('a', deleted(1));
    expect(a.closed).toBe(closing.tooSlow.code);
    expect(hub.count()).toBe(0);
  });
  test('closes the sockets of a revoked session, and only those', () => {
    const [one, two] = [join('a', 's1'), join('a', 's2')];
    hub.revoke('a', 's1', 10);
    expect([one.closed, two.closed]).toEqual([4004, undefined]);
  });
  test('closes every socket of a user whose sessions all ended', () => {
    const [one, two] = [join('a', 's1'), join('a', 's2')];
    hub.revoke('a', null, 10);
    expect([one.closed, two.closed]).toEqual([4004, 4004]);
  });
  test('an old revocation that is told again leaves later sessions alone', () => {
    const [before, later] = [join('a', 's1', undefined, 5), join('a', 's2', undefined, 20)];
    hub.revoke('a', null, 10);
    expect([before.closed, later.closed]).toEqual([4004, undefined]);
  });
  test('refuses a session that was revoked after it was looked up, and lets a later one in', () => {
    hub.revoke('a', null, 10);
    expect(join('a', 's1', undefined, 9).closed).toBe(4004);
    expect(join('a', 's2', undefined, 11).closed).toBeUndefined();
  });
  test('ends a socket when its access token ends, unless the user brought a new one', () => {
    const [one, two] = [join('a'), join('a')];
    if (!two.member) throw new Error('not in');
    hub.renew(two.member, caller('a', 's', 5_000), 500);
    now = 1_000;
    hub.sweep();
    expect([one.closed, two.closed]).toEqual([4001, undefined]);
  });
  test("does not let a socket pass to somebody else's token", () => {
    const a = join('a');
    if (!a.member) throw new Error('not in');
    hub.renew(a.member, caller('b'), 0);
    expect(a.closed).toBe(4003);
  });
  test('takes no more sockets of one user than it may', () => {
    join('a');
    join('a');
    expect(join('a').closed).toBe(1013);
    expect(join('b').closed).toBeUndefined();
  });
});

test('a socket gets everything, then facts only, then is given up', () => {
  expect([0, slowBytes, lostBytes].map(paceOf)).toEqual(['all', 'facts', 'none']);
});

test.each([
  [undefined, 'host:8080', true],
  ['http://host:8080', 'host:8080', true],
  ['http://evil.example', 'host:8080', false],
  ['http://host:9090', 'host:8080', false],
  ['null', 'host:8080', false],
])('a page of %s may open a socket at %s: %s', (origin, host, allowed) => {
  expect(sameOrigin(origin, host)).toBe(allowed);
});

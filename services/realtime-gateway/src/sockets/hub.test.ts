import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Caller } from '@overtone/service-kit';
import type { Live } from '../feed/progress.ts';
import { createReplay } from '../feed/replay.ts';
import { createHub, type Hub } from './hub.ts';
import { closing, lostBytes, paceOf, sameOrigin, slowBytes, type Sink } from './sockets.ts';

function caller(userId: string, sessionId = 's', tokenExpiresAt = 1_000): Caller {
  return {
    userId,
    sessionId,
    role: 'user',
    tokenExpiresAt,
  };
}

function socket() {
  const received: string[] = [];
  const state = { received, buffered: 0, closed: undefined as number | undefined };
  const sink: Sink = {
    send: ({ message }) => void received.push(message.type),
    buffered: () => state.buffered,
    close: ({ code }) => {
      state.closed = code;
    },
  };
  return Object.assign(state, { sink });
}

function deleted(seq: number) {
  return { type: 'file_deleted', seq, data: { file_id: 'f' } } as const;
}

function live(ownerId: string): Live {
  return {
    fileId: 'f',
    ownerId,
    message: {
      type: 'transcription_status',
      data: { file_id: 'f', stage: 'prepare', progress: 1, message: '', eta_seconds: null },
    },
  };
}

describe('hub', () => {
  let now = 0;
  let hub: Hub;
  let latest: Live[];
  const replay = createReplay({ keepMs: 1_000, maxPerUser: 10 });
  beforeEach(() => {
    now = 0;
    latest = [];
    replay.reset(0);
    hub = createHub({ replay, latestProgress: () => latest, maxPerUser: 2, now: () => now });
  });
  const join = (userId: string, sessionId?: string, since?: number, knownAt = 0) => {
    const created = socket();
    return Object.assign(created, { member: hub.join(caller(userId, sessionId), created.sink, since, knownAt) });
  };

  it('notifies a user only of own files', () => {
    const [first, second] = [join('a'), join('b')];
    hub.notify(['a'], deleted(1));
    expect(first.received).toEqual(['connection_established', 'file_deleted']);
    expect(second.received).toEqual(['connection_established']);
  });
  it('sends the greeting first, then missed facts, then current progress', () => {
    replay.advanceTo(1);
    replay.add('a', { seq: 1, message: deleted(1), at: 0 });
    latest = [live('a')];
    expect(join('a', 's', 0).received).toEqual(['connection_established', 'file_deleted', 'transcription_status']);
  });
  it('sends resync when the missed facts are unknown', () => {
    expect(join('a', 's', 5).received).toEqual(['connection_established', 'resync']);
  });
  it('delays progress but not facts on a slow socket, and sends the latest progress when it caught up', () => {
    const slow = join('a');
    slow.buffered = slowBytes;
    hub.progress(['a'], live('a'));
    hub.progress(['a'], live('a'));
    hub.notify(['a'], deleted(1));
    expect(slow.received).toEqual(['connection_established', 'file_deleted']);
    slow.buffered = 0;
    hub.cleanUp();
    expect(slow.received.slice(2)).toEqual(['transcription_status']);
  });
  it('closes a socket that is too far behind', () => {
    const slow = join('a');
    slow.buffered = lostBytes;
    hub.notify(['a'], deleted(1));
    expect(slow.closed).toBe(closing.tooSlow.code);
    expect(hub.count()).toBe(0);
  });
  it('closes the sockets of a revoked session, and only those', () => {
    const [one, two] = [join('a', 's1'), join('a', 's2')];
    hub.revoke('a', 's1', 10);
    expect([one.closed, two.closed]).toEqual([4004, undefined]);
  });
  it('closes every socket of a user whose sessions all ended', () => {
    const [one, two] = [join('a', 's1'), join('a', 's2')];
    hub.revoke('a', null, 10);
    expect([one.closed, two.closed]).toEqual([4004, 4004]);
  });
  it('keeps later sessions open when an old revocation is delivered again', () => {
    const [before, later] = [join('a', 's1', undefined, 5), join('a', 's2', undefined, 20)];
    hub.revoke('a', null, 10);
    expect([before.closed, later.closed]).toEqual([4004, undefined]);
  });
  it('refuses a session that was revoked after its lookup or in the same millisecond, and accepts a later one', () => {
    hub.revoke('a', null, 10);
    expect(join('a', 's1', undefined, 9).closed).toBe(4004);
    expect(join('a', 's1', undefined, 10).closed).toBe(4004);
    expect(join('a', 's2', undefined, 11).closed).toBeUndefined();
  });
  it('closes a socket when its access token expires, unless the user sent a new one', () => {
    const [one, two] = [join('a'), join('a')];
    if (!two.member) throw new Error('not joined');
    hub.renew(two.member, caller('a', 's', 5_000), 500);
    now = 1_000;
    hub.cleanUp();
    expect([one.closed, two.closed]).toEqual([4001, undefined]);
  });
  it("closes a socket that sends another user's token", () => {
    const socket = join('a');
    if (!socket.member) throw new Error('not joined');
    hub.renew(socket.member, caller('b'), 0);
    expect(socket.closed).toBe(4003);
  });
  it('refuses more sockets of one user than the limit', () => {
    join('a');
    join('a');
    expect(join('a').closed).toBe(1013);
    expect(join('b').closed).toBeUndefined();
  });
});

it('sends everything, then facts only, then nothing, as the buffer of a socket grows', () => {
  expect([0, slowBytes, lostBytes].map(paceOf)).toEqual(['all', 'facts', 'none']);
});

it.each([
  [undefined, 'host:8080', true],
  ['http://host:8080', 'host:8080', true],
  ['http://evil.example', 'host:8080', false],
  ['http://host:9090', 'host:8080', false],
  ['null', 'host:8080', false],
])('decides whether a page of %s may open a socket at %s: %s', (origin, host, allowed) => {
  expect(sameOrigin(origin, host)).toBe(allowed);
});

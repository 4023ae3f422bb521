import { describe, expect, it } from '@jest/globals';
import type { ResolvedSession } from '@overtone/contracts';
import { createInFlight } from './in-flight.ts';

function of(userId: string, sessionId: string) {
  return { userId, sessionId };
}

function setup(dead: Set<string>, checkTimeoutMs?: number, refused: Set<string> = new Set()) {
  const asked: string[] = [];
  const ended: string[] = [];
  const inFlight = createInFlight({
    resolve: async (token) => {
      asked.push(token);
      const refusal = refused.has(token) ? 'account_expired' : null;
      return dead.has(token) ? null : ({ refusal } as ResolvedSession);
    },
    ...(checkTimeoutMs === undefined ? {} : { checkTimeoutMs }),
  });
  const enter = (token: string, session: { userId: string; sessionId: string }, receivedAt = Date.now() - 1) =>
    inFlight.enter({ token, session, receivedAt, end: (why) => void ended.push(why === 'ended' ? token : why) });
  return { inFlight, asked, ended, enter };
}

describe('requests in flight', () => {
  it('are cut off when their session has ended, and no others', async () => {
    const { inFlight, ended, enter } = setup(new Set(['a']));
    enter('a', of('u', 's1'));
    enter('b', of('u', 's2'));
    enter('c', of('v', 's3'));
    await inFlight.revoked('u', 's1');
    expect(ended).toEqual(['a']);
  });

  it('are cut off when their session only lives to say that the account has ended', async () => {
    const { inFlight, ended, enter } = setup(new Set(), undefined, new Set(['a']));
    enter('a', of('u', 's1'));
    enter('b', of('u', 's2'));
    await inFlight.revoked('u', null);
    expect(ended).toEqual(['a']);
  });

  it('are asked for once for each token, whatever their number', async () => {
    const { inFlight, asked, ended, enter } = setup(new Set(['a']));
    for (let i = 0; i < 20; i++) enter('a', of('u', 's'));
    await inFlight.revoked('u', null);
    expect(asked).toEqual(['a']);
    expect(ended).toHaveLength(20);
  });

  it('are removed when they end', async () => {
    const { inFlight, asked, enter } = setup(new Set(['a']));
    enter('a', of('u', 's'))();
    await inFlight.revoked('u', null);
    expect(asked).toEqual([]);
    expect(inFlight.size()).toBe(0);
  });

  it('are looked at when they came before the word of the end and are handed on after it', async () => {
    const { inFlight, ended, enter } = setup(new Set(['a']));
    await inFlight.revoked('u', null);
    enter('a', of('u', 's'), Date.now() - 100);
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toEqual(['a']);
  });

  it('are aborted as unknown, not as ended, when their session is not confirmed in time', async () => {
    const ended: string[] = [];
    for (const resolve of [() => new Promise<null>(() => {}), () => Promise.reject(new Error('down'))]) {
      const inFlight = createInFlight({ resolve, silenceTimeoutMs: 10 });
      inFlight.enter({ token: 'a', session: of('u', 's'), receivedAt: 0, end: (why) => void ended.push(why) });
      await inFlight.checkAll();
    }
    expect(ended).toEqual(['unknown', 'unknown']);
  });
});

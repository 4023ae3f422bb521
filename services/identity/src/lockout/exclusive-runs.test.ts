import { describe, expect, it } from '@jest/globals';
import { setImmediate as turn } from 'node:timers/promises';
import { createExclusiveRuns } from './exclusive-runs.ts';

function gate() {
  let open = (): void => {};
  const closed = new Promise<void>((resolve) => void (open = resolve));
  return { closed, open };
}

describe('attempts at one account', () => {
  it('run sequentially in order, and concurrently with those at other accounts', async () => {
    const inTurn = createExclusiveRuns({ maxWaiting: 10, maxWaitMs: 60_000 });
    const seen: string[] = [];
    const first = gate();
    const work = (name: string, wait?: Promise<void>) => async () => {
      seen.push(`${name} begins`);
      await wait;
      seen.push(`${name} ends`);
    };
    const all = [inTurn('a', work('a1', first.closed)), inTurn('a', work('a2')), inTurn('b', work('b1'))];
    await turn();
    first.open();
    await Promise.all(all);
    expect(seen).toEqual(['a1 begins', 'b1 begins', 'b1 ends', 'a1 ends', 'a2 begins', 'a2 ends']);
  });

  it('wait in a bounded queue; further ones are refused immediately', async () => {
    const inTurn = createExclusiveRuns({ maxWaiting: 2, maxWaitMs: 60_000 });
    const first = gate();
    const held = [1, 2, 3].map(() => inTurn('a', () => first.closed));
    await expect(inTurn('a', () => first.closed)).rejects.toMatchObject({ kind: 'rate_limited' });
    first.open();
    await Promise.all(held);
    expect(await inTurn('a', async () => 'free again')).toBe('free again');
  });

  it('wait for a bounded time; a timed-out one does not block the next', async () => {
    const inTurn = createExclusiveRuns({ maxWaiting: 5, maxWaitMs: 5 });
    const first = gate();
    const running = inTurn('a', () => first.closed);
    await expect(inTurn('a', async () => 'never')).rejects.toMatchObject({ kind: 'rate_limited' });
    first.open();
    await running;
    expect(await inTurn('a', async () => 'next')).toBe('next');
  });

  it('give their place in the queue back when they stop waiting', async () => {
    const inTurn = createExclusiveRuns({ maxWaiting: 2, maxWaitMs: 20 });
    const first = gate();
    const running = inTurn('a', () => first.closed);
    const timedOut = await Promise.allSettled([1, 2].map(() => inTurn('a', async () => 'never')));
    expect(timedOut.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const next = inTurn('a', async () => 'next');
    first.open();
    await running;
    expect(await next).toBe('next');
  });

  it('continue after a failed one', async () => {
    const inTurn = createExclusiveRuns({ maxWaiting: 5, maxWaitMs: 60_000 });
    const failing = inTurn('a', async () => {
      throw new Error('x');
    });
    const next = inTurn('a', async () => 'ran');
    await expect(failing).rejects.toThrow('x');
    expect(await next).toBe('ran');
  });
});

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { isLocked, tryLock, waitUntilFree, withLock } from './lock.ts';

describe('lock', () => {
  it('is held by one process at a time', async () => {
    const name = randomUUID();
    const held = await tryLock(name);
    expect([held === undefined, await tryLock(name), await isLocked(name)]).toEqual([false, undefined, true]);
    held?.close();
  });

  it('is free after its release', async () => {
    const name = randomUUID();
    await withLock(name, async () => await Promise.resolve());
    expect(await isLocked(name)).toBe(false);
  });

  it('can be waited for without being acquired', async () => {
    const name = randomUUID();
    const held = await tryLock(name);
    expect(await waitUntilFree(name, 50)).toBe(false);
    const waiting = waitUntilFree(name, 10_000);
    held?.close();
    expect(await waiting).toBe(true);
  });

  it('makes the second process wait for the first', async () => {
    const name = randomUUID();
    const order: string[] = [];
    const work = (who: string) => async () => {
      order.push(`${who} begins`);
      await new Promise((resolve) => setTimeout(resolve, 30));
      order.push(`${who} ends`);
    };
    await Promise.all([withLock(name, work('a')), withLock(name, work('b'))]);
    expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });
});

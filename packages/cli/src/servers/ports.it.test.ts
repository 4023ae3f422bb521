import { describe, expect, it } from '@jest/globals';
import { isLocked } from '../lock.ts';
import { freePort, isPortFree, reservationOf } from './ports.ts';

describe('a free port', () => {
  it('has no listener, and is reserved for the process that asked', async () => {
    const port = await freePort();
    expect([await isPortFree(port), await isLocked(reservationOf(port))]).toEqual([true, true]);
  });
});

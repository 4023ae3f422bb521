import { describe, expect, test } from '@jest/globals';
import { alive, inOurTime } from './leases.ts';

const hour = 3_600_000;
const ours = 1_000_000_000;
const said = (theirs: number) => ({ saidAt: theirs, deliveredAt: theirs - 2_000, expiresAt: theirs + 4_000 });

describe('what a worker says', () => {
  test.each([-hour, 0, hour])('counts from when it was heard, though its clock is %i ms off', (off) => {
    expect(inOurTime(said(ours + off), ours + off / 2, ours)).toMatchObject({
      deliveredAt: ours - 2_000,
      expiresAt: ours + 4_000,
    });
  });
  test('ends in its time when nothing follows, whatever its clock shows', () => {
    const heard = inOurTime(said(ours + hour), ours, ours);
    expect(alive([heard], ours + 3_999)).toEqual([heard]);
    expect(alive([heard], ours + 4_000)).toEqual([]);
  });
  test('without its time counts from when the broker took it', () => {
    expect(inOurTime({ expiresAt: 5_000 }, 1_000, ours)).toEqual({ expiresAt: ours + 4_000 });
  });
});

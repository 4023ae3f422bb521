import { describe, expect, it } from '@jest/globals';
import { liveEntries, toLocalClock } from './leases.ts';

const hour = 3_600_000;
const localTime = 1_000_000_000;

function leaseWrittenAt(remoteTime: number) {
  return {
    saidAt: remoteTime,
    deliveredAt: remoteTime - 2_000,
    expiresAt: remoteTime + 4_000,
  };
}

describe('a lease from another host', () => {
  it.each([-hour, 0, hour])("is valid from its receipt when the host's clock is %i ms off", (offset) => {
    expect(toLocalClock(leaseWrittenAt(localTime + offset), localTime + offset / 2, localTime)).toMatchObject({
      deliveredAt: localTime - 2_000,
      expiresAt: localTime + 4_000,
    });
  });
  it("expires after its duration, whatever the host's clock shows", () => {
    const lease = toLocalClock(leaseWrittenAt(localTime + hour), localTime, localTime);
    expect(liveEntries([lease], localTime + 3_999)).toEqual([lease]);
    expect(liveEntries([lease], localTime + 4_000)).toEqual([]);
  });
  it("is valid from the broker's time when the writer sent none", () => {
    expect(toLocalClock({ expiresAt: 5_000 }, 1_000, localTime)).toEqual({ expiresAt: localTime + 4_000 });
  });
});

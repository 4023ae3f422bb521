import type { leaseValue, workerValue } from '@overtone/contracts';
import type { z } from 'zod';

export type Lease = z.infer<typeof leaseValue>;
export type WorkerState = z.infer<typeof workerValue>;

/** The entries that have not expired. */
export function liveEntries<T extends { expiresAt: number }>(entries: Iterable<T>, now: number): T[] {
  return [...entries].filter((entry) => entry.expiresAt > now);
}

type RemoteTimes = { saidAt?: number | undefined; deliveredAt?: number; expiresAt: number };

/**
 * Converts an entry's times from the clock of the host that wrote it to the local clock; the two may differ by an hour.
 * The intervals between the written times are kept, counted from the time of receipt.
 * @param storedAt the broker's time, used when the writer sent none.
 */
export function toLocalClock<T extends RemoteTimes>(value: T, storedAt: number, receivedAt: number): T {
  const shift = receivedAt - (value.saidAt ?? storedAt);
  const { deliveredAt, expiresAt } = value;
  return {
    ...value,
    expiresAt: expiresAt + shift,
    ...(deliveredAt === undefined ? {} : { deliveredAt: deliveredAt + shift }),
  };
}

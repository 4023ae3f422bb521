import type { leaseValue, workerValue } from '@overtone/contracts';
import type { z } from 'zod';

export type Lease = z.infer<typeof leaseValue>;
export type WorkerState = z.infer<typeof workerValue>;

/** Entries whose holder still renews them. */
export const alive = <T extends { expiresAt: number }>(entries: Iterable<T>, now: number): T[] =>
  [...entries].filter((e) => e.expiresAt > now);

type Said = { saidAt?: number | undefined; deliveredAt?: number; expiresAt: number };

/**
 * What was said on another host, with its times by this one's clock. The clocks of two hosts may be an hour apart: what
 * counts is how much time lies between the times that were said, and how long ago they were heard.
 * @param storedAt when the broker took it, for who does not say when it was said.
 */
export const inOurTime = <T extends Said>(value: T, storedAt: number, heardAt: number): T => {
  const shift = heardAt - (value.saidAt ?? storedAt);
  const { deliveredAt, expiresAt } = value;
  return {
    ...value,
    expiresAt: expiresAt + shift,
    ...(deliveredAt === undefined ? {} : { deliveredAt: deliveredAt + shift }),
  };
};

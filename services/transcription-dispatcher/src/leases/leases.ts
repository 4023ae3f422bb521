import type { leaseValue, workerValue } from '@overtone/contracts';
import type { z } from 'zod';

export type Lease = z.infer<typeof leaseValue>;
export type WorkerState = z.infer<typeof workerValue>;

/** Entries whose holder still renews them. */
export const alive = <T extends { expiresAt: number }>(entries: Iterable<T>, now: number): T[] =>
  [...entries].filter((e) => e.expiresAt > now);

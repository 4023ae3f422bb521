import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';
import { unavailable } from './errors.ts';

/** Creates and verifies password hashes. Slow on purpose, and equally slow for unknown names. */
export type PasswordHasher = {
  hash: (password: string) => Promise<string>;
  verify: (hash: string, password: string) => Promise<boolean>;
  /** For unknown names: does the same work as `verify`. */
  pretend: (password: string) => Promise<void>;
};

/** OWASP's first recommendation for argon2id (the library's default variant): 19 MiB, two passes, one lane. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** One per processor, at most the four threads of libuv. */
const maxConcurrent = Math.max(2, Math.min(4, availableParallelism()));
const maxWaiting = 200;

/**
 * Hashes on the threads of libuv. Concurrency is limited, because each hash needs 19 MiB; requests beyond a bounded queue are
 * rejected as busy.
 */
export function createArgon2(): PasswordHasher {
  const dummyHash = hash('no account has this password', cost);
  const limit = pLimit(maxConcurrent);
  const runQueued = async <T>(work: () => Promise<T>): Promise<T> => {
    if (limit.pendingCount < maxWaiting) return limit(work);
    throw unavailable('service_unavailable', 'Too many passwords are checked at once', { retryAfterSeconds: 5 });
  };
  return {
    hash: (password) => runQueued(() => hash(password, cost)),
    verify: (stored, password) => runQueued(() => verify(stored, password).catch(() => false)),
    pretend: async (password) => void (await runQueued(async () => verify(await dummyHash, password))),
  };
}

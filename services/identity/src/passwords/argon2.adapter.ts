import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { hash, verify } from '@node-rs/argon2';
import { unavailable } from '@overtone/service-kit';
import type { PasswordHasher } from './passwords.ts';

/** OWASP's first recommendation for argon2id (the library's default variant): 19 MiB, two passes, one lane. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** As many as there are processors for, up to the four threads that libuv has. */
const atOnce = Math.max(2, Math.min(4, availableParallelism()));
const maxWaiting = 200;

/**
 * Hashes on libuv's threads, off the event loop. Few at once, so that a flood of sign-ins takes neither all memory nor
 * more threads than there are; beyond a bounded queue the answer is "busy".
 */
export const createArgon2 = (): PasswordHasher => {
  const dummyHash = hash('nobody has this password', cost);
  const inTurn = createTurns(atOnce, maxWaiting);
  let lately = 30;
  const timed = async <T>(work: () => Promise<T>): Promise<T> => {
    const started = performance.now();
    const result = await work();
    lately += (performance.now() - started - lately) / 8;
    return result;
  };
  return {
    hash: (password) => inTurn(() => hash(password, cost)),
    verify: (stored, password) => timed(() => inTurn(() => verify(stored, password).catch(() => false))),
    pretend: async (password) => void (await timed(() => inTurn(async () => verify(await dummyHash, password)))),
    idle: () => sleep(lately),
  };
};

/** Lets `limit` pieces of work run at once, and at most `queue` wait. */
const createTurns = (limit: number, queue: number) => {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= limit) {
      if (waiting.length >= queue)
        throw unavailable('service_unavailable', 'Too many sign-ins at once', { retryAfterSeconds: 5 });
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
};

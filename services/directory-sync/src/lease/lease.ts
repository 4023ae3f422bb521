import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@overtone/service-kit';
import type { Db } from '../database.ts';

const lifeSeconds = 15;
const renewMs = 3_000;
const lookAgainMs = 1_000;

/** The right to sweep. `signal` is aborted when it was lost: whoever goes on then goes on for nobody. */
export type Lease = {
  token: number;
  signal: AbortSignal;
  /** @throws Error when somebody else may have it: asked before whatever others would see. */
  confirm: () => Promise<void>;
  release: () => Promise<void>;
};

/**
 * Takes the one lease of the sweep, however many replicas there are. A holder that dies is not renewed and loses it;
 * the next one gets a larger token.
 * @returns null while somebody else holds it.
 */
const takeLease = async (db: Db, holder: string): Promise<Lease | null> => {
  const rows = await db.$queryRaw<{ token: bigint }[]>`
    update directory_lease set token = token + 1, holder = ${holder},
      until = now() + make_interval(secs => ${lifeSeconds})
    where name = 'sweep' and until <= now() returning token`;
  const token = rows[0] && Number(rows[0].token);
  if (token === undefined) return null;
  const lost = new AbortController();
  const renew = async (): Promise<void> => {
    const held = await db.$executeRaw`
      update directory_lease set until = now() + make_interval(secs => ${lifeSeconds})
      where name = 'sweep' and token = ${token}::bigint`;
    if (held === 0) lost.abort(new Error('the lease of the sweep was lost'));
  };
  let heardAt = Date.now();
  const timer = setInterval(() => {
    // A database that cannot be reached in time means the same as a lost lease: somebody else may have it by now.
    void renew().then(
      () => (heardAt = Date.now()),
      () => Date.now() - heardAt > (lifeSeconds * 1000) / 2 && lost.abort(new Error('the lease could not be renewed')),
    );
  }, renewMs);
  return {
    token,
    signal: lost.signal,
    confirm: async () => {
      const rows = await db.$queryRaw<unknown[]>`
        select 1 from directory_lease where name = 'sweep' and token = ${token}::bigint and until > now()`;
      if (rows.length === 0) lost.abort(new Error('the lease of the sweep was lost'));
      lost.signal.throwIfAborted();
    },
    release: async () => {
      clearInterval(timer);
      await db.$executeRaw`
        update directory_lease set until = now() where name = 'sweep' and token = ${token}::bigint`;
    },
  };
};

/**
 * Takes it as soon as nobody else holds it: a dead holder's ends by itself, and a database that is away comes back.
 * @throws when `stop` is aborted.
 */
export const waitForLease = async (
  { db, holder, log }: { db: Db; holder: string; log: Pick<Log, 'warn'> },
  stop: AbortSignal,
): Promise<Lease> => {
  for (;;) {
    const lease = await takeLease(db, holder).catch((err: unknown) => {
      log.warn({ err }, 'the lease of the sweep cannot be asked for');
      return null;
    });
    if (lease) return lease;
    await sleep(lookAgainMs, undefined, { signal: stop });
  }
};

/** Whether somebody holds it now. */
export const leaseHeld = async (db: Db): Promise<boolean> => {
  const rows = await db.$queryRaw<{ held: boolean }[]>`
    select until > now() as held from directory_lease where name = 'sweep'`;
  return rows[0]?.held ?? false;
};

import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@overtone/service-kit';
import type { Db } from '../database.ts';

const lifeSeconds = 15;
const renewMs = 3_000;
const retryMs = 1_000;

/** The exclusive right to make a sync run. `signal` is aborted when the lease is lost. */
export type Lease = {
  token: number;
  signal: AbortSignal;
  /** @throws Error when another replica may hold the lease. Called before every externally visible change. */
  confirm: () => Promise<void>;
  release: () => Promise<void>;
};

/**
 * Waits until the lease is free; the lease of a crashed holder expires. Retries while the database is unavailable.
 * @throws when `stop` is aborted.
 */
export async function waitForLease(
  { db, holder, log }: { db: Db; holder: string; log: Pick<Log, 'warn'> },
  stop: AbortSignal,
): Promise<Lease> {
  for (;;) {
    const lease = await takeLease(db, holder).catch((err: unknown) => {
      log.warn({ err }, 'directory sync lease request failed');
      return null;
    });
    if (lease) return lease;
    await sleep(retryMs, undefined, { signal: stop });
  }
}

/** Whether any replica holds the lease now. */
export async function leaseHeld(db: Db): Promise<boolean> {
  const rows = await db.$queryRaw<{ held: boolean }[]>`
    select until > now() as held from directory_lease where name = 'sweep'`;
  return rows[0]?.held ?? false;
}

/**
 * Acquires the single lease of the directory sync. A crashed holder does not renew it, so it expires;
 * the next holder gets a larger token.
 * @returns null while another replica holds it.
 */
async function takeLease(db: Db, holder: string): Promise<Lease | null> {
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
    if (held === 0) lost.abort(new Error('the lease of the directory sync was lost'));
  };
  let renewedAt = Date.now();
  const timer = setInterval(() => {
    // Without a renewal in time the lease counts as lost: another replica may hold it.
    void renew().then(
      () => (renewedAt = Date.now()),
      () =>
        Date.now() - renewedAt > (lifeSeconds * 1000) / 2 && lost.abort(new Error('the lease could not be renewed')),
    );
  }, renewMs);
  return {
    token,
    signal: lost.signal,
    confirm: async () => {
      const rows = await db.$queryRaw<unknown[]>`
        select 1 from directory_lease where name = 'sweep' and token = ${token}::bigint and until > now()`;
      if (rows.length === 0) lost.abort(new Error('the lease of the directory sync was lost'));
      lost.signal.throwIfAborted();
    },
    release: async () => {
      clearInterval(timer);
      await db.$executeRaw`
        update directory_lease set until = now() where name = 'sweep' and token = ${token}::bigint`;
    },
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import { isAppError } from './errors.ts';
import { isLostDatabase } from './http/lost-database.ts';

const retryMs = 200;

type Says = { warn: (about: { err: Error; reason: string }, message: string) => void; info: (message: string) => void };

const isAway = (err: unknown): boolean =>
  isLostDatabase(err) || (isAppError(err) && err.code === 'database_unavailable');

/** What tells one reason to wait from another: the database is not there, is just starting, is not migrated yet. */
const reasonOf = (err: unknown): string => {
  const { cause, detail } = err as { cause?: unknown; detail?: string };
  const { code, message } = (cause ?? err) as { code?: string; message?: string };
  return detail ?? code ?? message ?? 'unknown';
};

/**
 * Does what needs the database, as often as it takes until the database is there. Says once for every reason why it
 * waits, and when it goes on.
 * @throws what is no matter of waiting, and the signal's reason once it is aborted.
 */
export const onceDatabaseIsThere = async (
  work: () => Promise<void>,
  { log, signal }: { log: Says; signal: AbortSignal },
): Promise<void> => {
  for (let told = ''; ;) {
    signal.throwIfAborted();
    try {
      await work();
      if (told) log.info('the database is there');
      return;
    } catch (err) {
      if (!isAway(err)) throw err;
      const reason = reasonOf(err);
      if (reason !== told) log.warn({ err: err as Error, reason }, 'waiting for the database');
      told = reason;
    }
    await sleep(retryMs, undefined, { signal });
  }
};

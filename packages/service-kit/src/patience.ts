import { setTimeout as sleep } from 'node:timers/promises';
import { ErrorCode, NatsError } from 'nats';
import { isAppError } from './errors.ts';
import { isLostDatabase } from './http/lost-database.ts';

const retryMs = 200;

type Says = { warn: (about: { err: Error; reason: string }, message: string) => void; info: (message: string) => void };

/** What the client of the broker says of one that is not there, or has not recovered its streams yet. */
const lostBroker: ReadonlySet<string> = new Set([
  ErrorCode.Timeout,
  ErrorCode.NoResponders,
  ErrorCode.Disconnect,
  ErrorCode.JetStreamNotEnabled,
]);

/** Who is waited for; undefined: waiting cannot help. */
const awayOf = (err: unknown): string | undefined => {
  if (isLostDatabase(err) || (isAppError(err) && err.code === 'database_unavailable')) return 'the database';
  const lost =
    err instanceof NatsError ? lostBroker.has(err.code) : isAppError(err) && err.code === 'broker_unavailable';
  return lost ? 'the message broker' : undefined;
};

/** What tells one reason to wait from another: it is not there, is just starting, is not migrated yet. */
const reasonOf = (err: unknown): string => {
  const { cause, detail } = err as { cause?: unknown; detail?: string };
  const { code, message } = (cause ?? err) as { code?: string; message?: string };
  return detail ?? code ?? message ?? 'unknown';
};

/**
 * Does what needs the database or the broker, as often as it takes until they are there. Says once for every reason why
 * it waits, and when it goes on.
 * @throws what is no matter of waiting, and the signal's reason once it is aborted.
 */
export const onceThere = async (
  work: () => Promise<void>,
  { log, signal }: { log: Says; signal: AbortSignal },
): Promise<void> => {
  let told = { who: '', reason: '' };
  for (;;) {
    signal.throwIfAborted();
    try {
      await work();
      if (told.who) log.info(`${told.who} is there`);
      return;
    } catch (err) {
      const who = awayOf(err);
      if (!who) throw err;
      const reason = reasonOf(err);
      if (reason !== told.reason) log.warn({ err: err as Error, reason }, `waiting for ${who}`);
      told = { who, reason };
    }
    await sleep(retryMs, undefined, { signal });
  }
};

import { setTimeout as sleep } from 'node:timers/promises';
import { ErrorCode, NatsError } from 'nats';
import { isAppError } from './errors.ts';
import { isLostDatabase } from './http/lost-database.ts';

const retryMs = 200;

type WaitLog = {
  warn: (about: { err: Error; reason: string }, message: string) => void;
  info: (message: string) => void;
};

/** Error codes of the client for a broker that is unreachable or has not recovered its streams yet. */
const lostBroker: ReadonlySet<string> = new Set([
  ErrorCode.Timeout,
  ErrorCode.NoResponders,
  ErrorCode.Disconnect,
  ErrorCode.JetStreamNotEnabled,
]);

/**
 * Retries work that needs the database or the broker until they are available. Logs each reason to wait once,
 * and the end of the wait.
 * @throws errors that waiting cannot fix, and the signal's reason once it is aborted.
 */
export async function waitForDependency(
  work: () => Promise<void>,
  { log, signal }: { log: WaitLog; signal: AbortSignal },
): Promise<void> {
  let logged = { who: '', reason: '' };
  for (;;) {
    signal.throwIfAborted();
    try {
      await work();
      if (logged.who) log.info(`${logged.who} is there`);
      return;
    } catch (err) {
      const who = unavailableDependency(err);
      if (!who) throw err;
      const reason = reasonOf(err);
      if (reason !== logged.reason) log.warn({ err: err as Error, reason }, `waiting for ${who}`);
      logged = { who, reason };
    }
    await sleep(retryMs, undefined, { signal });
  }
}

/** The unavailable dependency; undefined: waiting cannot help. */
function unavailableDependency(err: unknown): string | undefined {
  if (isLostDatabase(err) || (isAppError(err) && err.code === 'database_unavailable')) return 'the database';
  const lost =
    err instanceof NatsError ? lostBroker.has(err.code) : isAppError(err) && err.code === 'broker_unavailable';
  return lost ? 'the message broker' : undefined;
}

/** Distinguishes the reasons to wait: unreachable, starting, not migrated yet. */
function reasonOf(err: unknown): string {
  const { cause, detail } = err as { cause?: unknown; detail?: string };
  const { code, message } = (cause ?? err) as { code?: string; message?: string };
  return detail ?? code ?? message ?? 'unknown';
}

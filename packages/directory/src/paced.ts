import type { Connection, Found, Question } from './connection.ts';
import { deadlineIn } from './deadline.ts';
import { DirectoryFailure } from './failures.ts';
import type { DirectoryConfig } from './model.ts';

/** How gently a directory is asked. */
export interface Pacing {
  readonly signal: AbortSignal;
  /** Called before every request. */
  readonly onRequest: () => void;
  /** From one request to the next, in milliseconds: a sweep is in no hurry. */
  readonly paceMs?: number;
}

const PACE_MS = 5;

/** Counts and spaces the requests of a connection, one at a time; each has the time that the settings give one. */
export function paced(
  inner: Connection,
  { timeoutSeconds }: Pick<DirectoryConfig, 'timeoutSeconds'>,
  { signal, onRequest, paceMs = PACE_MS }: Pacing,
): Connection {
  let last = Number.NEGATIVE_INFINITY;
  let before: Promise<unknown> = Promise.resolve();
  const ask = async (question: Question): Promise<Found> => {
    if (signal.aborted) throw new DirectoryFailure('timeout', 'The survey was stopped');
    const wait = last + paceMs - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    last = performance.now();
    onRequest();
    return await inner.search(question, deadlineIn(timeoutSeconds * 1000));
  };
  return {
    ...inner,
    search: (question) => {
      const asked = before.then(() => ask(question));
      before = asked.catch(() => undefined);
      return asked;
    },
  };
}

import type { Connection, Found } from '../wire/connection.ts';
import type { SearchRequest } from '../wire/requests.ts';
import { deadlineIn } from '../wire/deadline.ts';
import { DirectoryFailure } from '../wire/failures.ts';
import type { DirectoryConfig } from '../model.ts';

/** The pacing of requests to a directory. */
export type Pacing = {
  readonly signal: AbortSignal;
  /** Called before every request. */
  readonly onRequest: () => void;
  /** Minimum interval between two requests, in milliseconds. */
  readonly paceMs?: number;
};

const defaultPaceMs = 5;

/** Counts and delays the requests of a connection; each has the timeout of the settings. */
export function paced(
  inner: Connection,
  { timeoutSeconds }: Pick<DirectoryConfig, 'timeoutSeconds'>,
  { signal, onRequest, paceMs = defaultPaceMs }: Pacing,
): Connection {
  let last = Number.NEGATIVE_INFINITY;
  let before: Promise<unknown> = Promise.resolve();
  const ask = async (question: SearchRequest): Promise<Found> => {
    if (signal.aborted) throw new DirectoryFailure('timeout', 'The snapshot was stopped');
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

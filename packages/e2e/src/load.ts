import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from './client.ts';

/** The result of continuous requests. */
export type Load = { requestCount: number; failures: string[]; stop: () => Promise<void> };

export type Request = { method: string; path: string; body?: unknown };

async function send(api: Client, { method, path, body }: Request, result: Load, mostAttempts = 1): Promise<void> {
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  const attempt = (): Promise<string | undefined> =>
    api
      .call(method, path, { ...init, headers: { 'content-type': 'application/json' } })
      .then(({ status, text }) => (status < 300 ? undefined : `${status} ${text.slice(0, 200)}`))
      .catch((error: unknown) => String((error as Error).cause ?? error));
  let failure = await attempt();
  for (let made = 1; made < mostAttempts && failure?.includes('"database_unavailable"'); made++) {
    await sleep(1_000);
    failure = await attempt();
  }
  result.requestCount += 1;
  if (failure !== undefined) result.failures.push(`${method} ${path}: ${failure}`);
}

/** About 25 requests a second in all: without pauses the load alone would occupy the processor. */
const pauseMs = 100;

/** A busy machine can silence the database for some seconds: requests that were rejected for that are sent again, a second later. */
const mostAttempts = 10;

/** Sends requests concurrently until it is stopped, and collects the failed ones. */
export function startLoad(api: Client, requests: readonly Request[], concurrency = 3): Load {
  const result: Load = { requestCount: 0, failures: [], stop: async () => {} };
  let isStopped = false;
  const runLoop = async (number: number): Promise<void> => {
    for (let turn = number; !isStopped; turn++) {
      await send(api, requests[turn % requests.length] as Request, result, mostAttempts);
      await sleep(pauseMs);
    }
  };
  const finished = Promise.all(Array.from({ length: concurrency }, (_, number) => runLoop(number)));
  result.stop = async () => {
    isStopped = true;
    await finished;
  };
  return result;
}

/** The most requests of one kind that are pending at a time. */
const pendingLimit = 10;

function kindOf({ method, path }: Request): string {
  return `${method} ${path.replace(/[0-9a-f-]{36}/, '{uuid}')}`;
}

/**
 * Sends so many requests a second, also while others wait for a response, and collects the failed ones. Requests of a kind
 * with ten pending ones are left out, as people do not ask again and again: on a machine that is too slow for the rate
 * they would queue without limit, and the check would measure the machine.
 */
export function startPacedLoad(api: Client, requestAt: (turn: number) => Request, perSecond: number): Load {
  const result: Load = { requestCount: 0, failures: [], stop: async () => {} };
  const pending = new Map<Promise<void>, string>();
  const sendNext = (next: Request): void => {
    const kind = kindOf(next);
    if (Array.from(pending.values()).filter((other) => other === kind).length >= pendingLimit) return;
    const sent = send(api, next, result).finally(() => pending.delete(sent));
    pending.set(sent, kind);
  };
  const startedAt = performance.now();
  let turn = 0;
  // A timer of a busy process is late: the turns follow the clock.
  const timer = setInterval(() => {
    while (turn < ((performance.now() - startedAt) / 1000) * perSecond) sendNext(requestAt(turn++));
  }, 1000 / perSecond);
  result.stop = async () => {
    clearInterval(timer);
    await Promise.all(pending.keys());
  };
  return result;
}

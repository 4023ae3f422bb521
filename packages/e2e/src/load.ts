import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from './client.ts';

/** The result of continuous requests. */
export type Load = { requestCount: number; failures: string[]; stop: () => Promise<void> };

type Request = { method: string; path: string; body?: unknown };

/** Sends requests concurrently until it is stopped, and collects the failed ones. */
export function startLoad(api: Client, requests: readonly Request[], concurrency = 3): Load {
  const result: Load = { requestCount: 0, failures: [], stop: async () => {} };
  let isStopped = false;
  const runLoop = async (number: number): Promise<void> => {
    for (let turn = number; !isStopped; turn++) {
      const { method, path, body } = requests[turn % requests.length] as Request;
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      const failure = await api
        .call(method, path, { ...init, headers: { 'content-type': 'application/json' } })
        .then(({ status, text }) => (status < 300 ? undefined : `${status} ${text.slice(0, 200)}`))
        .catch((error: unknown) => String((error as Error).cause ?? error));
      result.requestCount += 1;
      if (failure !== undefined) result.failures.push(`${method} ${path}: ${failure}`);
      await sleep(5);
    }
  };
  const finished = Promise.all(Array.from({ length: concurrency }, (_, number) => runLoop(number)));
  result.stop = async () => {
    isStopped = true;
    await finished;
  };
  return result;
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from './client.ts';

/** What came of requests that were made without a pause. */
export type Load = { asked: number; failures: string[]; stop: () => Promise<void> };

type Request = { method: string; path: string; body?: unknown };

/** Asks by several hands at once until it is stopped; whatever is not answered as it should be is a failure. */
export const load = (api: Client, requests: readonly Request[], hands = 3): Load => {
  const result: Load = { asked: 0, failures: [], stop: async () => {} };
  let over = false;
  const hand = async (number: number): Promise<void> => {
    for (let turn = number; !over; turn++) {
      const { method, path, body } = requests[turn % requests.length] as Request;
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      const said = await api
        .call(method, path, { ...init, headers: { 'content-type': 'application/json' } })
        .then((a) => (a.status < 300 ? undefined : `${a.status} ${a.text.slice(0, 200)}`))
        .catch((e: unknown) => String((e as Error).cause ?? e));
      result.asked += 1;
      if (said !== undefined) result.failures.push(`${method} ${path}: ${said}`);
      await sleep(5);
    }
  };
  const done = Promise.all(Array.from({ length: hands }, (_, number) => hand(number)));
  result.stop = async () => {
    over = true;
    await done;
  };
  return result;
};

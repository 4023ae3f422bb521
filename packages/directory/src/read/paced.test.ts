import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Connection } from '../wire/connection.ts';
import type { SearchRequest } from '../wire/requests.ts';
import { deadlineIn } from '../wire/deadline.ts';
import { present } from '../filter/filter.ts';
import { paced } from './paced.ts';

const question: SearchRequest = {
  base: '',
  scope: 'base',
  filter: present('objectClass'),
  attributes: [],
  maxEntries: 1,
};
const found = { code: 0, diagnostic: '', entries: [], references: 0, cookie: undefined };
/** A connection that notes when it is asked, and how often at the same time. */
function connection() {
  const begun: number[] = [];
  let now = 0;
  let most = 0;
  const inner: Connection = {
    server: { host: 'localhost', port: 389, security: 'plain' },
    encryption: null,
    isOpen: () => true,
    search: async () => {
      begun.push(performance.now());
      most = Math.max(most, (now += 1));
      await new Promise((resolve) => setTimeout(resolve, 2));
      now -= 1;
      return found;
    },
    bind: () => Promise.reject(new Error('bind is not expected')),
    close: () => undefined,
  };
  return { inner, begun, most: () => most };
}

function pacing(onRequest = () => {}) {
  return { signal: new AbortController().signal, onRequest, paceMs: 20 };
}

// On a busy machine the time between a timer and the record of it differs.
beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('a directory that is asked gently', () => {
  it('has its rest between two requests, and one at a time, however many are asked at once', async () => {
    const { inner, begun, most } = connection();
    let requests = 0;
    const gentle = paced(
      inner,
      { timeoutSeconds: 60 },
      pacing(() => (requests += 1)),
    );
    const asked = Promise.all([1, 2, 3, 4, 5].map(() => gentle.search(question, deadlineIn(60_000))));
    await jest.advanceTimersByTimeAsync(200);
    await asked;
    expect([requests, begun.length, most()]).toEqual([5, 5, 1]);
    const rests = begun.slice(1).map((at, i) => at - (begun[i] ?? 0));
    expect(rests).toEqual([20, 20, 20, 20]);
  });

  it('is asked no more once the pass was stopped', async () => {
    const { inner, begun } = connection();
    const stop = new AbortController();
    const gentle = paced(inner, { timeoutSeconds: 60 }, { ...pacing(), signal: stop.signal });
    const first = gentle.search(question, deadlineIn(60_000));
    await jest.advanceTimersByTimeAsync(10);
    await first;
    stop.abort();
    await expect(gentle.search(question, deadlineIn(60_000))).rejects.toThrow(/stopped/);
    expect(begun).toHaveLength(1);
  });
});

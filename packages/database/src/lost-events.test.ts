import { describe, expect, it } from '@jest/globals';
import { createLossCheck } from './lost-events.ts';

/** A stream with a creation time, and a table with a number of rows sent before each creation time. */
function createFixture(sentBefore: Record<string, number>) {
  let created = '';
  let reconnected = () => {};
  const queriedTimes: unknown[] = [];
  let databaseDown = false;
  const check = createLossCheck({
    table: 'media_outbox',
    queryTimeoutMs: 30_000,
    bus: {
      onRenewal: (then) => {
        reconnected = then;
      },
      jetstreamManager: () => Promise.resolve({ streams: { info: () => Promise.resolve({ created }) } } as never),
    },
    pool: {
      query: (({ values }: { values: unknown[] }) => {
        if (databaseDown) return Promise.reject(new Error('database unavailable'));
        queriedTimes.push(...values);
        return Promise.resolve({ rowCount: sentBefore[created] ?? 0 });
      }) as never,
    },
  });
  return {
    queriedTimes,
    recreateStream: (at: string) => {
      created = at;
      reconnected();
    },
    setDatabaseDown: (now: boolean) => {
      databaseDown = now;
      reconnected();
    },
    check,
  };
}

describe('lost event check', () => {
  it('requeues sent events when the stream was created again', async () => {
    const { check, recreateStream, queriedTimes } = createFixture({ second: 3 });
    recreateStream('first');
    expect(await check()).toBe(0);
    recreateStream('second');
    expect(await check()).toBe(3);
    expect(queriedTimes).toEqual(['first', 'second']);
  });

  it('does not search the table again while the stream is the same', async () => {
    const { check, recreateStream, queriedTimes } = createFixture({});
    for (let reconnections = 0; reconnections < 3; reconnections++) {
      recreateStream('first');
      await check();
    }
    expect(queriedTimes).toEqual(['first']);
  });

  it('searches again when the database was unavailable during the first search', async () => {
    const { check, recreateStream, setDatabaseDown, queriedTimes } = createFixture({ first: 2 });
    recreateStream('first');
    setDatabaseDown(true);
    await expect(check()).rejects.toThrow('database unavailable');
    setDatabaseDown(false);
    expect(await check()).toBe(2);
    expect(queriedTimes).toEqual(['first']);
  });
});

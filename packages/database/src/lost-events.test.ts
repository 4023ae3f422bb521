import { describe, expect, it } from '@jest/globals';
import { createLossCheck } from './lost-events.ts';

/** A stream made at a moment, and a table of which so many rows were sent before it. */
const world = (sentBefore: Record<string, number>) => {
  let created = '';
  let reconnected = () => {};
  const asked: unknown[] = [];
  let broken = false;
  const look = createLossCheck({
    table: 'media_outbox',
    bus: {
      onReconnect: (then) => {
        reconnected = then;
      },
      jetstreamManager: () => Promise.resolve({ streams: { info: () => Promise.resolve({ created }) } } as never),
    },
    pool: {
      query: ((_sql: string, values: unknown[]) => {
        if (broken) return Promise.reject(new Error('the database is away'));
        asked.push(...values);
        return Promise.resolve({ rowCount: sentBefore[created] ?? 0 });
      }) as never,
    },
  });
  return {
    asked,
    made: (at: string) => {
      created = at;
      reconnected();
    },
    breaks: (now: boolean) => {
      broken = now;
      reconnected();
    },
    look,
  };
};

describe('events that went down with the disk of the broker', () => {
  it('are brought back once the stream is another', async () => {
    const { look, made, asked } = world({ second: 3 });
    made('first');
    expect(await look()).toBe(0);
    made('second');
    expect(await look()).toBe(3);
    expect(asked).toEqual(['first', 'second']);
  });

  it('are not looked for again in the whole table while the stream is the same', async () => {
    const { look, made, asked } = world({});
    for (let reconnections = 0; reconnections < 3; reconnections++) {
      made('first');
      await look();
    }
    expect(asked).toEqual(['first']);
  });

  it('are looked for again when the database was away at the time', async () => {
    const { look, made, breaks, asked } = world({ first: 2 });
    made('first');
    breaks(true);
    await expect(look()).rejects.toThrow('away');
    breaks(false);
    expect(await look()).toBe(2);
    expect(asked).toEqual(['first']);
  });
});

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createHangWatch, type HangWatch } from './hang.ts';

const hangMs = 4_000;
let said: { hangs: boolean; told: number }[];
/** What answers the new connections that are under way. */
let knocks: Set<() => void>;
let knocked: number;
let watch: HangWatch;
beforeEach(() => {
  jest.useFakeTimers();
  said = [];
  knocks = new Set();
  knocked = 0;
  watch = createHangWatch({
    hangMs,
    say: (is) => said.push(is),
    knock: (heard) => {
      knocked += 1;
      knocks.add(heard);
      return () => void knocks.delete(heard);
    },
  });
});
afterEach(() => {
  watch.close();
  jest.useRealTimers();
});

const answerKnocks = (): void => {
  for (const heard of knocks) heard();
};
/** Somebody who waits. */
const ask = () => {
  const asker = { told: 0, over: (_: boolean): boolean | undefined => undefined };
  const over = watch.asked(() => (asker.told += 1));
  if (over) asker.over = over;
  return { asker, refused: !over };
};

describe('a server that says nothing', () => {
  it('hangs when a new connection is not answered either: who waits is told, once', () => {
    const first = ask().asker;
    jest.advanceTimersByTime(hangMs / 2);
    const second = ask().asker;
    expect([first.told, second.told, knocked]).toEqual([0, 0, 1]);
    jest.advanceTimersByTime(hangMs / 2);
    expect([first.told, second.told, said]).toEqual([1, 1, [{ hangs: true, told: 2 }]]);
    expect([first.over(true), second.over(false)]).toEqual([false, false]);
    jest.advanceTimersByTime(10 * hangMs);
    expect([first.told, second.told, said.length]).toEqual([1, 1, 1]);
  });

  it('is not asked any more until a new connection is answered, however late', () => {
    ask();
    jest.advanceTimersByTime(hangMs);
    expect(ask().refused).toBe(true);
    jest.advanceTimersByTime(10 * hangMs);
    expect([ask().refused, knocks.size]).toEqual([true, 1]);
    answerKnocks();
    expect([ask().refused, knocks.size, said.at(-1)]).toEqual([false, 0, { hangs: false, told: 0 }]);
  });

  it('works on something long as long as new connections are answered', () => {
    const { asker } = ask();
    for (let turn = 0; turn < 100; turn++) {
      jest.advanceTimersByTime(hangMs / 2);
      answerKnocks();
    }
    expect([asker.told, said, knocked]).toEqual([0, [], 100]);
    expect(asker.over(true)).toBe(true);
  });

  it('is well as long as anybody hears from it, also if it takes no new connection', () => {
    const { asker } = ask();
    for (let turn = 0; turn < 100; turn++) {
      expect(ask().asker.over(true)).toBe(true);
      jest.advanceTimersByTime(hangMs / 2);
    }
    expect([asker.told, said]).toEqual([0, []]);
  });

  it('is not well because a connection was to be had', () => {
    const { asker } = ask();
    for (let turn = 0; turn < 4; turn++) {
      ask().asker.over(false);
      jest.advanceTimersByTime(hangMs / 4);
    }
    expect([asker.told, said.length]).toEqual([1, 1]);
  });

  it('is not blamed by who slept meanwhile', () => {
    const { asker } = ask();
    // A process that was stopped finds one turn due, however long it was.
    jest.setSystemTime(Date.now() + 100 * hangMs);
    jest.advanceTimersToNextTimer();
    expect([asker.told, said]).toEqual([0, []]);
  });

  it('is left alone when nobody waits', () => {
    const { asker } = ask();
    jest.advanceTimersByTime(hangMs / 2);
    expect(knocks.size).toBe(1);
    asker.over(true);
    jest.advanceTimersByTime(10 * hangMs);
    expect([knocks.size, knocked, jest.getTimerCount()]).toEqual([0, 1, 0]);
  });

  it('is let go of at the end, when everybody has been told', () => {
    const { asker } = ask();
    watch.close();
    jest.advanceTimersByTime(10 * hangMs);
    expect([asker.told, knocks.size, jest.getTimerCount()]).toEqual([1, 0, 0]);
  });
});

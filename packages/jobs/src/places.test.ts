import { describe, expect, it } from '@jest/globals';
import { createPlaces } from './places.ts';
import { createRemoteRoom, takeSeat } from './seat.ts';

const { signal } = new AbortController();

function place(places: ReturnType<typeof createPlaces>, lane: 'normal' | 'express') {
  const found = places.of('gpu').find((place) => place.lane === lane);
  if (!found) throw new Error(`no ${lane} place`);
  return found;
}

describe('the places of a worker', () => {
  it('are as many as the queue may have jobs at once, whichever durables those come from', () => {
    const places = createPlaces({ concurrency: { gpu: 2 } });
    const [one, two] = places.of('gpu');
    const [other] = places.of('gpu');
    expect(one?.enter()).toBeDefined();
    expect(two?.enter()).toBeDefined();
    expect(other?.enter()).toBeUndefined();
  });
  it('are one by default, and none where the worker does not pull the queue', () => {
    expect(createPlaces({ concurrency: {} }).of('cpu')).toHaveLength(1);
    expect(createPlaces({ concurrency: { gpu: 0 }, express: { gpu: 1 } }).of('gpu')).toEqual([]);
  });
  it('each slot holds one job; releasing twice has no effect', () => {
    const only = place(createPlaces({ concurrency: { gpu: 1 } }), 'normal');
    const leave = only.enter();
    expect(only.free()).toBe(false);
    leave?.();
    leave?.();
    expect(only.enter()).toBeDefined();
    expect(only.enter()).toBeUndefined();
  });
  it('follow limits that change: one more, and one that ends', () => {
    const concurrency = { gpu: 1 };
    const places = createPlaces({ concurrency });
    concurrency.gpu = 2;
    const [first, second] = places.of('gpu');
    expect([first?.exists(), second?.exists(), second?.free()]).toEqual([true, true, true]);
    concurrency.gpu = 1;
    expect([first?.exists(), second?.exists()]).toEqual([true, false]);
    first?.enter();
    expect(second?.enter()).toBeUndefined();
  });
  it('open the express one when every other is taken', () => {
    const places = createPlaces({ concurrency: { gpu: 1 }, express: { gpu: 1 } });
    const [normal, express] = [place(places, 'normal'), place(places, 'express')];
    expect(express.enter()).toBeUndefined();
    const leave = normal.enter();
    expect(express.free()).toBe(true);
    leave?.();
    expect(express.free()).toBe(false);
  });
});

describe('a job that only waits for another server', () => {
  const start = (limits = { gpu: 1, remote: 1 }) => {
    const places = createPlaces({ concurrency: { gpu: limits.gpu } });
    const remote = createRemoteRoom(() => limits.remote);
    const take = () => takeSeat(place(places, 'normal'), places, remote);
    const takeOne = () => {
      const seat = take();
      if (!seat) throw new Error('no seat');
      return seat;
    };
    return { take, takeOne, limits };
  };

  it('leaves its place to the next job', () => {
    const { take, takeOne } = start();
    const first = takeOne();
    expect(take()).toBeUndefined();
    expect(first.becomeRemote()).toBe(true);
    expect([first.isRemote(), take()]).toEqual([true, expect.anything()]);
  });
  it('keeps its place while there are as many remote jobs as allowed', () => {
    const { takeOne, limits } = start();
    const first = takeOne();
    first.becomeRemote();
    const second = takeOne();
    expect([second.becomeRemote(), second.isRemote()]).toEqual([false, false]);
    limits.remote = 2;
    expect(second.becomeRemote()).toBe(true);
    first.leave();
    second.leave();
    limits.remote = 1;
    expect(takeOne().becomeRemote()).toBe(true);
  });
  it('gets the next place that becomes free when it needs one again, before new jobs', async () => {
    const { take, takeOne } = start();
    const first = takeOne();
    first.becomeRemote();
    const second = takeOne();
    const back = first.becomeLocal(signal);
    second.leave();
    expect(take()).toBeUndefined();
    await back;
    expect([first.isRemote(), take()]).toEqual([false, undefined]);
    first.leave();
    expect(take()).toBeDefined();
  });
  it('does not keep a place waiting that it no longer needs', async () => {
    const { take, takeOne } = start();
    const first = takeOne();
    first.becomeRemote();
    const second = takeOne();
    const cancelled = AbortSignal.abort(new Error('cancelled'));
    await expect(first.becomeLocal(cancelled)).rejects.toThrow();
    second.leave();
    expect(take()).toBeDefined();
  });
});

import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { createPresenceStore } from './presence-store.ts';
import type { PresenceReport } from './push.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const file = 'file';
function report(visitId: string, fields: Partial<PresenceReport> = {}): PresenceReport {
  return { visitId, person: { uuid: visitId, name: 'Ada' }, segmentId: null, left: false, ...fields };
}
/** A store, what it shows, and how often it changed. */
function start() {
  const store = createPresenceStore();
  const changes = jest.fn();
  store.subscribe(changes);
  return { store, changes, shown: () => store.of(file).map(({ visitId, segmentId }) => [visitId, segmentId]) };
}

it('shows who reports, with the passage of their caret, and only for the file', () => {
  const { store, shown } = start();
  store.receive(file, report('one'));
  store.receive(file, report('two', { segmentId: 'a' }));
  store.receive('other', report('three'));
  store.receive(file, report('one', { segmentId: 'b' }));
  expect(shown()).toEqual([
    ['one', 'b'],
    ['two', 'a'],
  ]);
});
it('forgets who leaves, and who is silent for more than two reports', () => {
  const { store, shown } = start();
  store.receive(file, report('one'));
  store.receive(file, report('two'));
  store.receive(file, report('one', { left: true }));
  expect(shown()).toEqual([['two', null]]);
  jest.advanceTimersByTime(40_000);
  store.receive(file, report('two'));
  jest.advanceTimersByTime(40_000);
  expect(shown()).toEqual([['two', null]]);
  jest.advanceTimersByTime(10_001);
  expect(shown()).toEqual([]);
});
it('keeps its list, and calls no subscriber, while reports repeat what is known', () => {
  const { store, changes } = start();
  store.receive(file, report('one'));
  const before = store.of(file);
  store.receive(file, report('one'));
  store.receive(file, report('unknown', { left: true }));
  expect(store.of(file)).toBe(before);
  expect(changes).toHaveBeenCalledTimes(1);
});
it('forgets everybody when the session ends', () => {
  const { store, shown } = start();
  store.receive(file, report('one'));
  store.clear();
  expect(shown()).toEqual([]);
  expect(jest.getTimerCount()).toBe(0);
});

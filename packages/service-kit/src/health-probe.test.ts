import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { HealthProbe } from './health-probe.ts';

const silenceLimitMs = 4_000;
let changes: { unresponsive: boolean; rejected: number }[];
/** The response callbacks of the probes in progress. */
let probes: Set<() => void>;
let probesStarted: number;
let health: HealthProbe;
beforeEach(() => {
  jest.useFakeTimers();
  changes = [];
  probes = new Set();
  probesStarted = 0;
  health = new HealthProbe({
    silenceLimitMs,
    onStateChange: (state) => changes.push(state),
    probe: (onResponse) => {
      probesStarted += 1;
      probes.add(onResponse);
      return () => void probes.delete(onResponse);
    },
  });
});
afterEach(() => {
  health.end();
  jest.useRealTimers();
});

function respondToProbes(): void {
  for (const onResponse of probes) onResponse();
}

function trackOperation() {
  const operation = { rejections: 0, settle: (_: boolean): boolean | undefined => undefined };
  const settle = health.track(() => (operation.rejections += 1));
  if (settle) operation.settle = settle;
  return { operation, refused: !settle };
}

describe('health probe', () => {
  it('rejects each pending operation once when a new connection gets no response either', () => {
    const first = trackOperation().operation;
    jest.advanceTimersByTime(silenceLimitMs / 2);
    const second = trackOperation().operation;
    expect([first.rejections, second.rejections, probesStarted]).toEqual([0, 0, 1]);
    jest.advanceTimersByTime(silenceLimitMs / 2);
    expect([first.rejections, second.rejections, changes]).toEqual([1, 1, [{ unresponsive: true, rejected: 2 }]]);
    expect([first.settle(true), second.settle(false)]).toEqual([false, false]);
    jest.advanceTimersByTime(10 * silenceLimitMs);
    expect([first.rejections, second.rejections, changes.length]).toEqual([1, 1, 1]);
  });

  it('refuses new operations until a probe gets a response, however late', () => {
    trackOperation();
    jest.advanceTimersByTime(silenceLimitMs);
    expect(trackOperation().refused).toBe(true);
    jest.advanceTimersByTime(10 * silenceLimitMs);
    expect([trackOperation().refused, probes.size]).toEqual([true, 1]);
    respondToProbes();
    expect([trackOperation().refused, probes.size, changes.at(-1)]).toEqual([
      false,
      0,
      { unresponsive: false, rejected: 0 },
    ]);
  });

  it('keeps a long statement pending as long as probes get responses', () => {
    const { operation } = trackOperation();
    for (let i = 0; i < 100; i++) {
      jest.advanceTimersByTime(silenceLimitMs / 2);
      respondToProbes();
    }
    expect([operation.rejections, changes, probesStarted]).toEqual([0, [], 100]);
    expect(operation.settle(true)).toBe(true);
  });

  it('treats any response as a sign of health, even if the server accepts no new connection', () => {
    const { operation } = trackOperation();
    for (let i = 0; i < 100; i++) {
      expect(trackOperation().operation.settle(true)).toBe(true);
      jest.advanceTimersByTime(silenceLimitMs / 2);
    }
    expect([operation.rejections, changes]).toEqual([0, []]);
  });

  it('does not treat a connection taken from the pool as a response of the server', () => {
    const { operation } = trackOperation();
    for (let i = 0; i < 4; i++) {
      trackOperation().operation.settle(false);
      jest.advanceTimersByTime(silenceLimitMs / 4);
    }
    expect([operation.rejections, changes.length]).toEqual([1, 1]);
  });

  it('does not count time during which this process was suspended', () => {
    const { operation } = trackOperation();
    // A suspended process finds one timer due, however long the suspension was.
    jest.setSystemTime(Date.now() + 100 * silenceLimitMs);
    jest.advanceTimersToNextTimer();
    expect([operation.rejections, changes]).toEqual([0, []]);
  });

  it('stops probing when no operation is pending', () => {
    const { operation } = trackOperation();
    jest.advanceTimersByTime(silenceLimitMs / 2);
    expect(probes.size).toBe(1);
    operation.settle(true);
    jest.advanceTimersByTime(10 * silenceLimitMs);
    expect([probes.size, probesStarted, jest.getTimerCount()]).toEqual([0, 1, 0]);
  });

  it('refuses new operations after a probe without a response, although the operation has given up before', () => {
    const { operation } = trackOperation();
    jest.advanceTimersByTime(silenceLimitMs / 2);
    operation.settle(false);
    expect(health.isSilent).toBe(true);
    jest.advanceTimersByTime(silenceLimitMs / 2);
    expect([trackOperation().refused, changes]).toEqual([true, [{ unresponsive: true, rejected: 0 }]]);
  });

  it('rejects pending operations when it ends, and stops its timer and its probe', () => {
    const { operation } = trackOperation();
    jest.advanceTimersByTime(silenceLimitMs / 2);
    health.end();
    expect([operation.rejections, probes.size, jest.getTimerCount()]).toEqual([1, 0, 0]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { decideRequest, pauseSecondsAfter, type GateState } from './request-gate.ts';

const now = new Date('2026-01-01T00:00:00Z');

function stateOf(more: Partial<GateState> = {}): GateState {
  return {
    failures: 0,
    maxParallel: 4,
    pausedUntil: null,
    pauseCode: null,
    now,
    providerRequests: 0,
    fileRequests: 0,
    ...more,
  };
}

function inSeconds(seconds: number): Date {
  return new Date(now.getTime() + seconds * 1_000);
}

describe('decideRequest', () => {
  it('grants a request while the file and the provider have room', () => {
    expect(decideRequest(stateOf({ fileRequests: 5, providerRequests: 3 }))).toEqual({
      kind: 'granted',
      isProbe: false,
    });
    expect(decideRequest(stateOf({ fileRequests: 6, maxParallel: 64 }))).toEqual({ kind: 'busy' });
    expect(decideRequest(stateOf({ providerRequests: 4 }))).toEqual({ kind: 'busy' });
  });

  it('waits for a rate limit, and refuses during a pause after failures', () => {
    const limited = stateOf({ pausedUntil: inSeconds(7), pauseCode: 'provider_rate_limited' });
    expect(decideRequest(limited)).toEqual({ kind: 'rate-limited', seconds: 7 });
    const paused = stateOf({ pausedUntil: inSeconds(7), pauseCode: 'provider_timeout', failures: 5 });
    expect(decideRequest(paused)).toEqual({ kind: 'paused', seconds: 7 });
  });

  it('tries a provider once after its pause', () => {
    const over = stateOf({ pausedUntil: inSeconds(0), pauseCode: 'provider_timeout', failures: 5 });
    expect(decideRequest(over)).toEqual({ kind: 'granted', isProbe: true });
  });
});

describe('pauseSecondsAfter', () => {
  it.each([
    [1, 0],
    [4, 0],
    [5, 30],
    [6, 60],
    [7, 120],
    [20, 300],
  ])('after %i failures in a row a provider is paused for %i seconds', (failures, seconds) => {
    expect(pauseSecondsAfter(failures)).toBe(seconds);
  });
});

import { describe, expect, test } from '@jest/globals';
import { stages } from '@overtone/contracts';
import { firstRates } from '../timing/timing.ts';
import { effective, guessed, overallOf, sharesOf } from './progress.ts';

const at = (stage: (typeof stages)[number], fraction: number) => overallOf({ stage, fraction }, firstRates, 100, 10);

describe('overall progress', () => {
  test('shares of the stages add up to one and none is nothing', () => {
    const shares = Object.values(sharesOf({ ...firstRates, assemble: 0 }));
    expect(shares.reduce((a, b) => a + b)).toBeCloseTo(1);
    expect(Math.min(...shares)).toBeGreaterThan(0);
  });
  test('grows through all stages and never says 100 before the run is over', () => {
    const line = stages.flatMap((s) => [at(s, 0).progress, at(s, 0.5).progress, at(s, 1).progress]);
    expect([...line].sort((a, b) => a - b)).toEqual(line);
    expect(line.at(-1)).toBe(99);
  });
  test('a stage that took most of the time in the past moves most of the bar', () => {
    expect(at('transcribe', 1).progress - at('transcribe', 0).progress).toBeGreaterThan(50);
  });
});

describe('the time left', () => {
  test('is unknown while the length of the recording is', () => {
    expect(overallOf({ stage: 'prepare', fraction: 0.5 }, firstRates, null, 1).etaSeconds).toBeNull();
  });
  test('is what history says before the stage has shown its own pace', () => {
    expect(at('transcribe', 0).etaSeconds).toBe(Math.ceil(40 + 5 + 0.5 + 1));
  });
  test('follows the pace of a stage that is slower than history', () => {
    const slow = overallOf({ stage: 'transcribe', fraction: 0.5 }, firstRates, 100, 200).etaSeconds ?? 0;
    expect(slow).toBeGreaterThan(100);
  });
});

describe('a stage that says nothing of itself', () => {
  test('moves as history lets one expect, ever more slowly, and never arrives', () => {
    const line = [0, 10, 20, 40, 80, 4_000].map((elapsed) => guessed(elapsed, 20));
    expect(line.slice(0, 2)).toEqual([0, 0.5]);
    expect([...line].sort((a, b) => a - b)).toEqual(line);
    expect(line.at(-1)).toBeLessThan(1);
  });
  test('is believed as soon as it says something', () => {
    expect(effective({ stage: 'transcribe', fraction: 0.1 }, firstRates, 100, 39).fraction).toBe(0.1);
    expect(effective({ stage: 'transcribe', fraction: 0 }, firstRates, 100, 20).fraction).toBe(0.5);
  });
  test('is at its beginning while the length of the recording is not known', () => {
    expect(effective({ stage: 'prepare', fraction: 0 }, firstRates, null, 20).fraction).toBe(0);
  });
});

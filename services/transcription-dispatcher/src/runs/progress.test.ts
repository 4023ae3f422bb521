import { describe, expect, it } from '@jest/globals';
import { stages } from '@overtone/contracts';
import {
  defaultRates,
  estimateFraction,
  overallOf,
  ratesFrom,
  sharesOf,
  withEstimatedFraction,
  type TimedRun,
} from './progress.ts';

function at(stage: (typeof stages)[number], fraction: number) {
  return overallOf({ stage, fraction }, defaultRates, 100, 10);
}

describe('overall progress', () => {
  it('has stage shares that add up to one and are never zero', () => {
    const shares = Object.values(sharesOf({ ...defaultRates, assemble: 0 }));
    expect(shares.reduce((total, share) => total + share)).toBeCloseTo(1);
    expect(Math.min(...shares)).toBeGreaterThan(0);
  });
  it('grows through all stages and stays below 100 until the run ends', () => {
    const line = stages.flatMap((stage) => [at(stage, 0).progress, at(stage, 0.5).progress, at(stage, 1).progress]);
    expect([...line].sort((left, right) => left - right)).toEqual(line);
    expect(line.at(-1)).toBe(99);
  });
  it('gives the largest share to the stage that took longest in the past', () => {
    expect(at('transcribe', 1).progress - at('transcribe', 0).progress).toBeGreaterThan(50);
  });
});

describe('the time left', () => {
  it('is unknown while the duration of the recording is unknown', () => {
    expect(overallOf({ stage: 'prepare', fraction: 0.5 }, defaultRates, null, 1).etaSeconds).toBeNull();
  });
  it('follows past runs before the stage has a pace of its own', () => {
    expect(at('transcribe', 0).etaSeconds).toBe(Math.ceil(40 + 5 + 0.5 + 1));
  });
  it("follows the stage's own pace when it is slower than past runs", () => {
    const slow = overallOf({ stage: 'transcribe', fraction: 0.5 }, defaultRates, 100, 200).etaSeconds ?? 0;
    expect(slow).toBeGreaterThan(100);
  });
});

describe('a stage that reports no progress', () => {
  it('advances by its estimate, ever more slowly, and never reaches its end', () => {
    const line = [0, 10, 20, 40, 80, 4_000].map((elapsed) => estimateFraction(elapsed, 20));
    expect(line.slice(0, 2)).toEqual([0, 0.5]);
    expect([...line].sort((left, right) => left - right)).toEqual(line);
    expect(line.at(-1)).toBeLessThan(1);
  });
  it('uses its own progress as soon as it reports one', () => {
    expect(withEstimatedFraction({ stage: 'transcribe', fraction: 0.1 }, defaultRates, 100, 39).fraction).toBe(0.1);
    expect(withEstimatedFraction({ stage: 'transcribe', fraction: 0 }, defaultRates, 100, 20).fraction).toBe(0.5);
  });
  it('stays at zero while the duration of the recording is unknown', () => {
    expect(withEstimatedFraction({ stage: 'prepare', fraction: 0 }, defaultRates, null, 20).fraction).toBe(0);
  });
});

function run(audioDurationS: number | null, transcribeS: number | null): TimedRun {
  return {
    audioDurationS,
    prepareS: null,
    transcribeS,
    diarizeS: null,
    assembleS: null,
    indexS: null,
  };
}

it('the rate of a stage is the median of past runs, so that an outlier does not change it', () => {
  expect(ratesFrom([run(100, 50), run(100, 60), run(100, 5_000)]).transcribe).toBe(0.6);
});
it('a stage without history has the default rate, and runs without a duration are ignored', () => {
  expect(ratesFrom([run(null, 50), run(10, null)])).toEqual(defaultRates);
});

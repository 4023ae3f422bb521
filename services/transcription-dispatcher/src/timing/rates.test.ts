import { expect, test } from '@jest/globals';
import { firstRates, ratesFrom, type TimedRun } from './rates.ts';

const run = (audioDurationS: number | null, transcribeS: number | null): TimedRun => ({
  audioDurationS,
  prepareS: null,
  transcribeS,
  diarizeS: null,
  assembleS: null,
  indexS: null,
});

test('the rate of a stage is the median of past runs, so that one odd file does not move it', () => {
  expect(ratesFrom([run(100, 50), run(100, 60), run(100, 5_000)]).transcribe).toBe(0.6);
});
test('a stage without history, and runs without a length, count for nothing', () => {
  expect(ratesFrom([run(null, 50), run(10, null)])).toEqual(firstRates);
});

import { expect, it } from '@jest/globals';
import { defaultRates, ratesFrom, type TimedRun } from './rates.ts';

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

import { describe, expect, it } from '@jest/globals';
import { atLeastOneFailure, jestTally, printedTally } from './checks.ts';

describe('counts', () => {
  it('reads the last line with counts', () => {
    expect(printedTally('3 passed, 0 failed\nsomething\n12 passed, 1 failed\n')).toEqual({ passed: 12, failed: 1 });
  });

  it('counts a process that exits without counts as one failure', () => {
    expect(atLeastOneFailure(1, printedTally('Error: no browser'))).toEqual({ passed: 0, failed: 1 });
  });

  it('does not count a reported failure twice', () => {
    expect(atLeastOneFailure(1, { passed: 1, failed: 2 })).toEqual({ passed: 1, failed: 2 });
  });

  it('counts a test file that could not be run as a failure', () => {
    const report = JSON.stringify({ numPassedTests: 5, numFailedTests: 1, numRuntimeErrorTestSuites: 1 });
    expect(jestTally(report)).toEqual({ passed: 5, failed: 2 });
  });

  it('counts nothing without a report', () => {
    expect(jestTally(undefined)).toEqual({ passed: 0, failed: 0 });
  });
});

import { describe, expect, it } from '@jest/globals';
import { atLeastOneFailure, jestTally, playwrightTally } from './checks.ts';

function reportOf(statuses: string[], errors: unknown[] = [], annotations: { type: string }[] = []): string {
  const specs = statuses.map((status) => ({ tests: [{ status, annotations }] }));
  return JSON.stringify({ suites: [{ specs: [], suites: [{ specs }] }], errors });
}

describe('counts', () => {
  it('counts a check that exits without a report as one failure', () => {
    expect(atLeastOneFailure(1, playwrightTally(undefined))).toEqual({ passed: 0, failed: 1 });
  });

  it('counts the tests of nested suites, and errors outside of tests as failures', () => {
    expect(playwrightTally(reportOf(['expected', 'expected', 'unexpected'], ['no browser']))).toEqual({
      passed: 2,
      failed: 2,
    });
  });

  it('counts a test that was not reached as a failure, and one that this machine cannot run not at all', () => {
    expect(playwrightTally(reportOf(['expected', 'skipped']))).toEqual({ passed: 1, failed: 1 });
    expect(playwrightTally(reportOf(['expected', 'skipped'], [], [{ type: 'skip' }]))).toEqual({
      passed: 1,
      failed: 0,
    });
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

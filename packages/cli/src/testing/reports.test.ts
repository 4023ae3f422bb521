import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { atLeastOneFailure, jestTally, playwrightTally } from './reports.ts';

function reportOf(statuses: string[], errors: unknown[] = [], annotations: { type: string }[] = []): string {
  const results = [
    { duration: 1_500, errors: [{ message: '\u001b[31mError: no answer:\u001b[39m\n\n  code 1\n    at a line' }] },
  ];
  const specs = statuses.map((status, i) => ({ title: `rule ${i}`, tests: [{ status, annotations, results }] }));
  return JSON.stringify({
    suites: [{ title: 'pages.spec.ts', specs: [], suites: [{ title: 'Search', specs }] }],
    errors,
  });
}

describe('counts', () => {
  it('counts a check that exits without a report as one failure', () => {
    expect(atLeastOneFailure(1, playwrightTally(undefined))).toEqual({ passed: 0, failed: 1 });
  });

  it('counts the tests of nested suites, and errors outside of tests as failures', () => {
    expect(playwrightTally(reportOf(['expected', 'expected', 'unexpected'], [{ message: 'no browser' }]))).toEqual({
      passed: 2,
      failed: 2,
      failures: ['Search: rule 2: Error: no answer: code 1', 'no browser'],
      failedSuites: ['Search'],
      files: [{ file: 'Search', seconds: 4.5 }],
    });
  });

  it('counts a test that was not reached as a failure, and one that this machine cannot run not at all', () => {
    expect(playwrightTally(reportOf(['expected', 'skipped']))).toMatchObject({ passed: 1, failed: 1 });
    expect(playwrightTally(reportOf(['expected', 'skipped'], [], [{ type: 'skip' }]))).toEqual({
      passed: 1,
      failed: 0,
      failures: [],
      failedSuites: [],
      files: [{ file: 'Search', seconds: 3 }],
    });
  });

  it('does not count a reported failure twice', () => {
    expect(atLeastOneFailure(1, { passed: 1, failed: 2 })).toEqual({ passed: 1, failed: 2 });
  });

  it('counts a test file that could not be run as a failure', () => {
    const failedTest = { fullName: 'names are kept', status: 'failed', failureMessages: ['Error: lost\nat a line'] };
    const passedTest = { fullName: 'ids are kept', status: 'passed', failureMessages: [] };
    const times = { startTime: 1_000, endTime: 3_500 };
    const report = JSON.stringify({
      numPassedTests: 5,
      numFailedTests: 1,
      numRuntimeErrorTestSuites: 1,
      testResults: [
        {
          name: resolve('a.test.ts'),
          ...times,
          status: 'failed',
          message: 'long',
          assertionResults: [failedTest, passedTest],
        },
        {
          name: resolve('b.test.ts'),
          ...times,
          status: 'failed',
          message: 'cannot be parsed\nat 1',
          assertionResults: [],
        },
        { name: resolve('c.test.ts'), ...times, status: 'passed', message: '', assertionResults: [] },
      ],
    });
    expect(jestTally(report)).toEqual({
      passed: 5,
      failed: 2,
      failures: ['a.test.ts: names are kept: Error: lost', 'b.test.ts: cannot be parsed'],
      files: ['a.test.ts', 'b.test.ts', 'c.test.ts'].map((file) => ({ file, seconds: 2.5 })),
    });
  });

  it('counts nothing without a report', () => {
    expect(jestTally(undefined)).toEqual({ passed: 0, failed: 0 });
  });
});

import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { afterRepeat, atLeastOneFailure, jestTally, playwrightTally, ring } from './checks.ts';

function reportOf(statuses: string[], errors: unknown[] = [], annotations: { type: string }[] = []): string {
  const results = [{ errors: [{ message: '\u001b[31mError: no answer:\u001b[39m\n\n  code 1\n    at a line' }] }];
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
    });
  });

  it('counts a test that was not reached as a failure, and one that this machine cannot run not at all', () => {
    expect(playwrightTally(reportOf(['expected', 'skipped']))).toMatchObject({ passed: 1, failed: 1 });
    expect(playwrightTally(reportOf(['expected', 'skipped'], [], [{ type: 'skip' }]))).toEqual({
      passed: 1,
      failed: 0,
      failures: [],
    });
  });

  it('does not count a reported failure twice', () => {
    expect(atLeastOneFailure(1, { passed: 1, failed: 2 })).toEqual({ passed: 1, failed: 2 });
  });

  it('counts a test file that could not be run as a failure', () => {
    const failedTest = { fullName: 'names are kept', status: 'failed', failureMessages: ['Error: lost\nat a line'] };
    const passedTest = { fullName: 'ids are kept', status: 'passed', failureMessages: [] };
    const report = JSON.stringify({
      numPassedTests: 5,
      numFailedTests: 1,
      numRuntimeErrorTestSuites: 1,
      testResults: [
        { name: resolve('a.test.ts'), status: 'failed', message: 'long', assertionResults: [failedTest, passedTest] },
        { name: resolve('b.test.ts'), status: 'failed', message: 'cannot be parsed\nat 1', assertionResults: [] },
        { name: resolve('c.test.ts'), status: 'passed', message: '', assertionResults: [] },
      ],
    });
    expect(jestTally(report)).toEqual({
      passed: 5,
      failed: 2,
      failures: ['a.test.ts: names are kept: Error: lost', 'b.test.ts: cannot be parsed'],
      failedFiles: [
        { file: 'a.test.ts', passed: 1 },
        { file: 'b.test.ts', passed: 0 },
      ],
    });
  });

  it('counts nothing without a report', () => {
    expect(jestTally(undefined)).toEqual({ passed: 0, failed: 0 });
  });
});

describe('failed files of the ring with real servers', () => {
  const failedIn = (...files: string[]) => ({
    passed: 10 * files.length,
    failed: files.length,
    failures: files.map((file) => `${file}: names are kept: Error: lost`),
    failedFiles: files.map((file) => ({ file, passed: 10 })),
  });

  it('are run again alone, and no others', () => {
    const again = ring('it').repeat?.(failedIn('a.it.test.ts', 'b.it.test.ts'));
    expect(again?.command.slice(-3)).toEqual(['--runTestsByPath', 'a.it.test.ts', 'b.it.test.ts']);
    expect(ring('it').repeat?.(failedIn())).toBeUndefined();
  });

  it('are not run again when they are many, nor in other rings', () => {
    expect(ring('it').repeat?.(failedIn('a', 'b', 'c', 'd'))).toBeUndefined();
    expect(ring('pure').repeat).toBeUndefined();
  });

  it('pass with a report of what failed at first', () => {
    const first = { ...failedIn('a.it.test.ts'), passed: 100 };
    expect(afterRepeat(first, { passed: 11, failed: 0, failures: [], failedFiles: [] })).toMatchObject({
      passed: 101,
      failed: 0,
      failures: [],
      flaky: ['a.it.test.ts: names are kept: Error: lost'],
    });
  });

  it('fail the run when they fail again', () => {
    const first = { ...failedIn('a.it.test.ts'), passed: 100 };
    const second = { ...failedIn('a.it.test.ts'), passed: 10 };
    expect(afterRepeat(first, second)).toMatchObject({ passed: 100, failed: 1, flaky: [] });
  });
});

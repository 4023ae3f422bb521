import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import { productFolder } from '../paths.ts';

/** How many tests passed and failed. */
export type Tally = {
  readonly passed: number;
  readonly failed: number;
  /** A line for each failed test that the report names: its file or suite, its rule, and an excerpt of the error. */
  readonly failures?: readonly string[];
  /** The suites of a running product in which a test failed, or the ring. */
  readonly failedSuites?: readonly string[];
  /** The duration of each test file, or of each suite of a running product. */
  readonly files?: readonly FileTime[];
};
export type FileTime = { readonly file: string; readonly seconds: number };

const jestReport = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numRuntimeErrorTestSuites: z.int(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      startTime: z.number(),
      endTime: z.number(),
      assertionResults: z.array(
        z.object({ fullName: z.string(), status: z.string(), failureMessages: z.array(z.string()) }),
      ),
    }),
  ),
});

/** Characters of an error in the list of failed tests. */
const longestExcerpt = 600;

/** The counts in Jest's report; a file that could not be run is one failure. */
export function jestTally(report: string | undefined): Tally {
  if (report === undefined) return { passed: 0, failed: 0 };
  const found = jestReport.parse(JSON.parse(report));
  const failures = found.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(productFolder, name);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (failed.length === 0) return status === 'failed' ? [`${file}: ${excerpt(message)}`] : [];
    return failed.map((test) => `${file}: ${test.fullName}: ${excerpt(test.failureMessages[0])}`);
  });
  return {
    passed: found.numPassedTests,
    failed: found.numFailedTests + found.numRuntimeErrorTestSuites,
    failures,
    files: found.testResults.map(({ name, startTime, endTime }) => ({
      file: relative(productFolder, name),
      seconds: (endTime - startTime) / 1_000,
    })),
  };
}

const playwrightError = z.object({ message: z.string().optional() });
const playwrightTest = z.object({
  status: z.enum(['expected', 'unexpected', 'flaky', 'skipped']),
  annotations: z.array(z.object({ type: z.string() })),
  results: z.array(z.object({ duration: z.number(), errors: z.array(playwrightError) })),
});
const playwrightSuite = z.object({
  title: z.string(),
  specs: z.array(z.object({ title: z.string(), tests: z.array(playwrightTest) })),
  get suites() {
    return z.array(playwrightSuite).optional();
  },
});
type PlaywrightSuite = z.infer<typeof playwrightSuite>;
const playwrightReport = z.object({ suites: z.array(playwrightSuite), errors: z.array(playwrightError) });

/** The counts in Playwright's report. A test that was not reached failed; one that this machine cannot run is not counted. */
export function playwrightTally(report: string | undefined): Tally {
  if (report === undefined) return { passed: 0, failed: 0 };
  const { suites, errors } = playwrightReport.parse(JSON.parse(report));
  const tests = suites.flatMap(testsOf);
  const passed = tests.filter(({ status }) => status === 'expected').length;
  const unavailable = tests.filter(
    ({ status, annotations }) => status === 'skipped' && annotations.some(({ type }) => type === 'skip'),
  ).length;
  const failed = tests.filter(({ status }) => status === 'unexpected' || status === 'flaky');
  const failures = failed.map(
    ({ suite, rule, results }) =>
      `${suite}: ${rule}: ${excerpt(results.flatMap((result) => result.errors)[0]?.message)}`,
  );
  const bySuite = Map.groupBy(tests, ({ suite }) => suite);
  return {
    passed,
    failed: tests.length - passed - unavailable + errors.length,
    failures: [...failures, ...errors.map(({ message }) => excerpt(message))],
    failedSuites: [...new Set(failed.map(({ suite }) => suite))],
    files: [...bySuite].map(([file, all]) => ({
      file,
      seconds: all.flatMap(({ results }) => results).reduce((sum, { duration }) => sum + duration, 0) / 1_000,
    })),
  };
}

type PlaywrightTest = z.infer<typeof playwrightTest> & { suite: string; rule: string };

function testsOf({ title, specs, suites = [] }: PlaywrightSuite): PlaywrightTest[] {
  const own = specs.flatMap((spec) => spec.tests.map((test) => ({ ...test, suite: title, rule: spec.title })));
  return [...own, ...suites.flatMap(testsOf)];
}

/** The error in one line, without its stack. */
function excerpt(message = ''): string {
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .map((line) => line.trim());
  const stack = lines.findIndex((line) => line.startsWith('at '));
  const text = lines.slice(0, stack === -1 ? undefined : stack).filter((line) => line !== '');
  return text.join(' ').slice(0, longestExcerpt);
}

/** A failed process counts as at least one failure. */
export function atLeastOneFailure(code: number, tally: Tally): Tally {
  return code !== 0 && tally.failed === 0 ? { ...tally, failed: 1 } : tally;
}

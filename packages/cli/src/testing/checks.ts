import { existsSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import { readIfThere } from '../files.ts';
import { productFolder } from '../paths.ts';

/** How many tests passed and failed. */
export type Tally = {
  readonly passed: number;
  readonly failed: number;
  /** A line for each failed test that the report names: its file or suite, its rule, and an excerpt of the error. */
  readonly failures?: readonly string[];
  /** The files of these tests, with the number of tests that passed in each. */
  readonly failedFiles?: readonly { readonly file: string; readonly passed: number }[];
  /** Tests that failed and passed when their file was run again alone, each with the error of the first run. */
  readonly flaky?: readonly string[];
};

/** One check of `./overtone test`. */
export type Check = {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  /** Parses counts from output and exit code; a check without a parser is a single test. */
  readonly count?: (result: { code: number; output: string }) => Tally;
  /** The check that runs the failed files again alone, when the tests may have failed because the machine was busy. */
  readonly repeat?: (tally: Tally) => Check | undefined;
};

/** The paths of the log and the report of a check. */
export const resultsFolder = join(productFolder, 'test-results');

/** The checks of the sources. */
export function staticChecks(): Check[] {
  return [
    script('typecheck'),
    script('lint'),
    script('boundaries'),
    script('unused'),
    script('format'),
    script('messages'),
    { name: 'lock file', command: ['pnpm', 'install', '--frozen-lockfile', '--lockfile-only'] },
    {
      name: 'contracts',
      command: [process.execPath, join(productFolder, 'packages', 'contracts', 'src', 'generate.main.ts'), '--check'],
    },
    {
      name: 'third-party licences',
      command: [process.execPath, join(productFolder, 'packages', 'cli', 'src', 'third-party.main.ts'), '--check'],
    },
  ];
}

type Ring = 'pure' | 'it' | 'elasticsearch';

/** The tests of one ring; `elasticsearch` needs a JDK and Maven, or ELASTICSEARCH_TEST_URL. */
export function ring(name: Ring): Check {
  const check = jest(`tests (${name})`, name, []);
  return name === 'it' ? { ...check, repeat: failedFilesAlone } : check;
}

/** More failed files than this have a common cause. */
const mostRepeatedFiles = 3;

/** Real servers on a busy machine: a test that needs a quiet one is reported, and does not fail the run. */
function failedFilesAlone({ failedFiles = [] }: Tally): Check | undefined {
  if (failedFiles.length === 0 || failedFiles.length > mostRepeatedFiles) return undefined;
  const files = failedFiles.map(({ file }) => file);
  return jest('tests (it), failed files again', 'it', ['--maxWorkers=1', '--runTestsByPath', ...files]);
}

function jest(name: string, project: Ring, args: readonly string[]): Check {
  const report = join(resultsFolder, `${logName(name)}.json`);
  rmSync(report, { force: true }); // an interrupted run must not be counted by an old report
  return {
    name,
    command: [bin('jest'), '--ci', '--selectProjects', project, '--json', `--outputFile=${report}`, ...args],
    env: { NODE_OPTIONS: '--experimental-vm-modules --no-warnings' },
    count: ({ code }) => atLeastOneFailure(code, jestTally(readIfThere(report))),
  };
}

/** The name of a check as that of a file. */
export function logName(check: string): string {
  return check
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim()
    .replaceAll(' ', '-');
}

/** The projects of the default run. */
const projects = ['product', 'pages', 'panels', 'scripted', 'replicas', 'killed', 'one-update'];
/** Tests that run only when they are named: `./overtone test update`. */
const namedTests: Readonly<Record<string, () => Check[]>> = {
  update: () => endToEnd(['update']),
  elasticsearch: () => [ring('elasticsearch')],
};
export const testNames = Object.keys(namedTests);

/** The checks of a test that runs only when it is named. */
export function namedChecks(name: string): Check[] {
  return namedTests[name]?.() ?? [];
}

/** The checks of the running product, in its own process. */
export function endToEnd(wanted: readonly string[] = projects): Check[] {
  const folder = join(productFolder, 'packages', 'e2e');
  if (!existsSync(folder)) return [];
  const report = join(resultsFolder, 'e2e.json');
  rmSync(report, { force: true });
  return [
    {
      name: 'tests (e2e)',
      command: [
        join(folder, 'node_modules', '.bin', 'playwright'),
        'test',
        '--config',
        folder,
        ...wanted.flatMap((project) => ['--project', project]),
      ],
      env: { OT_SCREENSHOTS: join(resultsFolder, 'screenshots') },
      count: ({ code }) => atLeastOneFailure(code, playwrightTally(readIfThere(report))),
    },
  ];
}

const jestReport = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numRuntimeErrorTestSuites: z.int(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
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
  const failedFiles = found.testResults.flatMap(({ name, status, assertionResults }) => {
    const passed = assertionResults.filter((test) => test.status === 'passed').length;
    return status === 'failed' ? [{ file: relative(productFolder, name), passed }] : [];
  });
  return {
    passed: found.numPassedTests,
    failed: found.numFailedTests + found.numRuntimeErrorTestSuites,
    failures,
    failedFiles,
  };
}

/** The counts when the failed files were run again: theirs of the second run replace those of the first one. */
export function afterRepeat(first: Tally, second: Tally): Tally {
  const replaced = (first.failedFiles ?? []).reduce((sum, { passed }) => sum + passed, 0);
  return {
    ...second,
    passed: first.passed - replaced + second.passed,
    flaky: second.failed === 0 ? (first.failures ?? []) : [],
  };
}

const playwrightError = z.object({ message: z.string().optional() });
const playwrightTest = z.object({
  status: z.enum(['expected', 'unexpected', 'flaky', 'skipped']),
  annotations: z.array(z.object({ type: z.string() })),
  results: z.array(z.object({ errors: z.array(playwrightError) })),
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
  const failures = tests
    .filter(({ status }) => status === 'unexpected' || status === 'flaky')
    .map(({ rule, results }) => `${rule}: ${excerpt(results.flatMap((result) => result.errors)[0]?.message)}`);
  return {
    passed,
    failed: tests.length - passed - unavailable + errors.length,
    failures: [...failures, ...errors.map(({ message }) => excerpt(message))],
  };
}

function testsOf({
  title,
  specs,
  suites = [],
}: PlaywrightSuite): (z.infer<typeof playwrightTest> & { rule: string })[] {
  const own = specs.flatMap((spec) => spec.tests.map((test) => ({ ...test, rule: `${title}: ${spec.title}` })));
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

function script(name: string): Check {
  return { name, command: ['pnpm', 'run', '--silent', name] };
}

function bin(name: string) {
  return join(productFolder, 'node_modules', '.bin', name);
}

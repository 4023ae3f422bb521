import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readIfThere } from '../files.ts';
import { productFolder } from '../paths.ts';

/** How many tests passed and failed. */
export type Tally = {
  readonly passed: number;
  readonly failed: number;
};

/** One check of `./overtone test`. */
export type Check = {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  /** Parses counts from output and exit code; a check without a parser is a single test. */
  readonly count?: (result: { code: number; output: string }) => Tally;
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
    { name: 'lock file', command: ['pnpm', 'install', '--frozen-lockfile', '--lockfile-only'] },
    {
      name: 'contracts',
      command: [process.execPath, join(productFolder, 'packages', 'contracts', 'src', 'generate.main.ts'), '--check'],
    },
  ];
}

/** The tests of one ring. */
export function ring(name: 'pure' | 'it'): Check {
  const report = join(resultsFolder, `jest-${name}.json`);
  rmSync(report, { force: true }); // an interrupted run must not be counted by an old report
  return {
    name: `tests (${name})`,
    command: [bin('jest'), '--ci', '--selectProjects', name, '--json', `--outputFile=${report}`],
    env: { NODE_OPTIONS: '--experimental-vm-modules --no-warnings' },
    count: ({ code }) => atLeastOneFailure(code, jestTally(readIfThere(report))),
  };
}

/** The checks of the running product, in its own process. */
export function endToEnd(): Check[] {
  const main = join(productFolder, 'packages', 'e2e', 'src', 'run.main.ts');
  if (!existsSync(main)) return [];
  const screenshots = join(resultsFolder, 'screenshots');
  return [
    {
      name: 'tests (e2e)',
      command: [process.execPath, main, '--screenshots', screenshots],
      count: ({ code, output }) => atLeastOneFailure(code, printedTally(output)),
    },
  ];
}

const jestReport = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numRuntimeErrorTestSuites: z.int(),
});

/** The counts in Jest's report; a file that could not be run is one failure. */
export function jestTally(report: string | undefined): Tally {
  if (report === undefined) return { passed: 0, failed: 0 };
  const found = jestReport.parse(JSON.parse(report));
  return { passed: found.numPassedTests, failed: found.numFailedTests + found.numRuntimeErrorTestSuites };
}

/** The counts in a last line like `12 passed, 1 failed`. */
export function printedTally(output: string): Tally {
  const last = [...output.matchAll(/^(\d+) passed, (\d+) failed$/gm)].at(-1);
  return { passed: Number(last?.[1] ?? 0), failed: Number(last?.[2] ?? 0) };
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

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere } from '../files.ts';
import { productFolder } from '../paths.ts';
import { atLeastOneFailure, jestTally, playwrightTally, type Tally } from './reports.ts';

/** One check of `./overtone test`. */
export type Check = {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  /** Parses counts from output and exit code; a check without a parser is a single test. */
  readonly count?: (result: { code: number; output: string }) => Tally;
  /** Lines of the output that are shown although it passed. */
  readonly notes?: (output: string) => readonly string[];
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

/** The tests of one ring; `elasticsearch` needs a JDK and Maven, or ELASTICSEARCH_TEST_URL; `helm` Go, or Helm; `models` a package registry. */
export function ring(project: 'pure' | 'it' | 'endurance' | 'elasticsearch' | 'helm' | 'models'): Check {
  const name = `tests (${project})`;
  const report = join(resultsFolder, `${logName(name)}.json`);
  rmSync(report, { force: true }); // an interrupted run must not be counted by an old report
  return {
    name,
    command: [bin('jest'), '--ci', '--selectProjects', project, '--json', `--outputFile=${report}`],
    env: { NODE_OPTIONS: '--experimental-vm-modules --no-warnings' },
    count: ({ code }) => {
      const tally = atLeastOneFailure(code, jestTally(readIfThere(report)));
      return tally.failed === 0 ? tally : { ...tally, failedSuites: [project] };
    },
  };
}

/** Makes the Python environment of faster-whisper. */
export function speechEnvironment(): Check {
  const main = join(productFolder, 'packages', 'cli', 'src', 'speech-environment.main.ts');
  return { name: 'environment of faster-whisper', command: [process.execPath, main] };
}

/** Speech on the GPU of this machine, in one script; its output has the figures. @param models their folder */
export function gpuTests(models?: string): Check {
  const main = join(productFolder, 'services', 'transcription-worker', 'test', 'gpu.main.ts');
  return {
    name: 'tests (gpu)',
    command: [process.execPath, main, ...(models === undefined ? [] : [models])],
    count: ({ code, output }) => {
      const failures = output.split('\n').filter((line) => line.startsWith('✗'));
      const passed = output.split('\n').filter((line) => line.startsWith('✓')).length;
      return atLeastOneFailure(code, { passed, failed: failures.length, failures });
    },
    notes: (output) => output.trim().split('\n'),
  };
}

/** The name of a check as that of a file. */
export function logName(check: string): string {
  return check
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim()
    .replaceAll(' ', '-');
}

/** Dialogs, forms and lists of the built pages in Chromium, with scripted responses. */
export function componentTests(): Check {
  return playwright('tests (components)', 'web-ui', 'components', []);
}

/** Spec files of the running product, in their own process; with `suite` only the suites whose name matches. */
export function endToEnd(specs: readonly string[], suite?: string): Check[] {
  if (!existsSync(join(productFolder, 'packages', 'e2e'))) return [];
  const check = playwright('tests (e2e)', 'e2e', 'e2e', [
    ...specs.flatMap((spec) => ['--project', spec]),
    ...(suite === undefined ? [] : ['--grep', suite]),
  ]);
  return [{ ...check, env: { OT_SCREENSHOTS: join(resultsFolder, 'screenshots') } }];
}

function playwright(name: string, packageName: string, reportName: string, args: readonly string[]): Check {
  const folder = join(productFolder, 'packages', packageName);
  const report = join(resultsFolder, `${reportName}.json`);
  rmSync(report, { force: true }); // an interrupted run must not be counted by an old report
  return {
    name,
    command: [join(folder, 'node_modules', '.bin', 'playwright'), 'test', '--config', folder, ...args],
    count: ({ code }) => atLeastOneFailure(code, playwrightTally(readIfThere(report))),
    notes: (output) => output.split('\n').filter((line) => /^ +(substituted|not run): /.test(line)),
  };
}

function script(name: string): Check {
  return { name, command: ['pnpm', 'run', '--silent', name] };
}

function bin(name: string) {
  return join(productFolder, 'node_modules', '.bin', name);
}

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { productFolder } from '../paths.ts';
import { Refusal } from '../refusal.ts';
import { ensurePackages, productPackages, testPackages } from '../setup/packages.ts';
import { prepare } from '../setup/prepare.ts';
import { lastLines, run } from '../setup/run.ts';
import {
  afterRepeat,
  endToEnd,
  logName,
  namedChecks,
  resultsFolder,
  ring,
  staticChecks,
  testNames,
  type Check,
  type Tally,
} from '../testing/checks.ts';
import { createTerminal, type Terminal } from '../terminal.ts';

const shownLines = 150;

/** Completes the setup, runs every check and test, or the named one, and prints the total counts. */
export async function test(name: string | undefined, options: { readonly quick?: boolean }): Promise<void> {
  const terminal = createTerminal();
  if (name !== undefined && !testNames.includes(name))
    throw new Refusal(`There is no test ${name}; there are: ${testNames.join(', ')}.`);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());
  mkdirSync(resultsFolder, { recursive: true });
  if (options.quick !== true) await ensurePackages([...productPackages, ...testPackages], terminal.step);
  terminal.busy('preparing');
  await prepare(terminal.done);
  // The checks of the sources are single-threaded and run in pairs; the test rings use both cores.
  const checks = name === undefined ? staticChecks() : [];
  const tallies = await pLimit(2).map(checks, (check) => runCheck(check, terminal, stop.signal));
  for (const check of checksOf(name, options.quick === true))
    tallies.push(await runRepeated(check, terminal, stop.signal));
  const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0);
  const failed = tallies.reduce((sum, tally) => sum + tally.failed, 0);
  if (failed > 0) process.exitCode = 1;
  // Repeated at the end, because the output of a failed check pushes the ones before it off the screen.
  for (const line of tallies.flatMap(({ flaky = [] }) => flaky))
    terminal.warn(`flaky, passed when its file ran alone: ${line}`);
  for (const line of tallies.flatMap(({ failures = [] }) => failures)) terminal.fail(line);
  terminal.line(`${passed} passed, ${failed} failed`);
}

function checksOf(name: string | undefined, quick: boolean): Check[] {
  if (name !== undefined) return namedChecks(name);
  return quick ? [ring('pure')] : [ring('pure'), ring('it'), ...endToEnd()];
}

async function runRepeated(check: Check, terminal: Terminal, signal: AbortSignal): Promise<Tally> {
  const tally = await runCheck(check, terminal, signal);
  const again = check.repeat?.(tally);
  return again === undefined ? tally : afterRepeat(tally, await runCheck(again, terminal, signal));
}

async function runCheck(check: Check, terminal: Terminal, signal: AbortSignal): Promise<Tally> {
  const from = Date.now();
  terminal.busy(check.name);
  const [command, ...args] = check.command;
  const result = await run(command, args, {
    cwd: productFolder,
    signal,
    ...(check.env === undefined ? {} : { env: check.env }),
  });
  const log = join(resultsFolder, `${logName(check.name)}.log`);
  writeFileSync(log, result.output);
  const tally = check.count?.(result) ?? single(check.name, result.code === 0);
  const counts = check.count === undefined ? '' : `: ${tally.passed} passed, ${tally.failed} failed`;
  const line = `${check.name}${counts} (${((Date.now() - from) / 1000).toFixed(1)} s)`;
  if (tally.failed === 0) terminal.done(line);
  else {
    terminal.fail(line);
    terminal.line(lastLines(result.output, shownLines));
    terminal.line(`  all of it: ${log}`);
  }
  return tally;
}

function single(name: string, isPassed: boolean): Tally {
  return isPassed ? { passed: 1, failed: 0 } : { passed: 0, failed: 1, failures: [name] };
}

import { randomInt } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { productFolder } from '../paths.ts';
import { Refusal } from '../refusal.ts';
import { ensurePackages, productPackages, testPackages } from '../setup/packages.ts';
import { prepare } from '../setup/prepare.ts';
import { lastLines, run } from '../setup/run.ts';
import { logName, resultsFolder, ring, staticChecks, type Check } from '../testing/checks.ts';
import type { Tally } from '../testing/reports.ts';
import { landingSeed, landingTests, namedTests } from '../testing/tiers.ts';
import { childCpuSeconds, instanceCpuSeconds, timings, type Usage } from '../testing/usage.ts';
import { createTerminal, type Terminal } from '../terminal.ts';

const shownLines = 150;

export type TestOptions = { readonly quick?: boolean; readonly timings?: boolean };
type Context = { readonly terminal: Terminal; readonly signal: AbortSignal; readonly seed: string };
type Group = { readonly name: string; readonly checks: readonly Check[] };

/** Completes the setup, runs the landing tier or the named tests, and prints the total counts. */
export async function test(name: string | undefined, part: string | undefined, options: TestOptions): Promise<void> {
  const terminal = createTerminal();
  const named = name === undefined ? undefined : namedTests[name];
  if (name !== undefined && named === undefined)
    throw new Refusal(`There is no test ${name}; there are: ${Object.keys(namedTests).join(', ')}.`);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());
  mkdirSync(resultsFolder, { recursive: true });
  if (options.quick !== true) {
    const wanted = [...productPackages, ...testPackages, ...(named?.packages ?? [])];
    await ensurePackages(wanted, terminal.step);
  }
  terminal.busy('preparing');
  await prepare(terminal.done);
  const drawn = named?.isRandom === true ? randomInt(1_000_000) : landingSeed;
  const context: Context = { terminal, signal: stop.signal, seed: process.env['OT_TEST_SEED'] ?? String(drawn) };
  terminal.line(`seed ${context.seed} (OT_TEST_SEED)`);
  const usage: Usage[] = [];
  for (const group of groupsOf(named?.checks(part), options.quick === true)) usage.push(await runGroup(group, context));
  report(
    usage.flatMap(({ tallies }) => tallies),
    name,
    context,
  );
  if (options.timings === true) for (const line of timings(usage)) terminal.line(line);
  const count = (of: 'passed' | 'failed'): number =>
    usage.flatMap(({ tallies }) => tallies).reduce((sum, tally) => sum + tally[of], 0);
  if (count('failed') > 0) process.exitCode = 1;
  terminal.line(`${count('passed')} passed, ${count('failed')} failed`);
}

function groupsOf(named: readonly Check[] | undefined, isQuick: boolean): Group[] {
  const rings = named ?? (isQuick ? [ring('pure')] : landingTests());
  const groups = rings.map((check) => ({ name: check.name, checks: [check] }));
  return named === undefined ? [{ name: 'checks of the sources', checks: staticChecks() }, ...groups] : groups;
}

/** Checks of the sources are single-threaded and run in pairs; a ring uses both cores. */
async function runGroup({ name, checks }: Group, context: Context): Promise<Usage> {
  const startedAt = performance.now();
  const cpuBefore = childCpuSeconds();
  const ran = await pLimit(2).map(checks, (check) => runCheck(check, context));
  const instances = ran.reduce((sum, { output }) => sum + instanceCpuSeconds(output), 0);
  return {
    name,
    seconds: (performance.now() - startedAt) / 1_000,
    cpuSeconds: childCpuSeconds() - cpuBefore + instances,
    tallies: ran.map(({ tally }) => tally),
  };
}

async function runCheck(
  check: Check,
  { terminal, signal, seed }: Context,
): Promise<{ readonly tally: Tally; readonly output: string }> {
  const from = Date.now();
  terminal.busy(check.name);
  const [command, ...args] = check.command;
  const result = await run(command, args, {
    cwd: productFolder,
    signal,
    // No test fetches a model, unless it is about that.
    env: { ...check.env, OT_TEST_SEED: seed, OT_SPEECH_MODEL: 'none' },
  });
  const log = join(resultsFolder, `${logName(check.name)}.log`);
  writeFileSync(log, result.output);
  const tally = check.count?.(result) ?? single(check.name, result.code === 0);
  const counts = check.count === undefined ? '' : `: ${tally.passed} passed, ${tally.failed} failed`;
  const line = `${check.name}${counts} (${((Date.now() - from) / 1000).toFixed(1)} s)`;
  for (const note of check.notes?.(result.output) ?? []) terminal.line(note);
  if (tally.failed === 0) terminal.done(line);
  else {
    terminal.fail(line);
    terminal.line(lastLines(result.output, shownLines));
    terminal.line(`  all of it: ${log}`);
  }
  return { tally, output: result.output };
}

/** Repeated at the end, because the output of a failed check pushes the ones before it off the screen. */
function report(tallies: readonly Tally[], name: string | undefined, { terminal, seed }: Context): void {
  for (const line of tallies.flatMap(({ failures = [] }) => failures)) terminal.fail(line);
  if (name === undefined || namedTests[name]?.isRandom !== true) return;
  for (const suite of tallies.flatMap(({ failedSuites = [] }) => failedSuites))
    terminal.line(`repeat: OT_TEST_SEED=${seed} ./overtone test ${name} '${suite}'`);
}

function single(name: string, isPassed: boolean): Tally {
  return isPassed ? { passed: 1, failed: 0 } : { passed: 0, failed: 1, failures: [name] };
}

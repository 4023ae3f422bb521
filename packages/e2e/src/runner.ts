import { setTimeout as sleep } from 'node:timers/promises';

/** The end of patience, not a promise of speed: machines differ. */
const patienceMs = 300_000;

type Print = (line: string) => void;
/**
 * One rule of the product and how it is checked; what `run` says is printed with its result, a figure mostly. When a
 * `vital` one fails, the rest of its suite cannot be judged.
 */
export type Check = { rule: string; run: (say: Print) => Promise<void>; limitMs?: number; vital?: boolean };
export type Suite = {
  name: string;
  checks: Check[];
  /** Why this machine cannot run the suite; it is then skipped and the reason printed. */
  unavailable?: () => Promise<string | undefined>;
  /** What is printed when a check fails, of a suite with an instance of its own. */
  evidence?: () => Promise<string>;
  close?: () => Promise<void>;
};
/** How a suite ended; of what failed its name and why, to be told again where it is read first: at the very end. */
export type Tally = { passed: number; failed: string[] };

const colour = process.stdout.isTTY
  ? { ok: '\x1b[32m', bad: '\x1b[31m', off: '\x1b[0m' }
  : { ok: '', bad: '', off: '' };
const seconds = (from: number): string => `${((Date.now() - from) / 1000).toFixed(1)} s`;
const indented = (text: string): string => text.replaceAll(/^/gm, '      ');
const explain = (error: unknown): string =>
  error instanceof Error
    ? `${error.stack ?? error.message}${error.cause ? `\ncaused by ${explain(error.cause)}` : ''}`
    : String(error);

const withLimit = async (check: Check, say: Print): Promise<void> => {
  const stop = new AbortController();
  const limit = check.limitMs ?? patienceMs;
  const late = sleep(limit, undefined, { signal: stop.signal }).then(
    () => {
      throw new Error(`not done within ${limit / 1000} s`);
    },
    () => undefined,
  );
  try {
    await Promise.race([check.run(say), late]);
  } finally {
    stop.abort();
  }
};

/** @returns why it failed, or nothing */
const attempt = async (check: Check, evidence: () => Promise<string>, print: Print): Promise<string | undefined> => {
  const from = Date.now();
  try {
    await withLimit(check, (figure) => print(`        ${figure}`));
    print(`  ${colour.ok}ok${colour.off}    ${check.rule} (${seconds(from)})`);
    return undefined;
  } catch (error) {
    print(`  ${colour.bad}FAIL${colour.off}  ${check.rule} (${seconds(from)})`);
    const why = indented(explain(error));
    print(why);
    print(indented(await evidence().catch((e: unknown) => `no evidence: ${String(e)}`)));
    return why;
  }
};

/** Checks the rules of a suite one after another and prints each result. */
export const runSuite = async (suite: Suite, evidence: () => Promise<string>, print: Print): Promise<Tally> => {
  const from = Date.now();
  print(suite.name);
  const tally: Tally = { passed: 0, failed: [] };
  const reason = await suite.unavailable?.();
  if (reason !== undefined) {
    print(`  skipped: ${reason}`);
    return tally;
  }
  let broken = false;
  for (const check of suite.checks) {
    if (broken) {
      print(`  ${colour.bad}FAIL${colour.off}  ${check.rule} (not reached)`);
      tally.failed.push(`${suite.name}: ${check.rule} (not reached)`);
      continue;
    }
    const why = await attempt(check, suite.evidence ?? evidence, print);
    if (why === undefined) tally.passed++;
    else tally.failed.push(`${suite.name}: ${check.rule}\n${why}`);
    broken ||= why !== undefined && check.vital === true;
  }
  await suite.close?.();
  print(`  ${suite.name}: ${seconds(from)}`);
  return tally;
};

/** Asks again until `question` has an answer. */
export const until = async <T>(
  what: string,
  question: () => Promise<T | undefined | null | false>,
  limitMs = 120_000,
  everyMs = 100,
): Promise<T> => {
  const deadline = Date.now() + limitMs;
  let last: unknown;
  for (;;) {
    try {
      const answer = await question();
      if (answer !== undefined && answer !== null && answer !== false) return answer;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) throw new Error(`${what}: not within ${limitMs / 1000} s`, { cause: last });
    await sleep(everyMs);
  }
};

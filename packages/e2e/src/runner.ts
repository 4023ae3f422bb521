import { setTimeout as sleep } from 'node:timers/promises';

/** Default time limit of a check; generous, because machines differ. */
const defaultLimitMs = 300_000;

type Print = (line: string) => void;
/**
 * One rule of the product and its check. The lines that `run` logs are printed with the result. When a `vital` check
 * fails, the remaining checks of its suite are not run.
 */
export type Check = { rule: string; run: (log: Print) => Promise<void>; limitMs?: number; vital?: boolean };
export type Suite = {
  name: string;
  checks: Check[];
  /** The reason why this machine cannot run the suite; it is printed and the suite is skipped. */
  unavailable?: () => Promise<string | undefined>;
  /** Diagnostics to print when a check fails, for a suite with its own instance. */
  evidence?: () => Promise<string>;
  close?: () => Promise<void>;
};
/** The result of a suite. Failures are printed again at the end of the run. */
export type Tally = { passed: number; failed: string[] };

const colour = process.stdout.isTTY
  ? { ok: '\x1b[32m', bad: '\x1b[31m', off: '\x1b[0m' }
  : { ok: '', bad: '', off: '' };

/** Checks the rules of a suite one after another and prints each result. */
export async function runSuite(suite: Suite, evidence: () => Promise<string>, print: Print): Promise<Tally> {
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
    const failure = await runCheck(check, suite.evidence ?? evidence, print);
    if (failure === undefined) tally.passed++;
    else tally.failed.push(`${suite.name}: ${check.rule}\n${failure}`);
    broken ||= failure !== undefined && check.vital === true;
  }
  await suite.close?.();
  print(`  ${suite.name}: ${seconds(from)}`);
  return tally;
}

/** Calls `read` repeatedly until it returns a value other than undefined, null and false. */
export async function until<T>(
  what: string,
  read: () => Promise<T | undefined | null | false>,
  limitMs = 120_000,
  everyMs = 100,
): Promise<T> {
  const deadline = Date.now() + limitMs;
  let last: unknown;
  for (;;) {
    try {
      const value = await read();
      if (value !== undefined && value !== null && value !== false) return value;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) throw new Error(`${what}: not within ${limitMs / 1000} s`, { cause: last });
    await sleep(everyMs);
  }
}

/** @returns the failure message; undefined when the check passed. */
async function runCheck(check: Check, evidence: () => Promise<string>, print: Print): Promise<string | undefined> {
  const from = Date.now();
  try {
    await withLimit(check, (figure) => print(`        ${figure}`));
    print(`  ${colour.ok}ok${colour.off}    ${check.rule} (${seconds(from)})`);
    return undefined;
  } catch (error) {
    print(`  ${colour.bad}FAIL${colour.off}  ${check.rule} (${seconds(from)})`);
    const message = indented(explain(error));
    print(message);
    print(indented(await evidence().catch((error: unknown) => `no evidence: ${String(error)}`)));
    return message;
  }
}

function seconds(from: number): string {
  return `${((Date.now() - from) / 1000).toFixed(1)} s`;
}

async function withLimit(check: Check, log: Print): Promise<void> {
  const stop = new AbortController();
  const limit = check.limitMs ?? defaultLimitMs;
  const timeout = sleep(limit, undefined, { signal: stop.signal }).then(
    () => {
      throw new Error(`not done within ${limit / 1000} s`);
    },
    () => undefined,
  );
  try {
    await Promise.race([check.run(log), timeout]);
  } finally {
    stop.abort();
  }
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '      ');
}

function explain(error: unknown): string {
  return error instanceof Error
    ? `${error.stack ?? error.message}${error.cause ? `\ncaused by ${explain(error.cause)}` : ''}`
    : String(error);
}

import { test } from '@playwright/test';
import pTimeout from 'p-timeout';

/** A choice from alternatives that take long: one in `oneOf`, the `seed` decides which; 1 chooses all. */
export type Choice = { oneOf: number; seed: number };

export function choose<T>(items: readonly T[], { oneOf, seed }: Choice): T[] {
  return items.filter((_, at) => at % oneOf === seed % oneOf);
}

/** Time limit of a check without its own; generous, because machines differ. */
export const defaultLimitMs = 300_000;

/** One rule of the product and its check. The figures that `run` logs are printed. */
export type Check = {
  rule: string;
  run: (log: (figure: string) => void) => Promise<void>;
  limitMs?: number;
  /** Runs in the nightly tier only; no other check depends on it. */
  isNightly?: boolean;
};
/** Checks that depend on each other in this order: after a failed one, the others are not run. */
export type Suite = {
  name: string;
  checks: Check[];
  /** The reason why this machine cannot run the suite, which is then skipped. */
  unavailable?: () => Promise<string | undefined>;
  /** Diagnostics to print when a check fails, for a suite with its own instance. */
  evidence?: () => Promise<string>;
  close?: () => Promise<void>;
};

/** Marks the checks that `create` returns as those of the nightly tier. */
export function forNightly<A extends unknown[]>(create: (...args: A) => Check): (...args: A) => Check {
  return (...args) => ({ ...create(...args), isNightly: true });
}

/** The suite without the checks of the nightly tier. */
export function landingPart(suite: Suite): Suite {
  return { ...suite, checks: suite.checks.filter(({ isNightly }) => isNightly !== true) };
}

/**
 * Registers suites with Playwright Test, in this order.
 * @param evidence returns the diagnostics that are printed with a failed check.
 */
export function registerSuites(suites: readonly Suite[], evidence: () => Promise<string>): void {
  for (const suite of suites) {
    test.describe.serial(suite.name, () => {
      let reason: string | undefined;
      test.beforeAll(async () => {
        reason = await suite.unavailable?.();
        if (reason !== undefined) test.skip(true, reason);
      });
      test.afterAll(async () => {
        if (reason === undefined) await suite.close?.();
      });
      for (const check of suite.checks) registerCheck(check, suite.evidence ?? evidence);
    });
  }
}

function registerCheck({ rule, run, limitMs = defaultLimitMs }: Check, evidence: () => Promise<string>): void {
  test(rule, async () => {
    // The limit of the test itself would end it without the diagnostics.
    test.setTimeout(limitMs + 60_000);
    try {
      await pTimeout(
        run((figure) => console.log(`        ${figure}`)),
        { milliseconds: limitMs },
      );
    } catch (error) {
      console.log(await evidence().catch((reason: unknown) => `no evidence: ${String(reason)}`));
      throw error;
    }
  });
}

/**
 * An object that is made later: suites are registered before their instance is started, and read it only in their checks.
 * @throws Error when it is read before `set`.
 */
export function createDeferred<T extends object>(name: string): { value: T; set: (made: T) => void } {
  let made: T | undefined;
  const value = new Proxy({} as T, {
    get: (_, key) => {
      if (made === undefined) throw new Error(`${name} is read before it is started`);
      return Reflect.get(made, key) as unknown;
    },
  });
  return { value, set: (given) => (made = given) };
}

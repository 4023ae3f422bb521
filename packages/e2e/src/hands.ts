import assert from 'node:assert/strict';
import type { Browser } from '@playwright/test';
import { openPage, type Watched } from './browser.ts';
import type { Check } from './suite.ts';

/** A user with their own browser context. */
export type Hands = Watched & {
  /** Signs in on the sign-in page; `heading` is the heading of the next page. */
  signIn: (email: string, password: string, heading: string) => Promise<void>;
};

export async function openHands(browser: Browser, baseUrl: string, folder: string): Promise<Hands> {
  const watched = await openPage(browser, baseUrl, folder);
  const { page } = watched;
  const signIn: Hands['signIn'] = async (email, password, heading) => {
    await page.goto('/sign-in');
    await page.getByLabel('User name or e-mail address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: heading }).waitFor();
  };
  return { ...watched, signIn };
}

/**
 * A check that fails on any browser error except those that match `expected`: a browser logs every error status, even
 * one that the check expects.
 */
export function watchedStep(everybody: () => readonly Hands[]) {
  return (rule: string, run: Check['run'], expected: RegExp = /(?!)/): Check => ({
    rule,
    run: async (log) => {
      const faults = (): string[] =>
        everybody().flatMap((hands) => hands.faults.filter((fault) => !expected.test(fault)));
      try {
        await run(log);
        assert.deepEqual(faults(), [], 'a browser reports errors');
      } catch (error) {
        const name = `failed-${rule.replaceAll(/\W+/g, '-').slice(0, 60)}`;
        const paths = await Promise.all(everybody().map((hands, i) => hands.snap(`${name}-${i}`).catch(() => 'none')));
        throw new Error(`${reasonOf(error)}\nscreenshots: ${paths.join(' ')}`, { cause: error });
      } finally {
        for (const hands of everybody()) hands.faults.length = 0;
      }
    },
  });
}

/** The message with those of the causes, which the reporter does not print. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${reasonOf(error.cause)}`;
}

import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { openPage, type Watched } from './browser.ts';
import type { Check } from './runner.ts';

/** Somebody at a browser of their own. */
export type Hands = Watched & {
  /** Goes to the sign-in page and signs in; `heading` is what they see then. */
  signIn: (email: string, password: string, heading: string) => Promise<void>;
};

export const openHands = async (browser: Browser, baseUrl: string, folder: string): Promise<Hands> => {
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
};

/**
 * A check during which no browser may complain, except of what is `expected`: a refusal that the check is about prints
 * its status by itself.
 */
export const watchedStep =
  (everybody: () => readonly Hands[]) =>
  (rule: string, run: Check['run'], expected: RegExp = /(?!)/): Check => ({
    rule,
    run: async (say) => {
      const faults = (): string[] => everybody().flatMap((hands) => hands.faults.filter((f) => !expected.test(f)));
      try {
        await run(say);
        assert.deepEqual(faults(), [], 'a browser complains');
      } catch (error) {
        const name = `failed-${rule.replaceAll(/\W+/g, '-').slice(0, 60)}`;
        const paths = await Promise.all(everybody().map((h, i) => h.snap(`${name}-${i}`).catch(() => 'none')));
        throw new Error(`screenshots: ${paths.join(' ')}`, { cause: error });
      } finally {
        for (const hands of everybody()) hands.faults.length = 0;
      }
    },
  });

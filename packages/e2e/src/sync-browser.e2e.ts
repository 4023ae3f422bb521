import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { barriers } from './barriers.ts';
import { fitsWidth, launchBrowser } from './browser.ts';
import { signIn, type Client } from './client.ts';
import type { Context } from './context.ts';
import { openHands, watchedStep, type Hands } from './hands.ts';
import { admin } from './instance.ts';
import type { Suite } from './runner.ts';

/** The page of the directory sweep, on an instance without a directory. */
export const syncInTheBrowser = ({ instance, screenshots }: Context): Suite => {
  let browser: Browser;
  let boss: Hands;
  let page: Page;
  let client: Client;
  const step = watchedStep(() => [boss]);
  const stored = () => client.ok<{ schedule: string; dry_run: boolean }>('GET', '/api/admin/directory-sync');
  return {
    name: 'The directory sweep, by hand in Chromium',
    checks: [
      {
        rule: 'Chromium starts and the administrator signs in',
        vital: true,
        run: async () => {
          client = await signIn(instance.baseUrl, admin.email, admin.password);
          browser = await launchBrowser();
          boss = await openHands(browser, instance.baseUrl, screenshots);
          page = boss.page;
          await boss.signIn(admin.email, admin.password, 'Library');
        },
      },
      step('the schedule is told in words, with its next five times', async () => {
        await page.goto('/admin/directory-sync');
        await page.getByText('At 04:00 (UTC)').waitFor();
        assert.equal((await page.getByTestId('next-runs').innerText()).split(' · ').length, 5);
      }),
      step(
        'a schedule that is none is refused at its field, and nothing is saved',
        async () => {
          await page.getByRole('textbox', { name: 'Schedule' }).fill('every day');
          await page.getByRole('button', { name: 'Save' }).click();
          await page
            .getByText(/not a cron expression/)
            .first()
            .waitFor();
          assert.equal((await stored()).schedule, '0 4 * * *');
          await page.getByRole('button', { name: 'Discard' }).click();
        },
        /\b400\b/,
      ),
      step('a changed schedule is saved and counts', async () => {
        await page.getByRole('textbox', { name: 'Schedule' }).fill('30 2 * * 1');
        await page.getByText(/02:30.*Monday/).waitFor();
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText(/^Saved\./).waitFor();
        assert.equal((await stored()).schedule, '30 2 * * 1');
      }),
      step('a dry run without a directory says so, and stands in the list of passes', async () => {
        await page.getByRole('button', { name: 'Try it (dry run)' }).click();
        await page.getByTestId('last-pass').getByText('Sign-in with the directory is switched off.').waitFor();
        await page.getByTestId('passes').getByText('switched off', { exact: true }).first().waitFor();
        await page.getByTestId('last-pass').getByRole('link', { name: 'Report' }).click();
        await page.getByRole('heading', { name: 'Dry run' }).waitFor();
        await page.getByText('Accounts checked').waitFor();
      }),
      step('nothing keeps anybody out, in light and dark, and nothing sticks out on a small screen', async () => {
        await page.goto('/admin/directory-sync');
        await page.getByText('Schedule and limits').waitFor();
        assert.deepEqual(await barriers(page), []);
        await page.setViewportSize({ width: 360, height: 780 });
        assert.equal(await fitsWidth(page), true);
        await boss.snap('directory-sync-360');
      }),
    ],
    close: async () => {
      await browser?.close();
    },
  };
};

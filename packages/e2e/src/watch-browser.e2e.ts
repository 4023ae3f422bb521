import assert from 'node:assert/strict';
import { copyFile, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { barriers, schemesAt, widthsInPassing } from './barriers.ts';
import { fitsWidth, launchBrowser } from './browser.ts';
import type { ScriptedContext } from './context.ts';
import { openHands, watchedStep, type Hands } from './hands.ts';
import { admin } from './instance.ts';
import { createCopy } from './scripted.ts';
import { forNightly, type Check, type Suite } from './suite.ts';
import { jobLimitMs, until } from './until.ts';

const slow = { timeout: jobLimitMs };

/** Administration > Watch sources, from the form to the transcript of a file in the folder. */
export function watchInTheBrowser({ scripted, recordings, screenshots }: ScriptedContext): Suite {
  let browser: Browser | undefined;
  let boss: Hands;
  let page: Page;
  let folder = '';
  const step = watchedStep(() => [boss]);
  const nightly = forNightly(step);
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const fill = (name: string, text: string) => page.getByRole('textbox', { name, exact: true }).fill(text);
  const row = () => page.locator('[data-source="Conference room"]');
  const openPage = async (): Promise<void> => {
    await page.goto('/admin/watch-sources');
    await page.getByRole('heading', { name: 'Watch sources' }).waitFor();
  };
  const look = async (name: string): Promise<void> => {
    for (const width of widthsInPassing()) {
      await page.setViewportSize({ width, height: 900 });
      assert.deepEqual(await barriers(page, schemesAt(width)), []);
      await until(`${name} fits into ${width} pixels`, () => fitsWidth(page));
      await page.screenshot({ path: join(screenshots, `watch-${name}-${width}.png`), fullPage: true });
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  };

  const checks: Check[] = [
    {
      rule: 'Chromium starts, and a folder may be watched',
      run: async () => {
        const { instance, watchRoot } = await scripted.get();
        folder = join(watchRoot, 'conference-room');
        await mkdir(folder);
        browser = await launchBrowser();
        boss = await openHands(browser, instance.baseUrl, screenshots);
        page = boss.page;
        await boss.signIn(admin.email, admin.password, 'Library');
      },
    },
    step(
      'a folder that may not be watched is refused at its field, and the entry is kept',
      async () => {
        await openPage();
        await page.getByText('No folder or bucket is watched yet.').waitFor();
        await press('Add source');
        await fill('Name', 'Conference room');
        await fill('Folder', '/etc');
        await fill('Owner', admin.email);
        await page.getByRole('textbox', { name: 'Import after this many seconds without a change' }).fill('1');
        await page.getByRole('textbox', { name: 'Look for changes every this many seconds' }).fill('2');
        await press('Save');
        await page.getByText('The folder must be below').first().waitFor();
        assert.equal(await page.getByRole('textbox', { name: 'Folder', exact: true }).inputValue(), '/etc');
      },
      /\b400\b/,
    ),
    step('a test lists the files of the folder, and the source is watched after it was saved', async () => {
      await fill('Folder', folder);
      await press('Test source');
      await page.getByText('The source can be read').waitFor();
      await look('form');
      await press('Save');
      await row().getByText('Watching').waitFor(slow);
    }),
    step('a recording in the folder is imported and transcribed', async () => {
      const recording = await createCopy(recordings.brief.path, recordings.folder, 9_402);
      await mkdir(join(folder, 'Budget'));
      await copyFile(recording, join(folder, 'Budget', 'Watched interview.wav'));
      await row().getByText('1 imported').waitFor(slow);
      await look('sources');
      await row().getByRole('button', { name: 'Decisions' }).click();
      await page
        .locator('[data-path="Budget/Watched interview.wav"]')
        .getByText('The recording is in the library.')
        .waitFor();
      await look('decisions');
      await page.getByRole('link', { name: 'Budget/Watched interview.wav' }).click();
      await page.getByRole('heading', { name: 'Watched interview' }).waitFor();
      await page.getByTestId('segment').first().waitFor(slow);
      await page.getByText('Budget', { exact: true }).first().waitFor();
    }),
    nightly('the same recording under another name is a duplicate with a reason', async () => {
      await copyFile(join(folder, 'Budget', 'Watched interview.wav'), join(folder, 'copy.wav'));
      await openPage();
      await row().getByText('1 duplicate').waitFor(slow);
      await row().getByRole('button', { name: 'Decisions' }).click();
      await page.getByRole('searchbox', { name: 'Search for a file name' }).fill('copy');
      await page.locator('[data-path="copy.wav"]').getByText('The owner has this recording already.').waitFor();
      await until('only the copy is listed', async () => (await page.locator('[data-path]').count()) === 1);
    }),
    nightly('a folder that disappears is unavailable, and what was imported stays', async () => {
      await rename(folder, `${folder}-unmounted`);
      await openPage();
      await row().getByText('Unavailable').waitFor(slow);
      await row().getByText('is missing').waitFor();
      await look('unavailable');
      await rename(`${folder}-unmounted`, folder);
      await row().getByText('Watching').waitFor(slow);
      await row().getByText('1 imported').waitFor();
    }),
    step('a removed source disappears, and its recordings stay in the library', async () => {
      await openPage();
      await row().getByRole('button', { name: 'Remove' }).click();
      await press('Stop watching');
      await page.getByText('No folder or bucket is watched yet.').waitFor();
      await page.goto('/');
      await page.getByRole('link', { name: 'Watched interview' }).first().waitFor(slow);
    }),
  ];
  return {
    name: 'Watch sources in Chromium',
    checks,
    close: async () => {
      await browser?.close();
    },
  };
}

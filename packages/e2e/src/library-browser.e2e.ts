import assert from 'node:assert/strict';
import type { Browser, Page } from '@playwright/test';
import { dropFile, fitsWidth, launchBrowser } from './browser.ts';
import { signIn, type Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { openHands, watchedStep, type Hands } from './hands.ts';
import { admin } from './instance.ts';
import { forNightly, type Suite } from './suite.ts';
import { jobLimitMs, until } from './until.ts';
import { createCopy, uploadWithRetry } from './scripted.ts';

/** Requests that were refused by the browser while it was offline. */
const offlineErrors = /ERR_INTERNET_DISCONNECTED|WebSocket/;
const titles = [9_101, 9_102, 9_103].map((number) => `copy-${number}`);

/** Bulk actions, uploads without a connection, and notices, as a person uses them in the library. */
export function libraryInTheBrowser({ scripted, recordings, screenshots }: ScriptedContext): Suite {
  let browser: Browser;
  let person: Hands;
  let page: Page;
  let api: Client;
  const step = watchedStep(() => [person]);
  const nightly = forNightly(step);
  const upload = async (number: number) =>
    uploadWithRetry(api, await createCopy(recordings.brief.path, recordings.folder, number));

  async function openLibrary(): Promise<void> {
    await page.goto('/');
    await page.getByTestId('file-list').waitFor();
  }
  async function select(chosen: readonly string[]): Promise<void> {
    for (const title of chosen) await page.getByRole('checkbox', { name: `Select ${title}` }).check();
    await page.getByTestId('bulk-bar').getByText(`${chosen.length} selected`).waitFor();
  }
  const card = (title: string) => page.getByTestId('file-card').filter({ hasText: title });

  return {
    name: 'The library in Chromium',
    checks: [
      {
        rule: 'three recordings are transcribed, and the person signs in',
        run: async () => {
          const { instance } = await scripted.get();
          api = await signIn(instance.baseUrl, admin.email, admin.password);
          for (const number of [9_101, 9_102, 9_103]) await api.completed(await upload(number));
          await api.send('POST', '/api/groups', { name: 'Editors of the library' });
          browser = await launchBrowser();
          person = await openHands(browser, instance.baseUrl, screenshots);
          page = person.page;
          await person.signIn(admin.email, admin.password, 'Library');
        },
      },
      step('tags every selected recording, and the cards show the tag', async () => {
        await openLibrary();
        await select(titles);
        await page.getByRole('button', { name: 'Tag 3 recordings' }).click();
        const dialog = page.getByRole('dialog');
        await dialog
          .getByRole('combobox', { name: 'Tags' })
          .or(dialog.getByRole('textbox', { name: 'Tags' }))
          .fill('weekly');
        await page.keyboard.press('Enter');
        // Closes the list of tags, which may cover the button.
        await page.keyboard.press('Tab');
        await dialog.getByRole('button', { name: 'Add tags' }).click();
        await page.getByText('Tagged 3 recordings.').waitFor();
        for (const title of titles) await card(title).getByText('weekly').waitFor();
      }),
      step('shares the selected recordings with a group', async () => {
        await select(titles.slice(0, 2));
        await page.getByRole('button', { name: 'Share 2 recordings' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByText('A group', { exact: true }).click();
        await dialog
          .getByRole('combobox', { name: 'Group' })
          .or(dialog.getByRole('textbox', { name: 'Group' }))
          .click();
        await page.getByRole('option', { name: 'Editors of the library' }).click();
        await dialog.getByRole('button', { name: 'Share', exact: true }).click();
        await page.getByText('Shared 2 recordings.').waitFor();
      }),
      step('moves the selected recordings to the bin, and undo restores them', async () => {
        await select(titles.slice(0, 2));
        await person.snap('library-selected');
        await page.getByRole('button', { name: 'Delete 2 recordings' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
        await page.getByText('Moved to the bin: 2 recordings.').waitFor();
        await card(titles[0]!).waitFor({ state: 'detached' });
        await page.getByRole('button', { name: 'Undo' }).click();
        await card(titles[0]!).waitFor();
        await card(titles[1]!).getByText('weekly').waitFor();
      }),
      nightly('the bar of the selection fits into 360 pixels', async () => {
        await page.setViewportSize({ width: 360, height: 740 });
        await select(titles.slice(0, 1));
        assert.ok(await fitsWidth(page));
        await person.snap('library-selected-narrow');
        await page.getByRole('button', { name: 'Clear the selection' }).click();
        await page.setViewportSize({ width: 1280, height: 800 });
      }),
      nightly(
        'an upload without a connection survives a click to a page that was not opened before, and continues',
        async () => {
          await openLibrary();
          await dropFile(page, await createCopy(recordings.brief.path, recordings.folder, 9_104), 'audio/wav');
          await page.getByRole('button', { name: 'Upload and transcribe' }).waitFor();
          // The code of all pages is loaded ahead when the browser is idle.
          await page.waitForLoadState('networkidle');
          await page.context().setOffline(true);
          await page.getByRole('button', { name: 'Upload and transcribe' }).click();
          const item = page.getByTestId('upload-item').filter({ hasText: 'copy-9104' });
          await until('the upload waits', async () => (await item.getAttribute('data-phase')) === 'waiting');
          await page.getByRole('link', { name: 'Search' }).click();
          await page.getByRole('heading', { name: 'Search', level: 1 }).waitFor();
          await page.getByRole('link', { name: 'Administration' }).click();
          await page.locator('#main h1').waitFor();
          await item.waitFor();
          await person.snap('upload-offline');
          await page.context().setOffline(false);
          await page.getByTestId('upload-panel').getByText('Uploads finished').waitFor({ timeout: jobLimitMs });
        },
        offlineErrors,
      ),
      step('a notice reports the end of a transcription and opens the file', async () => {
        await page.goto('/search');
        await page.getByRole('heading', { name: 'Search', level: 1 }).waitFor();
        await upload(9_105);
        const notice = page.locator('[role="status"]').filter({ hasText: 'The transcript of “copy-9105” is ready.' });
        await notice.getByRole('button', { name: 'Open' }).click();
        await page.getByTestId('transcript').waitFor();
        await page.getByRole('heading', { name: 'copy-9105' }).waitFor();
      }),
    ],
    evidence: async () => scripted.logsTail(),
    close: async () => {
      await browser?.close();
    },
  };
}

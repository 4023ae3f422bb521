import assert from 'node:assert/strict';
import type { Browser } from '@playwright/test';
import { launchBrowser, openPage, signInByHand, type Watched } from './browser.ts';
import { signIn, type Client } from './client.ts';
import type { Context } from './context.ts';
import { admin } from './instance.ts';
import { openByClick, passagesPerHour, secondsPerPassage, storeSpeech, wordsPerPassage } from './long-speech.ts';
import type { Suite } from './suite.ts';
import { until } from './until.ts';

const hours = 10;
const segments = hours * passagesPerHour;
const title = 'Ten hours of hearings';

export function tenHours({ instance, screenshots }: Context): Suite {
  let browser: Browser;
  let watched: Watched;
  let api: Client;
  let uuid = '';
  return {
    name: 'Ten hours of speech',
    checks: [
      {
        rule: `a transcript of ${segments * wordsPerPassage} words is stored`,
        run: async () => {
          api = await signIn(instance.baseUrl, admin.email, admin.password);
          uuid = await storeSpeech(instance, api, { title, hours });
          const file = await api.file(uuid, '?segment_limit=1');
          assert.equal(file.total_segments, segments);
          browser = await launchBrowser();
          watched = await openPage(browser, instance.baseUrl, screenshots);
          await signInByHand(watched.page);
        },
      },
      {
        rule: 'the file opens at its first words',
        run: async (log) => {
          const { page } = watched;
          const times: number[] = [];
          for (let round = 0; round < 3; round++) {
            await page.goto('/');
            times.push(await openByClick(page, uuid));
          }
          // The goal is a second on a quiet machine.
          log(`opened in ${times.map((time) => Math.round(time)).join(', ')} ms`);
        },
      },
      {
        rule: 'only visible passages are in the DOM, and the last passage can be reached by scrolling',
        run: async () => {
          const { page } = watched;
          assert.ok((await page.getByTestId('segment').count()) < 100);
          await until('the page has scrolled to the end', async () => {
            await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
            return (await page.locator(`[data-seg="${segments - 1}"]`).count()) === 1;
          });
          assert.ok((await page.getByTestId('segment').count()) < 100);
          await page
            .locator(`[data-seg="${segments - 1}"] [data-w="1"]`)
            .getByText(String(segments - 1))
            .waitFor();
        },
      },
      {
        rule: 'a link with a time in the ninth hour opens at that time',
        run: async () => {
          const { page } = watched;
          const second = 9 * 3600;
          await page.goto(`/files/${uuid}?t=${second}`);
          await page.locator(`[data-seg="${second / secondsPerPassage}"]`).waitFor();
        },
      },
    ],
    close: async () => {
      await browser?.close();
      await api?.call('DELETE', `/api/files/${uuid}`);
    },
  };
}

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { barriers, schemesAt, widths } from './barriers.ts';
import { fitsWidth, launchBrowser } from './browser.ts';
import { signIn, type Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { openHands, watchedStep, type Hands } from './hands.ts';
import { admin } from './instance.ts';
import { createCopy } from './scripted.ts';
import { forNightly, type Check, type Suite } from './suite.ts';
import { jobLimitMs, until } from './until.ts';

const slow = { timeout: jobLimitMs };

/** "Import from a link", from the dialog to the transcript. The scripted instance allows imports from 127.0.0.1. */
export function urlImportInTheBrowser({ scripted, recordings, screenshots }: ScriptedContext): Suite {
  let browser: Browser | undefined;
  let boss: Hands;
  let page: Page;
  let client: Client;
  let server: Server | undefined;
  let base = '';
  const step = watchedStep(() => [boss]);
  const nightly = forNightly(step);
  const openDialog = async () => {
    await page.getByRole('button', { name: 'More ways to add' }).click();
    await page.getByRole('menuitem', { name: 'Import from a link' }).click();
  };
  const start = async (url: string, title?: string): Promise<void> => {
    await page.goto('/');
    await openDialog();
    await page.getByRole('textbox', { name: 'Address' }).fill(url);
    if (title) await page.getByRole('textbox', { name: 'Title' }).fill(title);
    await page.getByRole('button', { name: 'Import and transcribe', exact: true }).dblclick();
  };

  const checks: Check[] = [
    {
      rule: 'Chromium starts, and a server offers a recording',
      run: async () => {
        const { instance } = await scripted.get();
        const path = await createCopy(recordings.brief.path, recordings.folder, 9_401);
        server = createServer((req, res) => {
          if (req.url === '/interview.wav')
            void readFile(path).then((bytes) => res.writeHead(200, { 'content-type': 'audio/wav' }).end(bytes));
          else res.writeHead(404).end();
        });
        server.listen(0, '127.0.0.1');
        await once(server, 'listening');
        base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
        client = await signIn(instance.baseUrl, admin.email, admin.password);
        browser = await launchBrowser();
        boss = await openHands(browser, instance.baseUrl, screenshots);
        page = boss.page;
        await boss.signIn(admin.email, admin.password, 'Library');
      },
    },
    step(
      'an address in a private network is refused in the dialog, and the entry is kept',
      async () => {
        await start('http://192.168.1.1/a.wav');
        await page.getByText('This address is inside a private network').waitFor();
        assert.equal(await page.getByRole('textbox', { name: 'Address' }).inputValue(), 'http://192.168.1.1/a.wav');
      },
      /\b400\b/,
    ),
    nightly('the dialog has no accessibility violations and fits into 360 pixels', async () => {
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        assert.deepEqual(await barriers(page, schemesAt(width)), []);
        await until(`the dialog fits into ${width} pixels`, () => fitsWidth(page));
        await page.screenshot({ path: join(screenshots, `import-${width}.png`) });
      }
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.getByRole('textbox', { name: 'Address' }).fill('');
    }),
    step('a recording is downloaded once after a double click, and transcribed', async () => {
      await start(`${base}/interview.wav`, 'Imported interview');
      await page.getByText('The recording is being downloaded.').waitFor();
      await page.getByRole('link', { name: 'Imported interview' }).first().click(slow);
      await page.getByTestId('segment').first().waitFor(slow);
      const { items } = await client.ok<{ items: { title: string }[] }>('GET', '/api/files?limit=100');
      assert.equal(items.filter(({ title }) => title === 'Imported interview').length, 1);
    }),
    nightly('the same recording again is reported as a duplicate, with a link to the first one', async () => {
      await start(`${base}/interview.wav`, 'Imported twice');
      await page.getByRole('link', { name: 'Imported twice' }).first().click(slow);
      await page.getByTestId('failure').getByText('You have uploaded this recording before.').waitFor(slow);
      await page.getByRole('link', { name: 'Open the recording' }).click();
      await page.getByRole('heading', { name: 'Imported interview' }).waitFor();
    }),
    nightly('an address without a recording fails with a reason and what to do', async () => {
      await start(`${base}/missing.wav`, 'Missing');
      await page.getByRole('link', { name: 'Missing' }).first().click(slow);
      await page.getByTestId('failure').getByText('The server does not hand out this recording').waitFor(slow);
    }),
  ];
  return {
    name: 'Import from a link in Chromium',
    checks,
    close: async () => {
      await browser?.close();
      server?.close();
    },
  };
}

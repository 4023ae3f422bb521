import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { barriers, schemesAt, widths } from './barriers.ts';
import { fitsWidth, launchBrowser, saveForm } from './browser.ts';
import { signIn, type Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { openHands, watchedStep, type Hands } from './hands.ts';
import { admin } from './instance.ts';
import { createCopy, uploadWithRetry } from './scripted.ts';
import { forNightly, type Check, type Suite } from './suite.ts';
import { jobLimitMs, until } from './until.ts';

const spoken = 'my name is Zebulon and the number is 415 555 2671 please call';
const number = '415 555 2671';

/** Masking of personal data, from the policy to a revealed number. */
export function redactionInTheBrowser({ scripted, recordings, screenshots }: ScriptedContext): Suite {
  let browser: Browser;
  let boss: Hands;
  let page: Page;
  let client: Client;
  let file: string;
  const watched = watchedStep(() => [boss]);
  /** After a change of what is masked, a summary of the old text is withheld until it is made again. */
  const step = (rule: string, run: Check['run'], expected = /409.*\/summary\?version=/): Check =>
    watched(rule, run, expected);
  const nightly = forNightly(step);
  const box = (name: string) => page.getByRole('checkbox', { name, exact: true });
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const savePolicy = () => saveForm(page);
  const scanned = () =>
    until(
      'the transcript is scanned',
      async () => {
        const { scan_status: status } = await client.ok<{ scan_status: string }>('GET', `/api/files/${file}/redaction`);
        return status === 'scanned';
      },
      jobLimitMs,
    );

  const checks: Check[] = [
    {
      rule: 'Chromium starts, and a transcript with personal data is scanned',
      run: async () => {
        const { instance } = await scripted.get();
        client = await signIn(instance.baseUrl, admin.email, admin.password);
        file = await uploadWithRetry(client, await createCopy(recordings.brief.path, recordings.folder, 9_441));
        const { transcript_segments: segments } = await client.completed(file);
        await client.send('PUT', `/api/files/${file}/transcript/segments/${segments[0]?.uuid}`, { text: spoken });
        await scanned();
        browser = await launchBrowser();
        boss = await openHands(browser, instance.baseUrl, screenshots);
        page = boss.page;
        await boss.signIn(admin.email, admin.password, 'Library');
      },
    },
    step('without a policy the text is shown', async () => {
      await page.goto(`/files/${file}`);
      await page.getByText(number).first().waitFor();
    }),
    step('a policy masks the number on the page, and search does not find it any more', async () => {
      await page.goto('/admin/redaction');
      await box('Phone numbers').check();
      await savePolicy();
      await page.goto(`/files/${file}`);
      await page.locator('[data-redacted="phone"]').first().waitFor();
      assert.ok(!(await page.content()).includes(number));
      await until('search follows', async () => (await client.search('2671', 'keyword')).total_results === 0, 60_000);
    }),
    step(
      'the sound has a beep in its place for those who may not reveal',
      async () => {
        await page.goto('/admin/redaction');
        await page.getByLabel('In the recording, in place of masked parts').first().click();
        await page.getByRole('option', { name: 'A beep', exact: true }).click();
        await savePolicy();
        await client.send('PUT', '/api/admin/redaction-policy', { reveal_for: [] });
        await page.goto(`/files/${file}`);
        await until(
          'the recording can be played',
          () => page.getByTestId('media').evaluate((media) => (media as HTMLMediaElement).readyState > 0),
          jobLimitMs,
        );
        // The copy without the masked part; the recording itself is a WAV file.
        const { headers } = await client.call('HEAD', `/api/files/${file}/content`);
        assert.match(headers.get('content-type') ?? '', /^audio\/(?:flac|mp4)$/);
        await page.getByText(/^Masked parts are being removed/).waitFor({ state: 'detached' });
        await client.send('PUT', '/api/admin/redaction-policy', { reveal_for: ['owner'], audio_masking: 'off' });
      },
      // The copy is made after the first request, which is refused.
      /409/,
    ),
    step('the owner reveals the number and hides it again, and the audit log has it without the text', async () => {
      await press('Reveal [phone]');
      await page.getByText(number).first().waitFor();
      await press(`Hide ${number}`);
      await until('it is hidden', async () => !(await page.content()).includes(number));
      await until('it is in the audit log', async () => {
        const found = await client.ok<{ items: object[] }>(
          'GET',
          '/api/admin/audit-logs?event_type=file.redaction.reveal',
        );
        assert.ok(!JSON.stringify(found).includes('2671'));
        return found.items.length > 0;
      });
    }),
    step('the owner masks names too, and cannot mask less than the policy', async () => {
      await page.getByText('Masking', { exact: true }).click();
      await until('the box is disabled', () => box('Phone numbers').isDisabled());
      await box('Names').click();
      await page.locator('[data-redacted="name"]').first().waitFor();
      await page.getByText(/^Found: Names: 1, Phone numbers: 1$/).waitFor();
    }),
    nightly('the pages have no accessibility violations and fit into 360 pixels', async () => {
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        for (const [name, path] of [
          ['redaction', '/admin/redaction'],
          ['redacted-file', `/files/${file}`],
          ['account-masking', '/account'],
        ] as const) {
          await page.goto(path);
          await (
            name === 'redacted-file' ? page.locator('[data-redacted="phone"]').first() : box('Phone numbers')
          ).waitFor();
          const { x = 0 } = (await page.getByRole('heading', { level: 1 }).boundingBox()) ?? {};
          assert.ok(x > 0, `${path} has no margin`);
          assert.deepEqual(await barriers(page, schemesAt(width)), [], `${path} has accessibility violations`);
          await until(`${path} fits into ${width} pixels`, () => fitsWidth(page));
          await page.screenshot({ path: join(screenshots, `${name}-${width}.png`), fullPage: true });
        }
      }
      await page.setViewportSize({ width: 1280, height: 800 });
    }),
    step('without the policy and the choice the text is shown again', async () => {
      await page.goto('/admin/redaction');
      await box('Phone numbers').uncheck();
      await savePolicy();
      await client.send('PUT', `/api/files/${file}/redaction`, { masked_kinds: [] });
      await page.goto(`/files/${file}`);
      await page.getByText(number).first().waitFor();
    }),
  ];

  return {
    name: 'Redaction in Chromium',
    checks,
    close: async () => {
      await client
        ?.send('PUT', '/api/admin/redaction-policy', { masked_kinds: [], audio_masking: 'off' })
        .catch(() => undefined);
      await browser?.close();
    },
  };
}

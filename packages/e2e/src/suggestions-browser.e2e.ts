import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { barriers, schemesAt, widths } from './barriers.ts';
import { fitsWidth, launchBrowser } from './browser.ts';
import { signIn, type Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { openHands, watchedStep, type Hands } from './hands.ts';
import { admin } from './instance.ts';
import { createCopy, uploadWithRetry } from './scripted.ts';
import { forNightly, type Check, type Suite } from './suite.ts';
import { jobLimitMs, until } from './until.ts';

const password = 'Labelled-Horse-8-Battery';
const spoken = [
  'My name is Anna Schmidt and I lead the project about solar panels.',
  'The solar panels on the school roof need a new inverter this year.',
  'The inverter was tested last week, and the solar panels deliver more than planned.',
  'Then the school roof is finished, and the inverter can be paid.',
].join(' ');

/** Suggested tags and names without a language model, from the panel of a recording to a run over the library. */
export function suggestionsInTheBrowser({ scripted, recordings, screenshots }: ScriptedContext): Suite {
  let browser: Browser;
  let boss: Hands;
  let person: Hands;
  let page: Page;
  let client: Client;
  let file: string;
  const email = `labels-${randomUUID().slice(0, 8)}@example.com`;
  const step = watchedStep(() => [boss, person].filter((hands) => hands !== undefined));
  const nightly = forNightly(step);
  const suggestion = (name: string) => page.locator(`[data-testid="suggestion"][data-name="${name}"]`);
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const openPanel = async (): Promise<void> => {
    await page.goto(`/files/${file}`);
    await page.locator('summary', { hasText: 'Suggestions' }).click();
    await page.getByTestId('suggestions').waitFor();
  };
  const statusOf = (name: string, status: string) =>
    until(`${name} is ${status}`, async () => (await suggestion(name).getAttribute('data-status')) === status);

  const checks: Check[] = [
    {
      rule: 'Chromium starts, and a recording has a transcript with subjects and a name',
      run: async () => {
        const { instance } = await scripted.get();
        const root = await signIn(instance.baseUrl, admin.email, admin.password);
        await root.send('POST', '/api/admin/users', { email, password, must_change_password: false });
        client = await signIn(instance.baseUrl, email, password);
        await client.send('PUT', '/api/user-settings/auto-label', { enabled: false });
        file = await uploadWithRetry(client, await createCopy(recordings.brief.path, recordings.folder, 9_464));
        const { transcript_segments: segments } = await client.completed(file);
        await client.send('PUT', `/api/files/${file}/transcript/segments/${segments[0]?.uuid}`, { text: spoken });
        browser = await launchBrowser();
        boss = await openHands(browser, instance.baseUrl, screenshots);
        person = await openHands(browser, instance.baseUrl, screenshots);
        page = person.page;
        await boss.signIn(admin.email, admin.password, 'Library');
        await person.signIn(email, password, 'Library');
      },
    },
    step('the panel makes suggestions on request, and says that no language model was used', async () => {
      await openPanel();
      await page.getByRole('button', { name: /^Suggest (again|tags and names)$/ }).click();
      await suggestion('Anna Schmidt').waitFor({ timeout: jobLimitMs });
      await suggestion('solar panels').waitFor();
      await page
        .getByTestId('suggestions')
        .getByText(/^Automatic: taken from the words/)
        .waitFor();
      await suggestion('solar panels')
        .getByRole('button', { name: /^Go to .*solar panels/ })
        .waitFor();
      assert.deepEqual(await tagsOf(), []);
    }),
    step('one click names the speaker, and the name can be taken back', async () => {
      await press('Accept: Anna Schmidt');
      await statusOf('Anna Schmidt', 'accepted');
      await page.locator('[data-testid="speaker"][data-name="Anna Schmidt"]').waitFor();
      await press('Undo: Anna Schmidt');
      await statusOf('Anna Schmidt', 'undone');
      await page.locator('[data-testid="speaker"][data-name="Anna Schmidt"]').waitFor({ state: 'detached' });
    }),
    step('a rejected tag stays rejected when suggestions are made again', async () => {
      await press('Reject: solar panels');
      await statusOf('solar panels', 'rejected');
      await press('Suggest again');
      await page.getByText('Suggestions are being made.').waitFor({ state: 'detached', timeout: jobLimitMs });
      await statusOf('solar panels', 'rejected');
      assert.deepEqual(await tagsOf(), []);
      await press('Undo: solar panels');
      await statusOf('solar panels', 'pending');
    }),
    nightly('all suggestions are accepted at once', async () => {
      await press('Accept all');
      await statusOf('solar panels', 'accepted');
      await page.getByTestId('tags').getByText('solar panels').waitFor();
      assert.ok((await tagsOf()).includes('solar panels'));
    }),
    nightly('the words that show a suggestion lead to their second', async () => {
      const link = suggestion('solar panels').getByRole('button', { name: /^Go to / });
      await link.click();
      await until('the player is there', () =>
        page.getByTestId('media').evaluate((media) => (media as HTMLMediaElement).currentTime < 5),
      );
    }),
    nightly('the account page switches automatic labels, and labels the whole library', async () => {
      await page.goto('/account');
      // The switch changes when the server has stored it.
      await page.getByRole('switch', { name: 'Apply labels automatically' }).click({ force: true });
      await until(
        'it is saved',
        async () => (await client.ok<{ enabled: boolean }>('GET', '/api/user-settings/auto-label')).enabled,
      );
      await press('Label all my recordings');
      await page.locator('[data-testid="label-run"][data-status="completed"]').waitFor({ timeout: jobLimitMs });
    }),
    nightly('the pages have no accessibility violations and fit into 360 pixels, light and dark', async () => {
      await boss.page.goto('/admin/labels');
      for (const width of widths) {
        const views = [
          ['suggestions', page, openPanel],
          ['account-labels', page, async () => void (await page.goto('/account'))],
          ['admin-labels', boss.page, async () => void (await boss.page.goto('/admin/labels'))],
        ] as const;
        for (const [name, shown, open] of views) {
          await shown.setViewportSize({ width, height: 800 });
          await open();
          await shown
            .getByText(name === 'suggestions' ? 'solar panels' : 'Apply labels automatically')
            .first()
            .waitFor();
          assert.deepEqual(
            await barriers(shown, schemesAt(width)),
            [],
            `${name} has accessibility violations (${width})`,
          );
          await until(`${name} fits into ${width} pixels`, () => fitsWidth(shown));
          await shown.screenshot({ path: join(screenshots, `${name}-${width}.png`), fullPage: true });
        }
      }
    }),
  ];

  async function tagsOf(): Promise<string[]> {
    const { tags } = await client.ok<{ tags: { name: string }[] }>('GET', `/api/files/${file}`);
    return tags.map(({ name }) => name);
  }

  return {
    name: 'Suggestions in Chromium',
    checks,
    close: async () => {
      await browser?.close();
    },
  };
}

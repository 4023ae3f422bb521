import assert from 'node:assert/strict';
import type { FileObject } from '@overtone/contracts';
import type { Browser, Page } from '@playwright/test';
import { fitsWidth, launchBrowser, saveForm } from './browser.ts';
import { signIn } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { openHands, watchedStep, type Hands } from './hands.ts';
import { admin } from './instance.ts';
import type { Suite } from './suite.ts';

const title = 'A shared talk';
const text = 'Good morning, zebrafinch.';
const password = 'porcupine umbrella';

/** A public link, from the administrator who allows them to a visitor without an account, until it is revoked. */
export function publicLinksInTheBrowser({ scripted, screenshots }: ScriptedContext): Suite {
  let browser: Browser;
  let owner: Hands;
  let visitor: Hands;
  let page: Page;
  let address = '';
  const step = watchedStep(() => [owner, visitor]);
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const openShares = async (): Promise<void> => {
    await page.getByRole('button', { name: `Actions for ${title}` }).click();
    await page.getByRole('menuitem', { name: 'Share', exact: true }).click();
  };
  const allow = async (isAllowed: boolean): Promise<void> => {
    await page.goto('/admin/public-links');
    await page.getByRole('switch', { name: /^Allow public links/ }).setChecked(isAllowed);
  };

  return {
    name: 'Public links in Chromium',
    checks: [
      {
        rule: 'a transcript is imported, its owner signs in, and a visitor has a browser of their own',
        run: async () => {
          const { instance } = await scripted.get();
          const client = await signIn(instance.baseUrl, admin.email, admin.password);
          const form = new FormData();
          form.set('file', new Blob([`1\n00:00:01,000 --> 00:00:02,500\nAda: ${text}\n`]), 'talk.srt');
          const query = new URLSearchParams({ title });
          const { uuid } = await client.ok<FileObject>('POST', `/api/transcripts/import?${query}`, { body: form });
          browser = await launchBrowser();
          owner = await openHands(browser, instance.baseUrl, screenshots);
          visitor = await openHands(browser, instance.baseUrl, screenshots);
          page = owner.page;
          await owner.signIn(admin.email, admin.password, 'Library');
          await allow(true);
          await saveForm(page);
          await page.goto(`/files/${uuid}`);
          await page.getByText(text).waitFor();
        },
      },
      step('a link with a password is created', async () => {
        await openShares();
        const section = page.getByTestId('public-links');
        await section.getByLabel('Password (optional)').fill(password);
        await press('Create public link');
        address = await section.getByLabel('New public link').inputValue();
        assert.match(address, /\/public#[\w-]{43}$/);
      }),
      step(
        'a visitor opens it with the password only, also after a reload, and sees the transcript on a narrow page',
        async () => {
          const { page: opened } = visitor;
          await opened.setViewportSize({ width: 360, height: 740 });
          await opened.goto(address);
          await opened.getByLabel('Password', { exact: true }).fill('a wrong password');
          await opened.getByRole('button', { name: 'Open', exact: true }).click();
          await opened.getByText('The password is not correct.').waitFor();
          assert.ok(!(await opened.content()).includes('zebrafinch'));
          await opened.getByLabel('Password', { exact: true }).fill(password);
          await opened.getByRole('button', { name: 'Open', exact: true }).click();
          await opened.getByRole('heading', { name: title }).waitFor();
          await opened.getByText(text).waitFor();
          await opened.getByText('Ada', { exact: true }).waitFor();
          assert.ok(await fitsWidth(opened), 'the page of a public link is wider than 360 px');
          await visitor.snap('public-link-360');
          await opened.reload();
          await opened.getByRole('heading', { name: title }).waitFor();
        },
        /\b403\b.*\/unlock/,
      ),
      step(
        'the link ends when public links are switched off, after a question',
        async () => {
          await allow(false);
          await press('Save');
          await press('Switch off and end');
          await page.getByText('There is no active link.').waitFor();
          await visitor.page.reload();
          await visitor.page.getByText('This link does not exist or has ended.').waitFor();
        },
        /\b404\b.*\/api\/public\//,
      ),
    ],
    close: () => browser?.close(),
  };
}

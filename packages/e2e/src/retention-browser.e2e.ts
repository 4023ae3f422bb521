import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { barriers, schemesAt, widths } from './barriers.ts';
import { fitsWidth, launchBrowser } from './browser.ts';
import { signIn, type Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { openHands, watchedStep, type Hands } from './hands.ts';
import { admin, type Instance } from './instance.ts';
import { createCopy, uploadWithRetry } from './scripted.ts';
import { forNightly, type Check, type Suite } from './suite.ts';
import { jobLimitMs, until } from './until.ts';

const slow = { timeout: jobLimitMs };
const password = 'Another-Battery-2026';

/** Retention rules, legal holds and the erasure of a person, from the first rule to the entry in the ledger. */
export function retentionInTheBrowser({ scripted, recordings, screenshots }: ScriptedContext): Suite {
  let browser: Browser;
  let boss: Hands;
  let page: Page;
  let instance: Instance;
  let root: Client;
  let fileId: string;
  let person: { uuid: string; email: string };
  const step = watchedStep(() => [boss]);
  const nightly = forNightly(step);
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const dialog = () => page.getByRole('dialog');
  const confirm = (name: string) => dialog().getByRole('button', { name, exact: true }).click();
  const visit = (path: string) => page.goto(`/admin/${path}`);

  const retention: Check[] = [
    {
      rule: 'Chromium starts, and there are a transcribed recording and a person',
      run: async () => {
        ({ instance } = await scripted.get());
        root = await signIn(instance.baseUrl, admin.email, admin.password);
        fileId = await uploadWithRetry(root, await createCopy(recordings.brief.path, recordings.folder, 9_301));
        await root.completed(fileId);
        await root.send('POST', `/api/tags/files/${fileId}/tags`, { name: 'retention e2e' });
        const email = `erase-${Date.now()}@example.org`;
        const created = await root.send<{ uuid: string }>('POST', '/api/admin/users', {
          email,
          password,
          full_name: 'Erika Beispiel',
          must_change_password: false,
        });
        person = { uuid: created.uuid, email };
        const own = await signIn(instance.baseUrl, email, password);
        await own.completed(
          await uploadWithRetry(own, await createCopy(recordings.brief.path, recordings.folder, 9_302)),
        );
        browser = await launchBrowser();
        boss = await openHands(browser, instance.baseUrl, screenshots);
        page = boss.page;
        await boss.signIn(admin.email, admin.password, 'Library');
      },
    },
    step('a rule is added switched off, and its preview shows exactly the recording with the reason', async () => {
      await visit('retention');
      await page.getByText('No rules yet. Nothing is deleted automatically.').waitFor();
      await press('Add rule');
      await dialog().getByLabel('Name').fill('Text is enough');
      await dialog().getByLabel('Has one of these tags').fill('Retention-E2E');
      await page.keyboard.press('Enter');
      await confirm('Save');
      await page.getByTestId('retention-rules').getByText('Off').waitFor();
      await press('Preview');
      const files = page.getByTestId('retention-preview-files');
      await files.waitFor();
      assert.equal(await files.getByRole('row').count(), 2);
      await files.getByRole('cell', { name: 'tag', exact: true }).waitFor();
      await page.screenshot({ path: join(screenshots, 'retention-preview-1280.png') });
      await page.keyboard.press('Escape');
    }),
    step('a held recording is not in the preview any more', async () => {
      await visit('legal-holds');
      await page.getByText('There are no legal holds.').waitFor();
      await press('Place a hold');
      await dialog().getByLabel('Address of the file’s page').fill(`${instance.baseUrl}/files/${fileId}`);
      await dialog().getByLabel('Reason').fill('case 12');
      await confirm('Place the hold');
      await page.getByTestId('legal-holds').getByText('case 12').waitFor();
      await visit('retention');
      await press('Preview');
      await page.getByTestId('retention-preview').getByText('0 files').waitFor();
      await page.getByText('1 more file meets the conditions and is kept by a legal hold.').waitFor();
      await visit('legal-holds');
      await press('Release');
      await confirm('Release');
      await page.getByText('There are no legal holds.').waitFor();
    }),
    nightly(
      'a run above the limit waits, its files are shown, and the approval removes the recording only',
      async () => {
        // A second rule takes the one file that is always allowed.
        await root.send('PUT', '/api/admin/retention/settings', { max_percent: 0.1 });
        const other = await uploadWithRetry(root, await createCopy(recordings.brief.path, recordings.folder, 9_303));
        await root.completed(other);
        await root.send('POST', `/api/tags/files/${other}/tags`, { name: 'retention e2e' });
        await visit('retention');
        await press('Change');
        await dialog().getByRole('switch', { name: 'Switched on' }).click();
        await confirm('Save');
        await page.getByTestId('retention-rules').getByText('On', { exact: true }).waitFor();
        await press('Run now');
        await page.getByTestId('held-set').waitFor(slow);
        await press('Show the files');
        await page.getByTestId('retention-files').waitFor();
        await page.keyboard.press('Escape');
        await press('Approve these files');
        await confirm('Remove');
        await page.getByTestId('retention-runs').getByText('2 of 2 files removed').waitFor(slow);
        await page.goto(`/files/${fileId}`);
        await page.getByTestId('recording-removed').waitFor();
        assert.equal(await page.getByTestId('media').count(), 0);
        await page.screenshot({ path: join(screenshots, 'recording-removed-1280.png') });
      },
    ),
  ];

  const erasure: Check[] = [
    step('an erasure shows what goes and what remains, and needs the address', async () => {
      await visit(`users/${person.uuid}`);
      await press('Erase this person');
      await dialog().getByTestId('erasure-preview').getByText('Recordings with transcripts').waitFor();
      const button = dialog().getByRole('button', { name: 'Erase permanently' });
      await until('the button is disabled', () => button.isDisabled());
      await dialog().getByLabel(`Type the address ${person.email}`).fill(person.email);
      await page.screenshot({ path: join(screenshots, 'erasure-preview-1280.png') });
      await button.click();
      await page.getByRole('heading', { name: 'Erasures' }).waitFor();
      await page.locator('[data-testid="erasures"] tr[data-status="done"]').waitFor(slow);
    }),
    step('the person cannot sign in, and the ledger proves the erasure to who knows the address', async () => {
      const refused = await fetch(`${instance.baseUrl}/api/auth/token`, {
        method: 'POST',
        body: new URLSearchParams({ username: person.email, password }),
      });
      assert.equal(refused.status, 401);
      assert.equal((await root.call('GET', `/api/users/${person.uuid}`)).status, 404);
      await page.getByLabel('E-mail address').fill(person.email);
      await press('Search');
      await page.getByTestId('found').getByText('Done').waitFor();
      await page.getByLabel('E-mail address').fill('unknown@example.org');
      assert.equal(await page.getByTestId('found').count(), 0, 'the result of another address stays');
      assert.ok(!(await page.getByTestId('erasures').innerText()).includes('Beispiel'));
    }),
    nightly('the pages have no accessibility violations and fit into 360 pixels', async () => {
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        for (const [path, heading] of [
          ['retention', 'Retention'],
          ['legal-holds', 'Legal holds'],
          ['erasures', 'Erasures'],
        ] as const) {
          await visit(path);
          await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
          await page.waitForLoadState('networkidle');
          await page.screenshot({ path: join(screenshots, `${path}-${width}.png`), fullPage: true });
          assert.deepEqual(await barriers(page, schemesAt(width)), [], `${path} has accessibility violations`);
          await until(`${path} fits into ${width} pixels`, () => fitsWidth(page));
        }
      }
      await page.setViewportSize({ width: 1280, height: 800 });
    }),
  ];

  return {
    name: 'Retention and erasure in Chromium',
    checks: [...retention, ...erasure],
    close: async () => browser?.close(),
  };
}

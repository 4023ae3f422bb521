import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { barriers, schemesAt, widths } from './barriers.ts';
import { fitsWidth, launchBrowser, saveForm } from './browser.ts';
import { signIn } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { openHands, watchedStep, type Hands } from './hands.ts';
import { admin, overtone, type Instance } from './instance.ts';
import { createCopy, uploadWithRetry } from './scripted.ts';
import { forNightly, type Check, type Suite } from './suite.ts';
import { jobLimitMs, until } from './until.ts';

const slow = { timeout: jobLimitMs };

/** The panels Backups and Media mirror, from no destination to a restored command line. */
export function backupsInTheBrowser({ scripted, recordings, screenshots }: ScriptedContext): Suite {
  let browser: Browser;
  let boss: Hands;
  let page: Page;
  let instance: Instance;
  const step = watchedStep(() => [boss]);
  const nightly = forNightly(step);
  const folderOf = (name: string): string => join(instance.data, name);
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const save = () => saveForm(page);
  /** A folder that does not exist is created after a question only. */
  const saveNewFolder = async () => {
    await press('Save');
    await press('Create the folder');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('button:disabled:not([data-loading])', { hasText: /^Save$/ }).waitFor();
  };
  const setFolder = (folder: string) => page.getByLabel('Path of the folder', { exact: true }).fill(folder);
  const firstRun = (list: string) => page.getByTestId(list).getByRole('row').nth(1);
  const runFinished = (list: string) => page.locator(`[data-testid="${list}"] tr[data-status="success"]`).first();

  const backups: Check[] = [
    {
      rule: 'Chromium starts and the administrator signs in',
      run: async () => {
        ({ instance } = await scripted.get());
        const client = await signIn(instance.baseUrl, admin.email, admin.password);
        await client.completed(
          await uploadWithRetry(client, await createCopy(recordings.brief.path, recordings.folder, 9_201)),
        );
        browser = await launchBrowser();
        boss = await openHands(browser, instance.baseUrl, screenshots);
        page = boss.page;
        await boss.signIn(admin.email, admin.password, 'Library');
      },
    },
    step('without a destination no backup can be started, and the page says so', async () => {
      await page.goto('/admin/backups');
      await page.getByText('No backups have been made yet.').waitFor();
      await page.getByText('There is no destination yet. Set one below.').waitFor();
      await page.getByText('At 03:00 (UTC)').waitFor();
      await until('the button is disabled', () => page.getByRole('button', { name: 'Back up now' }).isDisabled());
    }),
    step(
      'a folder that cannot be written fails the test, and is not saved',
      async () => {
        await setFolder('/proc/nothing');
        await press('Test destination');
        await page.getByTestId('test-result').getByText('Test failed').waitFor();
        await press('Save');
        await page.getByText('The settings weren’t saved').waitFor();
        await page.getByText('Check the marked fields.').waitFor();
        await page.getByText('/proc/nothing is outside the folders for backups').first().waitFor();
        await press('Discard changes');
        assert.equal(await page.getByLabel('Path of the folder', { exact: true }).inputValue(), '');
      },
      /\b400\b/,
    ),
    step('a backup to a folder ends with its size and duration, and ./overtone backups lists it', async () => {
      await setFolder(folderOf('panel-backups'));
      await press('Test destination');
      await page.getByTestId('test-result').getByText('This folder doesn’t exist yet').waitFor();
      await saveNewFolder();
      await press('Back up now');
      await runFinished('backup-runs').waitFor(slow);
      const text = await firstRun('backup-runs').innerText();
      assert.match(text, /overtone-\d{8}T\d{6}Z/);
      assert.match(text, /\d (KB|MB)/);
      assert.match(text, /\d s/);
      await page.getByTestId('last-run').getByText('Last backup: just now').waitFor();
      const file = (await page.getByTestId('stored-backups').getByRole('cell').first().innerText()).trim();
      const { code, output } = await overtone([
        'backups',
        '--data',
        instance.data,
        '--from',
        folderOf('panel-backups'),
      ]);
      assert.equal(code, 0, output);
      assert.ok(output.includes(file), output);
      assert.match(
        await page.getByTestId('commands').innerText(),
        new RegExp(`\\./overtone restore --data ${instance.data} .*/panel-backups/${file}$`),
      );
    }),
    nightly('a retention is saved with the keyboard only', async () => {
      await page.getByLabel('Weekly', { exact: true }).focus();
      await page.keyboard.press('Control+A');
      await page.keyboard.type('9');
      await page.keyboard.press('Enter');
      await page.getByText('1 setting saved.').first().waitFor();
      await page.reload();
      await until('it is stored', async () => (await page.getByLabel('Weekly', { exact: true }).inputValue()) === '9');
    }),
    nightly(
      'an invalid schedule and a missing passphrase are refused at their fields',
      async () => {
        await page.getByLabel('Schedule', { exact: true }).fill('every day');
        await press('Save');
        await page
          .getByText(/not a cron expression/)
          .first()
          .waitFor();
        await press('Discard changes');
        await page.getByRole('switch', { name: 'Encrypt backups' }).click();
        await press('Save');
        await page.getByText('Enter a passphrase.').waitFor();
        await press('Discard changes');
      },
      /\b400\b/,
    ),
    nightly('a passphrase is never returned, and an empty field keeps it', async () => {
      await page.getByRole('switch', { name: 'Encrypt backups' }).click();
      await page.getByLabel('Passphrase', { exact: true }).fill('correct horse battery staple');
      await save();
      await page.reload();
      await page.getByPlaceholder('Configured. Leave blank to keep.').waitFor();
      assert.ok(!(await page.content()).includes('correct horse'));
      await press('Back up now');
      await until(
        'an encrypted backup is listed',
        async () => (await page.getByTestId('stored-backups').innerText()).includes('.dump.age'),
        jobLimitMs,
      );
      assert.match(await page.getByTestId('commands').innerText(), /OT_BACKUP_PASSPHRASE_FILE/);
    }),
  ];

  const mirror: Check[] = [
    step('a run of the media mirror copies the recording to a folder and reports it', async () => {
      await page.goto('/admin/media-mirror');
      await page.getByText('No runs yet.').first().waitFor();
      await setFolder(folderOf('panel-mirror'));
      await saveNewFolder();
      await press('Run now');
      await runFinished('mirror-runs').waitFor(slow);
      await until(
        'the report counts the copies',
        async () => /Copied\s+[1-9]\d* \(/.test(await page.getByTestId('mirror-report').innerText()),
        jobLimitMs,
      );
      await press('Run now');
      await until(
        'the second run copied nothing',
        async () => /Copied\s+0 \(0 B\)\s+Unchanged\s+[1-9]/.test(await page.getByTestId('mirror-report').innerText()),
        jobLimitMs,
      );
    }),
    step('a folder of the object store is refused as the mirror', async () => {
      await setFolder(folderOf('objects'));
      await press('Test destination');
      await page.getByText('The mirror must be kept elsewhere than the objects.').waitFor();
      await press('Discard changes');
    }),
    nightly('the pages have no accessibility violations in both color schemes and fit into 360 pixels', async () => {
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        for (const [path, list] of [
          ['backups', 'backup-runs'],
          ['media-mirror', 'mirror-runs'],
        ] as const) {
          await page.goto(`/admin/${path}`);
          await firstRun(list).waitFor();
          await page.getByTestId('next-run').waitFor();
          assert.deepEqual(await barriers(page, schemesAt(width)), [], `${path} has accessibility violations`);
          await until(`${path} fits into ${width} pixels`, () => fitsWidth(page));
          await page.screenshot({ path: join(screenshots, `${path}-${width}.png`), fullPage: true });
        }
      }
      await page.setViewportSize({ width: 1280, height: 800 });
    }),
    nightly(
      'a service that does not respond is reported, and not shown as having no data',
      async () => {
        const body = JSON.stringify({ status: 503, code: 'upstream_unavailable', detail: 'The service is starting.' });
        for (const panel of ['backup', 'media-mirror'])
          await page.route(`**/api/admin/${panel}/**`, (route) => route.fulfill({ status: 503, body }));
        for (const [path, failure] of [
          ['backups', 'The backups couldn’t be loaded'],
          ['media-mirror', 'The media mirror couldn’t be loaded'],
        ] as const) {
          await page.goto(`/admin/${path}`);
          await page.getByText(failure).waitFor();
          assert.equal(await page.getByText(/No runs yet|No backups/).count(), 0);
          await page.getByRole('button', { name: 'Try again' }).waitFor();
        }
        await page.unrouteAll();
      },
      /\b503\b/,
    ),
  ];

  return {
    name: 'Backups and the media mirror in Chromium',
    checks: [...backups, ...mirror],
    close: async () => {
      await browser?.close();
      if (!instance) return;
      // A mirror whose folder is missing delays every erasure of the suites that follow.
      const client = await signIn(instance.baseUrl, admin.email, admin.password);
      for (const panel of ['backup', 'media-mirror'])
        await client.send('PUT', `/api/admin/${panel}/settings`, { destination: null });
      for (const name of ['panel-backups', 'panel-mirror']) await rm(folderOf(name), { recursive: true, force: true });
    },
  };
}

import assert from 'node:assert/strict';
import { personLdif, startSlapd, type Slapd } from '@overtone/testkit';
import type { Browser, Page } from '@playwright/test';
import { barriers, schemesAt, widths } from './barriers.ts';
import { fitsWidth, holdSaves, launchBrowser, saveForm } from './browser.ts';
import { signIn, type Client } from './client.ts';
import type { Context } from './context.ts';
import { openHands, watchedStep, type Hands } from './hands.ts';
import { admin } from './instance.ts';
import { syncPath } from './runs.ts';
import { forNightly, type Check, type Suite } from './suite.ts';
import { jobLimitMs, until } from './until.ts';

// A percentage is a limit from 20 accounts on.
const others = Array.from({ length: 17 }, (_, i) => `other-${String(i + 1).padStart(2, '0')}`);
const uids = ['ines', 'jan', 'kira', ...others];
const slow = { timeout: jobLimitMs };
type Account = { uuid: string; email: string; is_active: boolean };

/** The page of the directory sync, first without a directory, then with one. */
export function syncInTheBrowser({ instance, screenshots }: Context): Suite {
  let browser: Browser;
  let boss: Hands;
  let page: Page;
  let client: Client;
  let slapd: Slapd;
  const step = watchedStep(() => [boss]);
  const nightly = forNightly(step);
  const stored = () => client.ok<{ schedule: string; dry_run: boolean }>('GET', syncPath);
  const last = () => page.getByTestId('last-run');
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const save = () => saveForm(page);
  const removeFromDirectory = (uid: string) => slapd.apply(`dn: uid=${uid},${slapd.people}\nchangetype: delete\n`);
  const accounts = async (): Promise<Account[]> =>
    (await client.ok<{ items: Account[] }>('GET', '/api/admin/users?auth_type=ldap&page_size=100')).items;
  /** The uids of the active directory accounts. */
  const activeUids = async (): Promise<string[]> =>
    (await accounts())
      .filter((account) => account.is_active)
      .map((account) => account.email.replace('@example.org', ''))
      .sort();
  const allExcept = (...excluded: string[]): string[] => uids.filter((uid) => !excluded.includes(uid));
  const openSync = async (): Promise<void> => {
    await page.goto('/admin/directory-sync');
    await page.getByText('Schedule and limits').waitFor();
  };
  const openReport = async (): Promise<void> => {
    await last().getByRole('link').click();
    await page.getByRole('heading', { name: /^(Run|Dry run)$/ }).waitFor();
  };

  const withoutDirectory: Check[] = [
    {
      rule: 'Chromium starts and the administrator signs in',
      run: async () => {
        client = await signIn(instance.baseUrl, admin.email, admin.password);
        browser = await launchBrowser();
        boss = await openHands(browser, instance.baseUrl, screenshots);
        page = boss.page;
        await boss.signIn(admin.email, admin.password, 'Library');
      },
    },
    step('the schedule is described in words, with its next five runs', async () => {
      await page.goto('/admin/directory-sync');
      await page.getByText('At 04:00 (UTC)').waitFor();
      const times = page.getByTestId('next-runs').getByRole('listitem');
      await until('the next five runs', async () => (await times.count()) === 5);
    }),
    step(
      'an invalid schedule is rejected at its field, and nothing is saved',
      async () => {
        await page.getByRole('textbox', { name: 'Schedule' }).fill('every day');
        await press('Save');
        await page
          .getByText(/not a cron expression/)
          .first()
          .waitFor();
        assert.equal((await stored()).schedule, '0 4 * * *');
        await press('Discard changes');
      },
      /\b400\b/,
    ),
    step('a changed schedule is saved and effective', async () => {
      await page.getByRole('textbox', { name: 'Schedule' }).fill('30 2 * * 1');
      await page.getByText(/02:30.*Monday/).waitFor();
      await press('Save');
      await page.getByText(/setting saved\./).waitFor();
      assert.equal((await stored()).schedule, '30 2 * * 1');
    }),
    nightly('what is entered while the schedule is saved stays', async () => {
      const release = await holdSaves(page, '**/api/admin/directory-sync');
      const most = page.getByRole('textbox', { name: 'Accounts a run may disable' });
      await page.getByRole('textbox', { name: 'Schedule' }).fill('45 2 * * 1');
      await press('Save');
      await most.fill('77');
      release();
      await page.getByText(/02:45.*Monday/).waitFor();
      await page.getByText('1 unsaved change').waitFor();
      assert.equal(await most.inputValue(), '77');
      await press('Discard changes');
      assert.equal((await stored()).schedule, '45 2 * * 1');
    }),
    step('a dry run without a directory is reported, and listed among the runs', async () => {
      await press('Start dry run');
      await last().getByText('Sign-in with the directory is switched off.').waitFor(slow);
      await page.getByTestId('runs').getByText('switched off', { exact: true }).first().waitFor();
      await openReport();
      await page.getByText('switched off, dry run').waitFor();
    }),
  ];

  const withDirectory: Check[] = [
    {
      rule: 'directory users sign in',
      run: async () => {
        slapd = await startSlapd({ seed: uids.map((uid) => personLdif(uid)).join('\n') });
        await client.send('PUT', '/api/admin/auth-config/ldap', {
          ldap_enabled: true,
          ldap_server: slapd.url,
          ldap_use_ssl: false,
          ldap_bind_dn: slapd.bindDn,
          ldap_bind_password: slapd.bindPassword,
          ldap_search_base: slapd.people,
          ldap_username_attr: 'uid',
          ldap_timeout: 300,
        });
        await client.send('PUT', syncPath, { max_disable_percent: null });
        for (const uid of uids) await signIn(instance.baseUrl, uid, `${uid}-secret`);
        assert.deepEqual(await activeUids(), uids);
      },
    },
    step('a dry run lists the accounts to disable with the reasons, and disables none', async () => {
      await removeFromDirectory('ines');
      await removeFromDirectory('jan');
      await openSync();
      await press('Start dry run');
      await last().getByText('2 accounts would be disabled.').waitFor(slow);
      await openReport();
      const candidates = page.getByTestId('candidates');
      for (const uid of ['ines', 'jan']) await candidates.getByRole('link', { name: `${uid}@example.org` }).waitFor();
      assert.equal(await candidates.getByText('No longer in the directory').count(), 2);
      assert.deepEqual(await activeUids(), uids);
    }),
    step('a sync run above the allowed share is held, and disables no account', async () => {
      await openSync();
      assert.equal(await page.getByRole('button', { name: 'Run now' }).count(), 0, 'directory sync is disabled');
      await page.getByRole('switch', { name: 'Directory sync' }).click();
      await page.getByRole('switch', { name: 'Dry run' }).click();
      await page.getByLabel('Require approval above').fill('5');
      await save();
      await press('Run now');
      await last().getByText('a sync run may disable 5 % at most').waitFor(slow);
      await boss.snap('sync-held');
      await last().getByRole('link', { name: 'Review and approve' }).click();
      await page.getByTestId('candidates').waitFor();
      assert.equal(await page.getByTestId('candidates').getByText('held for approval').count(), 2);
      assert.deepEqual(await activeUids(), uids);
    }),
    step('an approved sync run disables exactly its accounts, and can no longer be approved', async () => {
      const held = page.url();
      await press('Approve this set');
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Disable 2 accounts?').waitFor();
      await dialog.getByRole('button', { name: 'Disable 2' }).click();
      await last().getByText('2 accounts disabled.').waitFor(slow);
      assert.deepEqual(await activeUids(), allExcept('ines', 'jan'));
      await page.getByTestId('runs').getByText('approved', { exact: true }).waitFor();
      await page.goto(held);
      await page.getByRole('heading', { name: /The set was approved\./ }).waitFor();
      assert.equal(await page.getByRole('button', { name: 'Approve this set' }).count(), 0);
    }),
    step('an undone sync run enables its accounts again, and the report shows this', async () => {
      await openSync();
      await openReport();
      await press('Undo');
      await page.getByRole('dialog').getByRole('button', { name: 'Enable again' }).click();
      await page.getByRole('heading', { name: /Undone: all enabled again/ }).waitFor();
      assert.equal(await page.getByTestId('candidates').getByText('enabled again').count(), 2);
      assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0);
      assert.deepEqual(await activeUids(), uids);
      await boss.snap('sync-undone');
    }),
    nightly('the reason why an account was disabled is shown with its evidence', async () => {
      await openSync();
      await page.getByLabel('Name, e-mail address or directory login').fill('ines');
      const why = page.getByTestId('account-decisions');
      await why.getByText('enabled again').waitFor();
      await why.getByText('held for approval').waitFor();
      await why
        .getByText(/entryUUID:/)
        .first()
        .waitFor();
    }),
    nightly('the sign-in decision for a login is explained, with its last failed sign-ins', async () => {
      await signIn(instance.baseUrl, 'ines', 'ines-secret').catch(() => null);
      const explain = async (uid: string) => {
        await page.getByLabel('Name, e-mail address or directory login').fill(uid);
        await press('Check the directory');
        return page.getByTestId('sign-in-explanation').filter({ hasText: uid });
      };
      await (await explain('kira')).getByText('admitted', { exact: true }).waitFor();
      const removed = await explain('ines');
      await removed.getByText('The directory has no entry for this login.').waitFor();
      await removed.getByTestId('refusals').getByText('The name or the password was wrong.').first().waitFor();
      await removed.getByTestId('refusals').scrollIntoViewIfNeeded();
      await boss.snap('sign-in-explained');
    }),
    nightly('accounts above the limit of a run are deferred to the next run, and counted on the page', async () => {
      await page.getByLabel('Require approval above').fill('');
      await page.getByLabel('Accounts a run may disable').fill('1');
      await save();
      await press('Run now');
      await last().getByText('1 account disabled. 1 account left for the next run.').waitFor(slow);
      assert.equal((await activeUids()).length, uids.length - 1);
    }),
    nightly('a running sync run is shown with its step, and no other can be started', async () => {
      process.kill(slapd.pid(), 'SIGSTOP');
      try {
        await press('Run now');
        await page.getByTestId('running').getByText('Reading the directory').waitFor(slow);
        await until('the button is disabled', () => page.getByRole('button', { name: 'Run now' }).isDisabled());
        await boss.snap('sync-running');
      } finally {
        process.kill(slapd.pid(), 'SIGCONT');
      }
      await last().getByText('1 account disabled.', { exact: true }).waitFor(slow);
      assert.deepEqual(await activeUids(), allExcept('ines', 'jan'));
    }),
    nightly('a run without a directory is shown as aborted, and lists no accounts', async () => {
      await slapd.kill9();
      await press('Run now');
      await last()
        .getByText(/couldn’t be read completely\. No accounts were disabled/)
        .waitFor(slow);
      await boss.snap('sync-directory-gone');
      await openReport();
      await page.getByText('interrupted', { exact: true }).waitFor();
      assert.equal(await page.getByText('Accounts to disable').count(), 0);
      assert.deepEqual(await activeUids(), allExcept('ines', 'jan'));
    }),
    nightly('the pages have no accessibility violations in both color schemes and fit a small screen', async () => {
      for (const width of widths) {
        await page.setViewportSize({ width, height: 780 });
        await openSync();
        assert.deepEqual(await barriers(page, schemesAt(width)), []);
        await until('the list fits', () => fitsWidth(page));
        await boss.snap(`directory-sync-${width}`);
        await page.getByTestId('runs').getByRole('link').nth(2).click();
        await page.getByTestId('candidates').waitFor();
        assert.deepEqual(await barriers(page, schemesAt(width)), []);
        await until('the report fits', () => fitsWidth(page));
        await boss.snap(`directory-pass-${width}`);
      }
    }),
  ];

  return {
    name: 'The directory sync in Chromium',
    checks: [...withoutDirectory, ...withDirectory],
    close: async () => {
      await browser?.close();
      await client?.send('PUT', syncPath, { enabled: false, dry_run: true, max_disable_percent: null });
      await client?.send('PUT', '/api/admin/auth-config/ldap', { ldap_enabled: false, ldap_timeout: null });
      for (const { uuid } of slapd ? await accounts() : []) await client.ok('DELETE', `/api/users/${uuid}`);
      await slapd?.stop();
    },
  };
}

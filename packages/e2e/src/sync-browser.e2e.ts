import assert from 'node:assert/strict';
import { personLdif, startSlapd, type Slapd } from '@overtone/testkit';
import type { Browser, Page } from 'playwright-core';
import { barriers } from './barriers.ts';
import { fitsWidth, launchBrowser } from './browser.ts';
import { signIn, type Client } from './client.ts';
import type { Context } from './context.ts';
import { openHands, watchedStep, type Hands } from './hands.ts';
import { admin } from './instance.ts';
import { sweepPath } from './passes.ts';
import { limitSignIns } from './people.ts';
import { until, type Check, type Suite } from './runner.ts';

const uids = ['ines', 'jan', 'kira'];
const patience = { timeout: 120_000 };
type Account = { uuid: string; email: string; is_active: boolean };

/** The page of the directory sweep, first without a directory, then with one. */
export const syncInTheBrowser = ({ instance, screenshots }: Context): Suite => {
  let browser: Browser;
  let boss: Hands;
  let page: Page;
  let client: Client;
  let slapd: Slapd;
  const step = watchedStep(() => [boss]);
  const stored = () => client.ok<{ schedule: string; dry_run: boolean }>('GET', sweepPath);
  const last = () => page.getByTestId('last-pass');
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  /** Saves and waits until nothing is left to be saved. */
  const save = async (): Promise<void> => {
    await press('Save');
    await until('it is saved', () => page.getByRole('button', { name: 'Save', exact: true }).isDisabled());
  };
  const leave = (uid: string) => slapd.apply(`dn: uid=${uid},${slapd.people}\nchangetype: delete\n`);
  const accounts = async (): Promise<Account[]> =>
    (await client.ok<{ items: Account[] }>('GET', '/api/admin/users?auth_type=ldap&page_size=100')).items;
  /** Who of the directory may still come in. */
  const active = async (): Promise<string[]> =>
    (await accounts())
      .filter((account) => account.is_active)
      .map((account) => account.email.replace('@example.org', ''))
      .sort();
  const without = (...gone: string[]): string[] => uids.filter((uid) => !gone.includes(uid));
  const openSync = async (): Promise<void> => {
    await page.goto('/admin/directory-sync');
    await page.getByText('Schedule and limits').waitFor();
  };
  const openReport = async (): Promise<void> => {
    await last().getByRole('link').click();
    await page.getByRole('heading', { name: /^(Pass|Dry run)$/ }).waitFor();
  };

  const bare: Check[] = [
    {
      rule: 'Chromium starts and the administrator signs in',
      vital: true,
      run: async () => {
        client = await signIn(instance.baseUrl, admin.email, admin.password);
        browser = await launchBrowser();
        boss = await openHands(browser, instance.baseUrl, screenshots);
        page = boss.page;
        await boss.signIn(admin.email, admin.password, 'Library');
      },
    },
    step('the schedule is told in words, with its next five times', async () => {
      await page.goto('/admin/directory-sync');
      await page.getByText('At 04:00 (UTC)').waitFor();
      const times = page.getByTestId('next-runs').getByRole('listitem');
      await until('the next five times', async () => (await times.count()) === 5);
    }),
    step(
      'a schedule that is none is refused at its field, and nothing is saved',
      async () => {
        await page.getByRole('textbox', { name: 'Schedule' }).fill('every day');
        await press('Save');
        await page
          .getByText(/not a cron expression/)
          .first()
          .waitFor();
        assert.equal((await stored()).schedule, '0 4 * * *');
        await press('Discard');
      },
      /\b400\b/,
    ),
    step('a changed schedule is saved and counts', async () => {
      await page.getByRole('textbox', { name: 'Schedule' }).fill('30 2 * * 1');
      await page.getByText(/02:30.*Monday/).waitFor();
      await press('Save');
      await page.getByText(/^Saved\./).waitFor();
      assert.equal((await stored()).schedule, '30 2 * * 1');
    }),
    step('a dry run without a directory says so, and stands in the list of passes', async () => {
      await press('Try it (dry run)');
      await last().getByText('Sign-in with the directory is switched off.').waitFor(patience);
      await page.getByTestId('passes').getByText('switched off', { exact: true }).first().waitFor();
      await openReport();
      await page.getByText('switched off, dry run').waitFor();
    }),
  ];

  const full: Check[] = [
    {
      rule: 'people of a directory sign in',
      vital: true,
      run: async () => {
        await limitSignIns(instance, 10_000);
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
        // Two of three accounts leave: held by default, which a later step shows.
        await client.send('PUT', sweepPath, { max_disable_percent: null });
        for (const uid of uids) await signIn(instance.baseUrl, uid, `${uid}-secret`);
        assert.deepEqual(await active(), uids);
      },
    },
    step('a dry run lists who would be disabled and why, and disables nobody', async () => {
      await leave('ines');
      await leave('jan');
      await openSync();
      await press('Try it (dry run)');
      await last().getByText('2 accounts would be disabled.').waitFor(patience);
      await openReport();
      const leavers = page.getByTestId('leavers');
      for (const uid of ['ines', 'jan']) await leavers.getByRole('link', { name: `${uid}@example.org` }).waitFor();
      assert.equal(await leavers.getByText('is no longer in the directory').count(), 2);
      assert.deepEqual(await active(), uids);
    }),
    step('above the allowed share the whole set is held, and nobody is disabled', async () => {
      await openSync();
      assert.equal(await page.getByRole('button', { name: 'Run now' }).count(), 0, 'it is switched off');
      await page.getByRole('switch', { name: 'Sweep the directory' }).click();
      await page.getByRole('switch', { name: 'Dry run' }).click();
      await page.getByLabel('Hold a pass above this share of accounts').fill('10');
      await save();
      await press('Run now');
      await last().getByText('a pass may disable 50 % at most').waitFor(patience);
      await boss.snap('sync-held');
      await last().getByRole('link', { name: 'Review and approve' }).click();
      await page.getByTestId('leavers').waitFor();
      assert.equal(await page.getByTestId('leavers').getByText('held for approval').count(), 2);
      assert.deepEqual(await active(), uids);
    }),
    step('approved, exactly that set is disabled, and nothing is left to approve', async () => {
      const held = page.url();
      await press('Approve this set');
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Disable 2 accounts?').waitFor();
      await dialog.getByRole('button', { name: 'Disable 2' }).click();
      await last().getByText('2 accounts disabled.').waitFor(patience);
      assert.deepEqual(await active(), without('ines', 'jan'));
      await page.getByTestId('passes').getByText('approved', { exact: true }).waitFor();
      await page.goto(held);
      await page.getByRole('heading', { name: /The set was approved\./ }).waitFor();
      assert.equal(await page.getByRole('button', { name: 'Approve this set' }).count(), 0);
    }),
    step('taken back, the accounts are enabled again, and the report says so', async () => {
      await openSync();
      await openReport();
      await press('Undo');
      await page.getByRole('dialog').getByRole('button', { name: 'Enable again' }).click();
      await page.getByRole('heading', { name: /Taken back since: all enabled again/ }).waitFor();
      assert.equal(await page.getByTestId('leavers').getByText('enabled again').count(), 2);
      assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0);
      assert.deepEqual(await active(), uids);
      await boss.snap('sync-undone');
    }),
    step('why somebody was disabled is told with what it rests on', async () => {
      await openSync();
      await page.getByLabel('Name, e-mail address or directory login').fill('ines');
      const why = page.getByTestId('why');
      await why.getByText('enabled again').waitFor();
      await why.getByText('held for approval').waitFor();
      await why
        .getByText(/entryUUID:/)
        .first()
        .waitFor();
    }),
    step('why somebody is let in or refused is told by login, as of now, with the last refusals in words', async () => {
      await signIn(instance.baseUrl, 'ines', 'ines-secret').catch(() => null);
      const asked = async (uid: string) => {
        await page.getByLabel('Name, e-mail address or directory login').fill(uid);
        await press('Ask the directory');
        return page.getByTestId('standing').filter({ hasText: uid });
      };
      await (await asked('kira')).getByText('admitted', { exact: true }).waitFor();
      const gone = await asked('ines');
      await gone.getByText('The directory has nobody of this login.').waitFor();
      await gone.getByTestId('refusals').getByText('The name or the password was wrong.').first().waitFor();
      await gone.getByTestId('refusals').scrollIntoViewIfNeeded();
      await boss.snap('sign-in-explained');
    }),
    step('more leavers than a pass may disable wait for the next one, and the page says how many', async () => {
      await page.getByLabel('Hold a pass above this share of accounts').fill('');
      await page.getByLabel('Accounts a pass may disable').fill('1');
      await save();
      await press('Run now');
      await last().getByText('1 account disabled. 1 account left for the next pass.').waitFor(patience);
      assert.equal((await active()).length, uids.length - 1);
    }),
    step('while a pass runs its step is shown, and no other can be started', async () => {
      process.kill(slapd.pid(), 'SIGSTOP');
      try {
        await press('Run now');
        await page.getByTestId('running').getByText('Reading the directory').waitFor(patience);
        assert.ok(await page.getByRole('button', { name: 'Run now' }).isDisabled());
        await boss.snap('sync-running');
      } finally {
        process.kill(slapd.pid(), 'SIGCONT');
      }
      await last().getByText('1 account disabled.', { exact: true }).waitFor(patience);
      assert.deepEqual(await active(), without('ines', 'jan'));
    }),
    step(
      'with the directory gone the page says that nobody was disabled, and claims nothing about anybody',
      async () => {
        await slapd.kill9();
        await press('Run now');
        await last()
          .getByText(/could not be read whole, so nobody was disabled/)
          .waitFor(patience);
        await boss.snap('sync-directory-gone');
        await openReport();
        await page.getByText('broken off', { exact: true }).waitFor();
        assert.equal(await page.getByText('Who left').count(), 0);
        assert.deepEqual(await active(), without('ines', 'jan'));
      },
    ),
    step('nothing keeps anybody out, in light and dark, and nothing sticks out on a small screen', async () => {
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 780 });
        await openSync();
        assert.deepEqual(await barriers(page), []);
        await until('the list fits', () => fitsWidth(page));
        await boss.snap(`directory-sync-${width}`);
        await page.getByTestId('passes').getByRole('link').nth(2).click();
        await page.getByTestId('leavers').waitFor();
        assert.deepEqual(await barriers(page), []);
        await until('the report fits', () => fitsWidth(page));
        await boss.snap(`directory-pass-${width}`);
      }
    }),
  ];

  return {
    name: 'The directory sweep, by hand in Chromium',
    checks: [...bare, ...full],
    close: async () => {
      await browser?.close();
      await client?.send('PUT', sweepPath, { enabled: false, dry_run: true, max_disable_percent: null });
      await client?.send('PUT', '/api/admin/auth-config/ldap', { ldap_enabled: false, ldap_timeout: null });
      for (const { uuid } of slapd ? await accounts() : []) await client.ok('DELETE', `/api/users/${uuid}`);
      await slapd?.stop();
      await limitSignIns(instance, null);
    },
  };
};

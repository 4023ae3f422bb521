import assert from 'node:assert/strict';
import type { Browser } from '@playwright/test';
import { launchBrowser } from './browser.ts';
import { signIn, type Client } from './client.ts';
import type { Context } from './context.ts';
import { openHands, watchedStep, type Hands } from './hands.ts';
import { admin } from './instance.ts';
import { forNightly, type Check, type Suite } from './suite.ts';
import { until } from './until.ts';

const mara = { email: 'mara.quist@example.org', name: 'Mara Quist', password: 'Violet-Harbour-41' };
const newcomer = { email: 'nils.berg@example.org', name: 'Nils Berg', password: 'Copper-Meadow-58' };

async function maraId(client: Client): Promise<string> {
  const { items } = await client.ok<{ items: { uuid: string }[] }>('GET', `/api/admin/users?q=${mara.email}`);
  return items[0]?.uuid ?? '';
}

/** The browser's log messages when its session was ended. */
const ended = /\b40[14]\b|4004|WebSocket/;

/** Accounts, groups, approvals and sessions in the browsers of an administrator and of the affected user. */
export function peopleInTheBrowser({ instance, recordings, screenshots }: Context): Suite {
  let browser: Browser;
  let boss: Hands;
  let other: Hands;
  const step = watchedStep(() => [boss, other]);
  const nightly = forNightly(step);
  const settings = async (category: string, values: object): Promise<void> => {
    const client = await signIn(instance.baseUrl, admin.email, admin.password);
    await client.send('PUT', `/api/admin/auth-config/${category}`, values);
  };
  const toUser = async (name: string): Promise<void> => {
    await boss.page.goto('/admin/users');
    await boss.page.getByRole('searchbox', { name: /Name, e-mail/ }).fill(name);
    // A click while the list is filtered could hit a row that moves away.
    await boss.page.waitForURL(/[?&]q=/);
    await boss.page.getByText('1 account', { exact: true }).waitFor();
    await boss.page.getByTestId('users').getByRole('link', { name }).click();
    await boss.page.getByRole('heading', { name, level: 1 }).waitFor();
  };

  const accounts: Check[] = [
    {
      rule: 'Chromium starts and the administrator signs in',
      run: async () => {
        browser = await launchBrowser();
        boss = await openHands(browser, instance.baseUrl, screenshots);
        other = await openHands(browser, instance.baseUrl, screenshots);
        await boss.signIn(admin.email, admin.password, 'Library');
      },
    },
    step('an administrator creates an account, and weak passwords are reported while typing', async () => {
      const { page } = boss;
      await page.getByRole('link', { name: 'Administration' }).click();
      await page.getByTestId('setup').getByRole('link', { name: 'A second super administrator' }).click();
      await page.getByRole('button', { name: 'Add user' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('E-mail address').fill(mara.email);
      await dialog.getByLabel('Name', { exact: true }).fill(mara.name);
      await dialog.getByLabel('Password', { exact: true }).fill('short');
      await until('the button is disabled', () => dialog.getByRole('button', { name: 'Add user' }).isDisabled());
      await dialog.getByLabel('Password', { exact: true }).fill(mara.password);
      await dialog.getByLabel('Require a new password at first sign-in').uncheck();
      await dialog.getByRole('button', { name: 'Add user' }).click();
      await page.getByRole('heading', { name: mara.name, level: 1 }).waitFor();
    }),
    step('the new user signs in and does not see the administration', async () => {
      await other.signIn(mara.email, mara.password, 'Library');
      assert.equal(await other.page.getByRole('link', { name: 'Administration' }).count(), 0);
      await other.page.goto('/admin/users');
      await other.page.getByRole('heading', { name: 'Page not found' }).waitFor();
      await other.page.goto('/');
      await other.page.getByRole('heading', { name: 'Library' }).waitFor();
    }),
    step(
      'a change of role ends the sessions of that user immediately',
      async (log) => {
        const { page } = boss;
        await toUser(mara.name);
        await page.getByLabel('Role').selectOption('admin');
        await page.getByRole('button', { name: 'Change role' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Change role' }).click();
        const from = Date.now();
        await other.page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
        log(`signed out ${Date.now() - from} ms after the change was confirmed`);
        await other.signIn(mara.email, mara.password, 'Library');
        await other.page.getByRole('link', { name: 'Administration' }).waitFor();
      },
      ended,
    ),
    step(
      'an e-mail address that is in use is rejected with a message',
      async () => {
        const { page } = boss;
        await page.goto('/admin/users');
        await page.getByRole('button', { name: 'Add user' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('E-mail address').fill(mara.email.toUpperCase());
        await dialog.getByLabel('Password', { exact: true }).fill(mara.password);
        await dialog.getByRole('button', { name: 'Add user' }).click();
        await dialog.getByRole('alert').waitFor();
        await page.keyboard.press('Escape');
      },
      /\b409\b/,
    ),
  ];

  const together: Check[] = [
    step('a user who is added to a group finds it on the account page', async () => {
      const { page } = boss;
      await page.goto('/groups');
      await page.getByRole('button', { name: 'Add group' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('Harbour archive');
      await page.getByRole('dialog').getByRole('button', { name: 'Add group' }).click();
      await page.getByRole('heading', { name: 'Harbour archive', level: 1 }).waitFor();
      await page
        .getByRole('combobox', { name: 'Add a person' })
        .or(page.getByLabel('Add a person'))
        .first()
        .fill('Mara');
      await page.getByRole('option', { name: /Mara Quist/ }).click();
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByTestId('members').getByText('Added manually').waitFor();
      await other.page.goto('/account');
      await other.page.getByRole('link', { name: 'Harbour archive' }).waitFor();
    }),
    step(
      'a shared recording is readable for the other user until the share is removed',
      async () => {
        const { page } = boss;
        const client = await signIn(instance.baseUrl, admin.email, admin.password);
        const { body: file } = await client.upload(recordings.brief.path, { title: 'Tide tables' });
        await page.goto('/');
        await page.getByRole('button', { name: 'Actions for Tide tables' }).click();
        await page.getByRole('menuitem', { name: 'Share' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('combobox', { name: 'Person' }).fill('Mara');
        await page.getByRole('option', { name: /Mara Quist/ }).click();
        await dialog.getByRole('button', { name: 'Share', exact: true }).click();
        await dialog.getByTestId('shares').getByText('Mara Quist').waitFor();
        await boss.snap('sharing');
        await client.send('PUT', `/api/admin/users/${await maraId(client)}/role?new_role=user`, undefined);
        await other.signIn(mara.email, mara.password, 'Library');
        await other.page.getByLabel('Whose recordings').selectOption('shared');
        await other.page.getByRole('link', { name: 'Tide tables' }).click();
        await other.page.getByRole('heading', { name: 'Tide tables' }).waitFor();
        assert.equal(await other.page.getByRole('button', { name: 'Add tag' }).count(), 0);
        await dialog.getByRole('button', { name: 'Stop sharing with Mara Quist' }).click();
        await dialog.getByText(/Only you and administrators can see this/).waitFor();
        await other.page.goto('/?ownership=shared');
        await other.page.getByTestId('nothing-found').waitFor();
        await page.keyboard.press('Escape');
        await client.ok('DELETE', `/api/files/${file.uuid}`);
      },
      ended,
    ),
    nightly('a session can be ended from another session, and its browser is signed out', async () => {
      const third = await openHands(browser, instance.baseUrl, screenshots);
      await third.signIn(mara.email, mara.password, 'Library');
      await other.page.goto('/account');
      const sessions = other.page.getByTestId('sessions').getByRole('listitem');
      await until('two sessions are listed', async () => (await sessions.count()) === 2);
      await other.page.getByRole('button', { name: /^End session on/ }).click();
      await third.page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
      await until('one session is left', async () => (await sessions.count()) === 1);
      await third.page.context().close();
    }),
    step(
      'who registers waits in the queue, and comes in as soon as an administrator approves',
      async () => {
        await settings('local', { allow_registration: true, require_account_approval: true });
        const { page } = other;
        await page.context().clearCookies();
        await page.goto('/sign-in');
        await page.getByRole('link', { name: 'Register' }).click();
        await page.getByLabel('E-mail address').fill(newcomer.email);
        await page.getByLabel('Name', { exact: true }).fill(newcomer.name);
        await page.getByLabel('Password', { exact: true }).fill(newcomer.password);
        await page.getByRole('button', { name: 'Register' }).click();
        await page.getByTestId('registered').waitFor();
        await page.getByRole('link', { name: 'Back to sign-in' }).click();
        await page.getByLabel('User name or e-mail address').fill(newcomer.email);
        await page.getByLabel('Password', { exact: true }).fill(newcomer.password);
        await page.getByRole('button', { name: 'Sign in', exact: true }).click();
        await page.getByRole('alert').getByText('Your account is awaiting approval').waitFor();
        await boss.page.goto('/admin/approvals');
        await boss.page
          .getByRole('navigation', { name: 'Administration' })
          .getByLabel('1 account awaiting approval')
          .waitFor();
        await boss.snap('approvals');
        await boss.page.getByRole('button', { name: `Approve ${newcomer.name}` }).click();
        await boss.page.getByText('No accounts are awaiting approval.').waitFor();
        await other.signIn(newcomer.email, newcomer.password, 'Library');
        await settings('local', { allow_registration: null, require_account_approval: null });
      },
      // The sign-in of an account that waits for approval returns 403.
      /\b40[134]\b|4004|WebSocket/,
    ),
    nightly(
      'who is disabled is out at once, and back after being enabled',
      async () => {
        await toUser(newcomer.name);
        await boss.page.getByRole('button', { name: 'Disable' }).click();
        await boss.page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
        await other.page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
        await boss.page.getByRole('button', { name: 'Enable' }).click();
        await boss.page.getByRole('button', { name: 'Disable' }).waitFor();
        await other.signIn(newcomer.email, newcomer.password, 'Library');
      },
      ended,
    ),
    nightly(
      'a deleted account is removed from the list and can no longer sign in',
      async () => {
        await toUser(newcomer.name);
        await boss.page.getByRole('button', { name: 'Delete' }).click();
        await boss.page.getByRole('dialog').getByLabel(`Type ${newcomer.name} to confirm`).fill(newcomer.name);
        await boss.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
        await boss.page.getByRole('heading', { name: 'Users' }).waitFor();
        await other.page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
        await boss.page.getByRole('searchbox', { name: /Name, e-mail/ }).fill(newcomer.name);
        await boss.page.getByText('No account matches.').waitFor();
      },
      ended,
    ),
  ];

  return {
    name: 'Accounts in Chromium',
    checks: [...accounts, ...together],
    close: async () => {
      await browser?.close();
    },
  };
}

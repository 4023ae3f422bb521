import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Browser, Page } from '@playwright/test';
import { barriers, schemesAt, widths } from './barriers.ts';
import { fitsWidth, holdSaves, launchBrowser } from './browser.ts';
import { signIn } from './client.ts';
import type { Context } from './context.ts';
import { openHands, watchedStep, type Hands } from './hands.ts';
import { admin } from './instance.ts';
import { forNightly, type Check, type Suite } from './suite.ts';
import { until } from './until.ts';

const pages = [
  '/admin/overview',
  '/admin/users',
  '/admin/approvals',
  '/groups',
  '/collections',
  ...['local', 'ldap', 'oidc', 'pki', 'proxy', 'session', 'password_policy', 'lockout', 'group-mappings'].map(
    (name) => `/admin/authentication/${name}`,
  ),
  '/admin/audit',
  '/account',
  '/admin',
];

function setting(page: Page, key: string) {
  return page.locator(`[data-testid="setting"][data-key="${key}"]`);
}

const staff = 'cn=staff,ou=groups,dc=example,dc=org';

/** Sign-in settings, group mappings and the audit log as a super administrator sees them. */
export function settingsInTheBrowser({ instance, screenshots }: Context): Suite {
  let browser: Browser;
  let boss: Hands;
  let page: Page;
  const step = watchedStep(() => [boss]);
  const nightly = forNightly(step);
  const save = () => page.getByRole('button', { name: 'Save' }).click();

  const forms: Check[] = [
    {
      rule: 'Chromium starts and the administrator signs in',
      run: async () => {
        browser = await launchBrowser();
        boss = await openHands(browser, instance.baseUrl, screenshots);
        page = boss.page;
        await boss.signIn(admin.email, admin.password, 'Library');
      },
    },
    step('a number out of bounds is rejected at its field, and nothing is saved', async () => {
      await page.goto('/admin/authentication/ldap');
      const port = setting(page, 'ldap_port');
      await port.getByRole('textbox').fill('70000');
      await save();
      await port.getByText('Enter a number from 1 to 65535.').waitFor();
      await page.getByRole('button', { name: 'Discard changes' }).click();
      assert.equal(await port.getByRole('textbox').inputValue(), '636');
    }),
    step(
      'what the service refuses stands at the field it is about',
      async () => {
        await setting(page, 'ldap_use_tls').getByRole('switch').click();
        await save();
        await setting(page, 'ldap_use_tls')
          .getByText(/exclude each other/)
          .waitFor();
        await page.getByRole('button', { name: 'Discard changes' }).click();
      },
      /\b400\b/,
    ),
    nightly('switching LDAPS changes the default port', async () => {
      await setting(page, 'ldap_use_ssl').getByRole('switch').click();
      assert.equal(await setting(page, 'ldap_port').getByRole('textbox').inputValue(), '389');
    }),
    nightly('unsaved changes are not lost by navigation', async () => {
      await page.getByRole('link', { name: 'OIDC' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click();
      await page.getByText('2 unsaved changes').waitFor();
      await page.getByRole('button', { name: 'Discard changes' }).click();
    }),
    step('a list of names is shown as parsed by the service, saved, and listed in the history', async () => {
      const field = setting(page, 'ldap_user_groups');
      await field.getByRole('textbox').fill(`${staff}, cn=guests,ou=groups,dc=example,dc=org`);
      await page.keyboard.press('Enter');
      assert.equal(await field.getByTestId('entries').getByRole('listitem').count(), 2);
      await field.getByRole('button', { name: /^Remove cn=guests/ }).click();
      await save();
      await page.getByText(/1 setting saved/).waitFor();
      await page.reload();
      await field.getByTestId('entries').waitFor();
      assert.deepEqual(await field.getByTestId('entries').getByRole('listitem').allInnerTexts(), [staff]);
      await page.getByRole('button', { name: 'Show earlier changes' }).click();
      const change = page.getByTestId('history').getByRole('row').nth(1);
      await change.getByText('Allowed groups').waitFor();
      assert.match(await change.innerText(), new RegExp(admin.email));
    }),
    step('a secret is never returned, and an empty field keeps it', async () => {
      const secret = setting(page, 'ldap_bind_password');
      await secret.locator('input[type="password"]').fill('bind-secret-93');
      await save();
      await page
        .getByText(/1 setting saved/)
        .first()
        .waitFor();
      await page.reload();
      const input = secret.getByPlaceholder('Configured. Leave blank to keep.');
      await input.waitFor();
      assert.equal(await input.inputValue(), '');
      assert.ok(!(await page.content()).includes('bind-secret-93'));
    }),
    step(
      'the connection test tells step by step what fails, before anything is saved',
      async () => {
        await setting(page, 'ldap_server').getByRole('textbox').fill('ldaps://127.0.0.1:1');
        // The stored password is sent to the stored server only; another server requires it again.
        await setting(page, 'ldap_bind_password').getByPlaceholder('Enter it again').waitFor();
        await page.getByRole('button', { name: 'Test connection' }).click();
        const result = page.getByTestId('test-result');
        await result.getByText('The test couldn’t be run').waitFor();
        await setting(page, 'ldap_bind_password').locator('input').first().fill('bind-secret-93');
        await setting(page, 'ldap_bind_dn').getByRole('textbox').fill('cn=overtone,dc=example,dc=org');
        await page.getByRole('button', { name: 'Test connection' }).click();
        // A missing value is reported at its field.
        await setting(page, 'ldap_search_base').getByText('Required to enable LDAP.').waitFor();
        await setting(page, 'ldap_search_base').getByRole('textbox').fill('dc=example,dc=org');
        await page.getByRole('button', { name: 'Test connection' }).click();
        await result.locator('[data-ok="false"]').first().waitFor();
        await boss.snap('connection-test');
        await page.getByRole('button', { name: 'Discard changes' }).click();
      },
      /\b400\b/,
    ),
  ];

  const mapped: Check[] = [
    step('a mapping is created, and the tester shows which claims match', async () => {
      const client = await signIn(instance.baseUrl, admin.email, admin.password);
      await client.send('POST', '/api/groups', { name: 'Staff' });
      await page.goto('/admin/authentication/group-mappings');
      await page.getByRole('button', { name: 'Add mapping' }).click();
      const dialog = page.getByRole('dialog');
      assert.deepEqual(await dialog.getByLabel('Source').locator('option').allInnerTexts(), [
        'Directory (LDAP)',
        'Identity provider (OIDC)',
      ]);
      await dialog.getByLabel('Directory group (DN)').fill(staff);
      await dialog.getByLabel('Group', { exact: true }).first().fill('Staff');
      await page.getByRole('option', { name: 'Staff' }).click();
      await dialog.getByLabel('Role').selectOption('admin');
      await dialog.getByRole('button', { name: 'Add mapping' }).click();
      await page.getByTestId('mappings').getByText(staff).waitFor();
      await page.getByLabel('Claims to test').fill(`CN=Staff, OU=groups,DC=example,DC=org\ncn=other,dc=example,dc=org`);
      await page.getByRole('button', { name: 'Test', exact: true }).click();
      const result = page.getByTestId('mapping-result');
      await result.getByTestId('matched').getByText(/staff/i).waitFor();
      await result.getByTestId('unmatched').getByText('cn=other,dc=example,dc=org').waitFor();
      await result.getByRole('link', { name: 'Staff' }).waitFor();
      await result.getByText('Administrator', { exact: true }).waitFor();
      await boss.snap('mapping-tester');
    }),
    step('a mapping is deleted after a confirmation', async () => {
      await page.getByRole('button', { name: `Delete ${staff}` }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText(/No mappings yet/).waitFor();
    }),
    step('the sign-in page shows the enabled sign-in methods only', async () => {
      const client = await signIn(instance.baseUrl, admin.email, admin.password);
      await client.send('PUT', '/api/admin/auth-config/oidc', {
        oidc_enabled: true,
        oidc_display_name: 'Harbour SSO',
        oidc_discovery_url: 'https://127.0.0.1:1',
        oidc_client_id: 'overtone',
        oidc_callback_url: `${instance.baseUrl}/login`,
      });
      const visitor = await openHands(browser, instance.baseUrl, screenshots);
      await visitor.page.goto('/sign-in');
      await visitor.page.getByRole('button', { name: 'Continue with Harbour SSO' }).waitFor();
      await visitor.page.getByLabel('Password', { exact: true }).waitFor();
      assert.equal(await visitor.page.getByRole('button', { name: 'Use a certificate' }).count(), 0);
      await visitor.page.goto('/login?error=access_denied&state=unknown');
      await visitor.page.getByRole('alert').waitFor();
      await visitor.page.getByRole('link', { name: 'Back to sign-in' }).click();
      await visitor.page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await visitor.page.context().close();
      await client.send('PUT', '/api/admin/auth-config/oidc', { oidc_enabled: null, oidc_display_name: null });
    }),
    step('the audit log shows changes of settings, can be filtered, and can be exported', async () => {
      await page.goto('/admin/audit');
      await page.getByLabel('Event', { exact: true }).selectOption('admin.settings.change');
      const rows = page.getByTestId('audit').locator('tr[data-event]');
      await until('only changes of settings are left', async () => {
        const events = await rows.evaluateAll((all) => all.map((row) => row.getAttribute('data-event')));
        return events.length > 0 && events.every((event) => event === 'admin.settings.change');
      });
      await rows.first().getByRole('button').click();
      await page.getByText('Request', { exact: true }).waitFor();
      await boss.snap('audit');
      await page.getByRole('button', { name: 'Export' }).click();
      const coming = page.waitForEvent('download');
      await page.getByRole('menuitem', { name: /CSV/ }).click();
      assert.match(await readFile(await (await coming).path(), 'utf8'), /admin\.settings\.change/);
    }),
    nightly('the pages have no accessibility violations in both color schemes and fit into 360 pixels', async () => {
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        for (const path of pages) {
          await page.goto(path);
          await page.locator('#main h1').first().waitFor();
          assert.deepEqual(await barriers(page, schemesAt(width)), [], `${path} has accessibility violations`);
          await until(`${path} fits into ${width} pixels`, () => fitsWidth(page));
        }
      }
      await page.setViewportSize({ width: 1280, height: 800 });
    }),
    nightly('a setting can be reached and saved with the keyboard only', async () => {
      await page.goto('/admin/authentication/lockout');
      const threshold = setting(page, 'account_lockout_threshold').getByRole('textbox');
      await threshold.focus();
      await page.keyboard.press('Control+A');
      await page.keyboard.type('7');
      await page.keyboard.press('Enter');
      await page.getByText(/1 setting saved/).waitFor();
      await setting(page, 'account_lockout_threshold')
        .getByRole('button', { name: /^Reset/ })
        .press('Enter');
      assert.equal(await threshold.inputValue(), '5');
      await until('it can be saved', () => page.getByRole('button', { name: 'Save' }).isEnabled());
      await threshold.press('Enter');
      await until('the default is saved', async () => (await page.getByText(/unsaved change/).count()) === 0);
    }),
    nightly('what is entered while settings are saved stays', async () => {
      await page.goto('/admin/authentication/lockout');
      const release = await holdSaves(page, '**/api/admin/auth-config/lockout');
      const minutes = setting(page, 'account_lockout_duration_minutes').getByRole('textbox');
      const longest = setting(page, 'account_lockout_max_duration_minutes').getByRole('textbox');
      await minutes.fill('16');
      await minutes.press('Enter');
      await longest.fill('1500');
      release();
      await page.getByText(/1 setting saved/).waitFor();
      await page.getByText('1 unsaved change').waitFor();
      assert.deepEqual([await minutes.inputValue(), await longest.inputValue()], ['16', '1500']);
      await page.getByRole('button', { name: 'Discard changes' }).click();
    }),
  ];

  return {
    name: 'Sign-in settings in Chromium',
    checks: [...forms, ...mapped],
    close: async () => {
      const client = await signIn(instance.baseUrl, admin.email, admin.password);
      await client.send('PUT', '/api/admin/auth-config/lockout', {
        account_lockout_duration_minutes: null,
      });
      await client.send('PUT', '/api/admin/auth-config/ldap', {
        ldap_user_groups: null,
        ldap_bind_password_clear: true,
      });
      await browser?.close();
    },
  };
}

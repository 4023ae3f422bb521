import type { Page } from '@playwright/test';
import { example, uuid } from './ring/example.ts';
import { expect, startSession, test } from './ring/ring.ts';

const account = example('GET /api/users/{uuid}', {
  uuid: uuid(20),
  email: 'grace@example.org',
  full_name: 'Grace Hopper',
  auth_type: 'local',
  is_active: true,
});
const expires_at = '2026-12-05T10:00:00.000Z';
const invited = { ...account, invited_until: expires_at };
const opened = { email: account.email, full_name: account.full_name, expires_at };
const password = 'Silver-Lantern-73';

function button(page: Page, name: string) {
  return page.getByRole('button', { name, exact: true });
}

test.describe('an administrator', () => {
  test.beforeEach(async ({ page, api }) => startSession(page, api));

  test('creates an account with an invitation link, which is shown once', async ({ page, api }) => {
    const route = 'POST /api/admin/users';
    api.respond(route, { ...invited, invitation: { token: 'the-token', expires_at } });
    api.respond('GET /api/users/{uuid}', invited);
    await page.goto('/admin/users');
    await button(page, 'Add user').click();
    await page.getByLabel('E-mail address', { exact: true }).fill(account.email);
    await page.getByLabel(/invitation link/).check();
    await expect(page.getByLabel('Password', { exact: true })).toHaveCount(0);
    await page.getByRole('dialog').getByRole('button', { name: 'Add user' }).click();
    const dialog = page.getByRole('dialog', { name: 'Invitation for Grace Hopper' });
    await expect(dialog.getByLabel('Invitation link')).toHaveValue(`${api.baseUrl}/invitation#the-token`);
    await expect(button(page, 'Copy link')).toBeFocused();
    await dialog.getByRole('button', { name: 'Close', exact: true }).click();
    await expect(page).toHaveURL(`/admin/users/${account.uuid}`);
    await expect(page.getByRole('main')).toContainText('valid until');
    expect(await page.content()).not.toContain('the-token');
    expect(api.sent(route)).toEqual([
      { email: account.email, role: 'user', auth_type: 'local', must_change_password: false, invite: true },
    ]);
  });

  test('replaces and withdraws the link of an account', async ({ page, api }) => {
    const route = 'POST /api/admin/users/{uuid}/invitation';
    api.respond('GET /api/users/{uuid}', invited);
    api.refuse(route, { code: 'invitation_impossible', detail: 'This account is expired' });
    api.respond('DELETE /api/admin/users/{uuid}/invitation', undefined);
    await page.goto(`/admin/users/${account.uuid}`);
    await button(page, 'New invitation link').click();
    await expect(page.getByText('This account is expired')).toBeVisible();
    api.respond(route, { token: 'another', expires_at });
    await button(page, 'New invitation link').click();
    await expect(page.getByRole('dialog').getByLabel('Invitation link')).toHaveValue(/#another$/);
    await page.keyboard.press('Escape');
    api.respond('GET /api/users/{uuid}', account);
    await button(page, 'Withdraw invitation').click();
    await expect(button(page, 'Create invitation link')).toBeVisible();
    await expect(button(page, 'Withdraw invitation')).toHaveCount(0);
  });

  test('gets no invitation for an account of a directory', async ({ page, api }) => {
    api.respond('GET /api/users/{uuid}', { ...account, auth_type: 'ldap' });
    await page.goto(`/admin/users/${account.uuid}`);
    await expect(button(page, 'Disable')).toBeVisible();
    await expect(button(page, 'Create invitation link')).toHaveCount(0);
  });
});

test.describe('an invited person', () => {
  test.beforeEach(async ({ page, api }) => {
    await startSession(page, api);
    await page.context().clearCookies();
  });

  test('sets a password and is signed in', async ({ page, api }) => {
    api.respond('POST /api/auth/invitation', opened);
    api.respond('POST /api/auth/invitation/accept', { email: account.email });
    api.respond('POST /api/auth/token', () => example('POST /api/auth/token', { expires_in: 900 }));
    await page.goto('/invitation#the-token');
    await expect(page.getByLabel('E-mail address')).toHaveValue(account.email);
    const field = page.getByLabel('New password', { exact: true });
    await field.fill(password);
    await page.context().addCookies([{ name: 'csrf_token', value: 'scripted', url: api.baseUrl }]);
    await button(page, 'Set password').click();
    await expect(page).toHaveURL('/');
    await expect(page.getByRole('heading', { name: 'Library' })).toBeVisible();
    expect(api.sent('POST /api/auth/invitation')).toEqual([{ token: 'the-token' }]);
    expect(api.sent('POST /api/auth/invitation/accept')).toEqual([{ token: 'the-token', password }]);
    expect(api.sent('POST /api/auth/token')).toEqual([{ username: account.email, password }]);
  });

  test('gets to the sign-in page when the password is set but opens no session', async ({ page, api }) => {
    api.respond('POST /api/auth/invitation', opened);
    api.respond('POST /api/auth/invitation/accept', { email: account.email });
    api.refuse('POST /api/auth/token', { code: 'too_many_sessions' });
    await page.goto('/invitation#the-token');
    await page.getByLabel('New password', { exact: true }).fill(password);
    await button(page, 'Set password').click();
    await expect(page).toHaveURL('/sign-in');
  });

  test('sees why a password is refused, and that a link has ended', async ({ page, api }) => {
    api.respond('POST /api/auth/invitation', opened);
    const route = 'POST /api/auth/invitation/accept';
    api.refuse(route, {
      code: 'password_rejected',
      errors: [{ path: 'password', message: 'It has been used before.' }],
    });
    await page.goto('/invitation#the-token');
    const field = page.getByLabel('New password', { exact: true });
    await field.fill(password);
    await button(page, 'Set password').click();
    await expect(page.getByText('It has been used before.')).toBeVisible();
    await expect(field).toHaveValue(password);
    await field.fill('');
    api.refuse('POST /api/auth/invitation', { code: 'invitation_invalid' });
    await page.goto('about:blank');
    await page.goto('/invitation#the-token');
    await expect(page.getByRole('alert')).toContainText('not valid any more');
    await page.goto('about:blank');
    await page.goto('/invitation');
    await expect(page.getByRole('alert')).toContainText('not valid any more');
    await expect(page.getByLabel('New password', { exact: true })).toHaveCount(0);
  });
});

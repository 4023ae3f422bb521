import type { Route } from '@overtone/client';
import type { Locator, Page } from '@playwright/test';
import { example, exampleItem } from './ring/example.ts';
import type { ScriptedApi } from './ring/scripted-api.ts';
import { expect, me, startSession, test } from './ring/ring.ts';

const route = 'GET /api/admin/backup/settings';
const folder = exampleItem(route, 'settings', {
  key: 'destination',
  type: 'text',
  value: '',
  source: 'default',
  environment_value: null,
  default_value: '',
});
const type = exampleItem(route, 'settings', {
  key: 'destination_type',
  type: 'choice',
  choices: ['folder', 's3'],
  value: 'folder',
  source: 'default',
  default_value: 'folder',
});
const save = 'PUT /api/admin/backup/settings';

function showBackups(api: ScriptedApi, shown = folder): void {
  api.respond(route, example(route, { settings: [type, shown] }));
}
function foundFolder(fields: object) {
  return example('POST /api/admin/backup/test', { ok: true, destination: '/mnt/backup', error: null, ...fields });
}

test.beforeEach(async ({ page, api }) => startSession(page, api));

test('a setting that was entered counts as set only after it was saved', async ({ page, api }) => {
  showBackups(api);
  api.respond('POST /api/admin/backup/test', foundFolder({ creates_folder_on: null }));
  const detail = 'Choose another folder.';
  api.refuse(save, {
    code: 'destination_unavailable',
    errors: [{ path: 'destination', message: detail }],
  });
  await page.goto('/admin/backups');
  const setting = page.locator('[data-key=destination]');
  await setting.getByRole('textbox').fill('/mnt/backup');
  await expect(setting).toContainText('not saved yet');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('The settings weren’t saved')).toBeVisible();
  await expect(setting).toContainText(detail);
  await expect(setting.getByRole('textbox')).toBeFocused();
  await expect(setting.getByRole('textbox')).toBeInViewport();
  await expect(setting).not.toContainText('set here');
  await expect(setting.getByRole('button', { name: /Reset/ })).toHaveCount(0);
  const stored = { ...folder, value: '/mnt/other', source: 'stored' } as const;
  api.respond(save, example(save, { settings: [type, stored] }));
  showBackups(api, stored);
  // A second press of the same form within a second is ignored.
  await setting.getByRole('textbox').fill('/mnt/other');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(setting).toContainText('set here');
  await expect(setting.getByRole('button', { name: /Reset/ })).toBeVisible();
});

test('a message counts the settings that were saved', async ({ page, api }) => {
  showBackups(api);
  api.respond('POST /api/admin/backup/test', foundFolder({ creates_folder_on: null }));
  api.respond(save, example(save, { settings: [type, { ...folder, value: '/mnt/backup', source: 'stored' }] }));
  await page.goto('/admin/backups');
  await page.locator('[data-key=destination]').getByRole('textbox').fill('/mnt/backup');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText(/settings? saved/)).toHaveText('1 setting saved.');
});

test('a destination that does not exist yet has not passed its test, and to create it is no dangerous action', async ({
  page,
  api,
}) => {
  showBackups(api);
  api.respond('POST /api/admin/backup/test', foundFolder({ creates_folder_on: 'system_disk' }));
  await page.goto('/admin/backups');
  await page.locator('[data-key=destination]').getByRole('textbox').fill('/mnt/backup');
  await page.getByRole('button', { name: 'Test destination' }).click();
  const result = page.getByTestId('test-result');
  await expect(result).toContainText('This folder doesn’t exist yet');
  await expect(result).not.toContainText('can be written');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const action = page.getByRole('dialog').getByRole('button', { name: 'Create the folder' });
  await expect(action).not.toHaveAttribute('style', /red/);
});

test('a new watch source names every required field that is empty', async ({ page }) => {
  await page.goto('/admin/watch-sources');
  await page.getByRole('button', { name: 'Add source' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('Still missing: Name, Folder, Owner');
  await dialog.getByLabel('Move the file to another folder').check();
  await expect(dialog).toContainText('Still missing: Name, Folder, Owner, Folder for imported files');
  await dialog.getByLabel('A bucket (S3)').check();
  await expect(dialog).toContainText(
    'Still missing: Name, Address of the server, Bucket, Access key, Secret key, Owner, Prefix for imported files',
  );
});

test('the page of backups says that a plain one needs the encryption key on another machine', async ({ page, api }) => {
  showBackups(api, { ...folder, value: '/mnt/backup', source: 'stored' });
  const list = 'GET /api/admin/backup/backups';
  api.respond(list, example(list, { backups: [exampleItem(list, 'backups', { filename: 'overtone.dump' })] }));
  await page.goto('/admin/backups');
  await expect(page.getByText('data/secrets/encryption_key')).toBeVisible();
});

test.describe('the dialog of a language model', () => {
  const listing = 'POST /api/admin/llm-settings/models';
  const testing = 'POST /api/admin/llm-settings/test';

  async function openDialog(page: Page): Promise<Locator> {
    await page.goto('/admin/language-models');
    await page.getByRole('button', { name: 'Add a language model' }).click();
    return page.getByRole('dialog');
  }

  test('names the required fields that are empty', async ({ page }) => {
    const dialog = await openDialog(page);
    await expect(dialog).toContainText('Still missing: Name, Address, Model');
  });

  test('shows the result of a test in view, and only while it is about the fields that were tested', async ({
    page,
    api,
  }) => {
    const message = 'Local refused the key.';
    api.respond(listing, example(listing, { message, error_code: 'provider_refused_key' }));
    api.respond(
      testing,
      example(testing, { ok: false, message: 'Local sent nothing.', error_code: 'provider_timeout' }),
    );
    const dialog = await openDialog(page);
    await dialog.getByLabel('Name', { exact: true }).fill('Local');
    await dialog.getByLabel('Address').fill('http://localhost:11434');
    await dialog.getByRole('button', { name: 'List models' }).click();
    await expect(dialog.getByText(message)).toBeInViewport({ ratio: 1 });
    await dialog
      .getByRole('combobox', { name: 'Model' })
      .or(dialog.getByLabel('Model', { exact: true }))
      .first()
      .fill('m');
    await dialog.getByRole('button', { name: 'Test connection' }).click();
    await expect(dialog.getByText('Local sent nothing.')).toBeInViewport({ ratio: 1 });
    await expect(dialog.getByText(message)).toHaveCount(0);
    await dialog.getByLabel('Address').fill('http://localhost:11435');
    await expect(dialog.getByText('Local sent nothing.')).toHaveCount(0);
  });

  test('marks the field that keeps the models from being listed, and shows it', async ({ page, api }) => {
    const refusal = 'This address is inside a private network.';
    api.refuse(listing, { code: 'settings_invalid', errors: [{ path: 'base_url', message: refusal }] });
    const dialog = await openDialog(page);
    await dialog.getByLabel('Address').fill('http://10.1.2.3:11434');
    await dialog.getByRole('button', { name: 'List models' }).click();
    await expect(dialog.getByText(refusal)).toBeInViewport({ ratio: 1 });
    await expect(dialog.getByLabel('Address')).toBeFocused();
    await expect(dialog).not.toContainText('base_url');
  });
});

test('a wrong current password is marked at its field', async ({ page, api }) => {
  const message = 'The current password is wrong.';
  api.refuse('PUT /api/users/me', {
    code: 'password_rejected',
    detail: message,
    errors: [{ path: 'current_password', message }],
  });
  await page.goto('/change-password');
  await page.getByLabel('Current password').fill('a wrong one');
  await page.getByLabel('New password', { exact: true }).fill('Harbour-Lantern-2231!');
  await page.getByLabel('Repeat new password').fill('Harbour-Lantern-2231!');
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByLabel('Current password')).toHaveAccessibleDescription(message);
  await expect(page.getByText('current_password')).toHaveCount(0);
});

test('who must choose a password first goes on to the page that was asked for', async ({ page, api }) => {
  const changed = { ...me, must_change_password: false };
  api.respond('GET /api/users/me', { ...me, must_change_password: true });
  api.respond('PUT /api/users/me', changed);
  await page.goto('/collections?sort_by=name');
  await expect(page.getByRole('heading', { name: 'Choose your own password' })).toBeVisible();
  await page.getByLabel('Current password').fill('Given-By-Someone-1!');
  await page.getByLabel('New password', { exact: true }).fill('Harbour-Lantern-2231!');
  await page.getByLabel('Repeat new password').fill('Harbour-Lantern-2231!');
  api.respond('GET /api/users/me', changed);
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByRole('heading', { name: 'Collections' })).toBeVisible();
});

test('whose account becomes usable goes on to the page that was asked for', async ({ page, api }) => {
  api.respond('GET /api/users/me', { ...me, approval_status: 'pending' });
  await page.goto('/collections?sort_by=name');
  await expect(page.getByRole('heading', { name: 'Your account is awaiting approval' })).toBeVisible();
  api.respond('GET /api/users/me', me);
  await page.getByRole('button', { name: 'Check again' }).click();
  await expect(page.getByRole('heading', { name: 'Collections' })).toBeVisible();
});

for (const { name, path, scope, failing, missing, failure } of [
  {
    name: 'restore of a backup',
    path: '/admin/backups',
    scope: 'backup',
    failing: ['runs', 'status', 'backups'],
    missing: 'The commands appear here',
    failure: 'The commands couldn’t be loaded',
  },
  {
    name: 'restore from the media mirror',
    path: '/admin/media-mirror',
    scope: 'media-mirror',
    failing: ['runs', 'status'],
    missing: 'The command appears here',
    failure: 'The command couldn’t be loaded',
  },
] as const)
  for (const part of failing)
    test(`a ${name} whose ${part} couldn’t be loaded is not called impossible`, async ({ page, api }) => {
      const settings = `GET /api/admin/${scope}/settings` as const;
      const fields = { key: 'destination', type: 'text', value: '/mnt/disk' } as const;
      api.respond(settings, { settings: [exampleItem(settings, 'settings', fields)] });
      api.refuse(`GET /api/admin/${scope}/${part}` as Route, { code: 'service_unavailable' });
      await page.goto(path);
      await expect(page.getByRole('alert').filter({ hasText: failure })).toBeVisible();
      await expect(page.getByText(missing)).toHaveCount(0);
    });

test('a new group mapping says what is missing, also when there is no group yet', async ({ page }) => {
  await page.goto('/admin/authentication/group-mappings');
  await page.getByRole('button', { name: 'Add mapping' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('Choose a group, a role, or both.');
  await expect(dialog).toContainText('There is no group yet. Create one on the page Groups first.');
  await dialog.getByLabel('Role').selectOption('Administrator');
  await expect(dialog).toContainText('Still missing: Directory group (DN)');
});

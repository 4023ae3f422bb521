import type { Page } from '@playwright/test';
import { authSetting, example, exampleItem, uuid } from './ring/example.ts';
import { expect, startSession, test } from './ring/ring.ts';

// What is asked, or said, before an administrator saves something that would do harm.
test.beforeEach(async ({ page, api }) => startSession(page, api));

function button(page: Page, name: string) {
  return page.getByRole('button', { name, exact: true });
}

test('a list of providers of which none can transcribe is saved only after a question', async ({ page, api }) => {
  const detail = 'Model: No model is installed';
  const route = 'PUT /api/admin/asr-providers';
  api.refuse(route, { code: 'no_provider_ready', detail });
  await page.goto('/admin/asr');
  await button(page, 'Add provider').click();
  await page.getByRole('menuitem', { name: 'Other model (sherpa-onnx)' }).click();
  await button(page, 'Save').click();
  const question = page.getByRole('dialog', { name: 'Stop all transcription?' });
  await expect(question).toContainText(detail);
  await expect(question.getByRole('link', { name: 'Install a speech model' })).toHaveAttribute('href', '/admin');
  await page.keyboard.press('Escape');
  await expect(question).toHaveCount(0);
  await expect(button(page, 'Save')).toBeFocused();
  // A second submit of an unchanged form is ignored for half a second.
  await page.getByLabel('Name', { exact: true }).fill('Spoken words');
  await button(page, 'Save').click();
  api.respond(route, example('GET /api/admin/asr-providers'));
  await question.getByRole('button', { name: 'Save anyway' }).click();
  await expect(question).toHaveCount(0);
  expect(api.sent(route).map((body) => (body as { accept_not_ready?: true }).accept_not_ready)).toEqual([
    undefined,
    undefined,
    true,
  ]);
});

test('a sign-in source whose test failed is switched on only after a question', async ({ page, api }) => {
  api.respond('GET /api/admin/auth-config', {
    ...example('GET /api/admin/auth-config'),
    ldap: [
      authSetting({ config_key: 'ldap_enabled', data_type: 'boolean', config_value: false, default_value: false }),
      authSetting({ config_key: 'ldap_server' }),
    ],
  });
  const tested = example('POST /api/admin/auth-config/{category}/test', {
    success: false,
    message: 'The server does not respond.',
  });
  api.respond('POST /api/admin/auth-config/{category}/test', tested);
  const route = 'PUT /api/admin/auth-config/{category}';
  api.respond(route, example(route, { updated_count: 2 }));
  await page.goto('/admin/authentication/ldap');
  const server = page.locator('[data-key="ldap_server"]').getByRole('textbox');
  await server.fill('ldap.example.org');
  await button(page, 'Test connection').click();
  await expect(page.getByTestId('test-result')).toContainText('The server does not respond.');
  const enabled = page.locator('[data-key="ldap_enabled"]').getByRole('switch');
  await enabled.check();
  await button(page, 'Save').click();
  const question = page.getByRole('dialog', { name: 'Save although the test failed?' });
  await expect(question).toContainText('The server does not respond.');
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(api.sent(route)).toEqual([]);
  await enabled.uncheck();
  await enabled.check();
  await button(page, 'Save').click();
  await question.getByRole('button', { name: 'Save anyway' }).click();
  await expect.poll(() => api.sent(route)).toEqual([{ ldap_server: 'ldap.example.org', ldap_enabled: true }]);
});

test('a mapping of a text that is no distinguished name is called so before it is saved', async ({ page }) => {
  await page.goto('/admin/authentication/group-mappings');
  await button(page, 'Add mapping').click();
  const dialog = page.getByRole('dialog');
  const claim = dialog.getByLabel('Directory group (DN)', { exact: true });
  await claim.fill('Staff');
  await expect(claim).toHaveAccessibleDescription(/matches no one/);
  await expect(dialog.getByRole('button', { name: 'Save anyway' })).toBeVisible();
  await claim.fill('cn=staff,dc=example,dc=org');
  await expect(dialog.getByRole('button', { name: 'Add mapping' })).toBeVisible();
});

for (const { name, path, scope } of [
  { name: 'backups', path: '/admin/backups', scope: 'backup' },
  { name: 'the media mirror', path: '/admin/media-mirror', scope: 'media-mirror' },
] as const)
  test(`a folder that does not exist becomes the destination of ${name} only after a question`, async ({
    page,
    api,
  }) => {
    const settings = [
      exampleItem(`GET /api/admin/${scope}/settings`, 'settings', {
        key: 'destination_type',
        type: 'text',
        value: 'folder',
      }),
      exampleItem(`GET /api/admin/${scope}/settings`, 'settings', { key: 'destination', type: 'text', value: '' }),
    ];
    api.respond(`GET /api/admin/${scope}/settings`, { settings });
    const usable = { destination: '/mnt/disk', ok: true, error_code: null, error: null, free_bytes: 1 };
    api.respond(`POST /api/admin/${scope}/test`, { ...usable, creates_folder_on: 'system_disk' });
    const route = `PUT /api/admin/${scope}/settings` as const;
    api.respond(route, { settings });
    await page.goto(path);
    await page.getByLabel('Path of the folder', { exact: true }).fill('/mnt/disk');
    await button(page, 'Test destination').click();
    await expect(page.getByTestId('test-result')).toContainText('on the system disk');
    await button(page, 'Save').click();
    const question = page.getByRole('dialog', { name: 'Create this folder?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(api.sent(route)).toEqual([]);
    api.respond(`POST /api/admin/${scope}/test`, { ...usable, creates_folder_on: null });
    await page.getByLabel('Path of the folder', { exact: true }).fill('/mnt/other');
    await button(page, 'Save').click();
    await expect.poll(() => api.sent(route)).toEqual([{ destination: '/mnt/other' }]);
    await expect(question).toHaveCount(0);
  });

test('every page of the administration says that nothing is transcribed, and why', async ({ page, api }) => {
  const worker = exampleItem('GET /api/admin/engines', 'workers', {
    id: uuid(50),
    pulls: ['gpu-transcribe'],
    engine: null,
    note: 'Office: No model is installed',
  });
  api.respond('GET /api/admin/engines', { workers: [worker] });
  for (const path of ['/admin/overview', '/admin/users', '/admin/backups']) {
    await page.goto(path);
    await expect(page.getByTestId('engine-alert')).toContainText('Office: No model is installed');
  }
  api.respond('GET /api/admin/engines', {
    workers: [{ ...worker, engine: { provider: 'faster-whisper', model: 'small', timing: 'engine' }, note: null }],
  });
  await page.goto('/admin/users');
  await expect(button(page, 'Add user')).toBeVisible();
  await expect(page.getByTestId('engine-alert')).toHaveCount(0);
});

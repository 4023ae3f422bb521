import type { Locator } from '@playwright/test';
import { example, exampleItem, listOf, uuid } from './ring/example.ts';
import { expect, me, push, startSession, test } from './ring/ring.ts';

// What people see at once on their pages.
test.beforeEach(async ({ page, api }) => startSession(page, api));

test('the best suggestion for the name of a speaker stands beside that name, and is accepted there', async ({
  page,
  api,
}) => {
  const speaker = exampleItem('GET /api/files/{uuid}', 'speakers', { uuid: uuid(71), name: 'SPEAKER_02' });
  const file = example('GET /api/files/{uuid}', {
    uuid: uuid(70),
    title: 'Minutes',
    status: 'completed',
    my_permission: 'owner',
    total_segments: 1,
    speakers: [speaker],
  });
  const route = 'GET /api/files/{uuid}/suggestions';
  const suggestion = exampleItem(route, 'suggested_speakers', {
    uuid: uuid(72),
    speaker_uuid: speaker.uuid,
    name: 'Alice Brown',
    confidence: 0.9,
    status: 'pending',
  });
  const lessSure = { ...suggestion, uuid: uuid(73), name: 'Bob Green', confidence: 0.4 };
  const suggestions = example(route, { media_file_id: file.uuid, suggested_speakers: [lessSure, suggestion] });
  api.respond('GET /api/files/{uuid}', file);
  api.respond(route, suggestions);
  const accept = 'POST /api/files/{uuid}/suggestions/accept';
  api.respond(accept, example(accept, { suggestions: { ...suggestions, suggested_speakers: [] } }));
  await page.goto(`/files/${file.uuid}`);
  const guess = page.getByTestId('speaker').getByTestId('name-guess');
  await expect(guess).toHaveText(/Probably Alice Brown \(90 %\)/);
  await guess.getByRole('button', { name: 'Accept: Alice Brown for Speaker 2' }).click();
  await expect(guess).toHaveCount(0);
  expect(api.sent(accept)).toEqual([{ suggestion_uuids: [suggestion.uuid] }]);
});

test('the button of the upload dialog is in view with six files', async ({ page, api }) => {
  api.respond('GET /api/files/upload-limits', example('GET /api/files/upload-limits', { max_bytes: 1024 ** 3 }));
  await page.goto('/');
  const files = [1, 2, 3, 4, 5, 6].map((number) => ({
    name: `memo ${number}.wav`,
    mimeType: 'audio/wav',
    buffer: Buffer.from('RIFF'),
  }));
  await page.getByTestId('file-input').setInputFiles(files);
  await expect(page.getByRole('dialog')).toContainText('memo 6.wav');
  await expect(page.getByRole('button', { name: 'Upload and transcribe' })).toBeInViewport({ ratio: 1 });
});

test('the panel of uploads is one line when all are done, and stays open when one failed', async ({ page, api }) => {
  api.respond('GET /api/files/upload-limits', example('GET /api/files/upload-limits', { max_bytes: 1024 ** 3 }));
  const address = '**/api/files/tus**';
  let refused = false;
  await page.route(address, (route) => {
    const headers = { 'Tus-Resumable': '1.0.0', 'Upload-Offset': '4', Location: `/api/files/tus/${uuid(78)}` };
    if (route.request().method() === 'POST') return route.fulfill({ status: 201, headers });
    if (!refused) return route.fulfill({ status: 204, headers });
    return route.fulfill({ status: 400, json: { code: 'not_media', detail: 'This file is not audio or video.' } });
  });
  const upload = async (name: string): Promise<void> => {
    const file = { name, mimeType: 'audio/wav', buffer: Buffer.from('RIFF') };
    await page.getByTestId('file-input').setInputFiles([file]);
    await page.getByRole('button', { name: 'Upload and transcribe' }).press('Enter');
  };
  await page.goto('/');
  await page.mouse.move(0, 0);
  await upload('first.wav');
  const items = page.getByTestId('upload-item');
  await expect(page.getByTestId('upload-panel')).toContainText('Uploads finished');
  await expect(items).toHaveCount(0);
  await page.getByRole('button', { name: 'Expand uploads' }).press('Enter');
  await expect(items).toHaveCount(1);
  await page.getByRole('button', { name: 'Collapse uploads' }).press('Enter');
  await expect(items).toHaveCount(0);
  refused = true;
  await upload('second.wav');
  await expect(items.filter({ hasText: 'This file is not audio or video.' })).toBeVisible();
  await expect(page.getByTestId('upload-panel')).toContainText('1 upload needs attention');
  await page.unroute(address);
});

test('a wrong number of speakers is shown when its upload is started, also below the fold', async ({ page, api }) => {
  await page.goto('/');
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  const files = Array.from({ length: 6 }, (_, i) => ({
    name: `memo ${i}.wav`,
    mimeType: 'audio/wav',
    buffer: Buffer.from('RIFF'),
  }));
  await (await chooser).setFiles(files);
  const dialog = page.getByTestId('upload-dialog');
  await dialog.getByLabel('Min. speakers').fill('4');
  await dialog.getByLabel('Max. speakers').fill('2');
  await dialog.getByLabel('Title').first().press('Enter');
  await expect(dialog.getByLabel('Min. speakers')).toBeFocused();
  await expect(dialog.getByText('The minimum can’t be greater than the maximum.')).toBeInViewport();
  expect(api.sent('POST /api/files/tus')).toEqual([]);
});

test('the page of speakers says what to do while voices are switched off', async ({ page, api }) => {
  api.respond(
    'GET /api/users/me',
    example('GET /api/users/me', { role: 'user', is_active: true, approval_status: 'approved' }),
  );
  api.respond('GET /api/speaker-profiles', example('GET /api/speaker-profiles', { enabled: false }));
  await page.goto('/speakers');
  await expect(page.getByText('Ask your administrator to turn it on.')).toBeVisible();
  await expect(page.getByRole('link', { name: 'To the library', exact: true })).toBeVisible();
});

test('the removal of an own recording from an own collection can be undone, of others not', async ({ page, api }) => {
  const listRoute = 'GET /api/collections/{uuid}/media';
  const collection = example('GET /api/collections/{uuid}', { uuid: uuid(80), name: 'Board', owner_name: null });
  const own = exampleItem(listRoute, 'items', { uuid: uuid(81), title: 'Minutes', owner_name: null });
  const foreign = exampleItem(listRoute, 'items', { uuid: uuid(82), title: 'Talk', owner_name: 'Grace Hopper' });
  api.respond('GET /api/collections/{uuid}', { ...collection, my_permission: 'owner' });
  api.respond(listRoute, listOf([own, foreign]));
  for (const route of ['DELETE /api/collections/{uuid}/media', 'POST /api/collections/{uuid}/media'] as const)
    api.respond(route, { results: [] });
  await page.goto(`/collections/${collection.uuid}`);
  const remove = async (title: string): Promise<void> => {
    await page.getByRole('button', { name: `Remove ${title} from the collection` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await expect(page.getByText(`“${title}” was removed from the collection.`)).toBeVisible();
  };
  await remove('Talk');
  await expect(page.getByRole('button', { name: 'Undo', exact: true })).toHaveCount(0);
  await remove('Minutes');
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(page.getByText('Undone.')).toBeVisible();
  expect(api.sent('POST /api/collections/{uuid}/media')).toEqual([{ media_file_ids: [own.uuid] }]);
});

test('the removal of a person from a group asks first, as leaving it does', async ({ page, api }) => {
  const route = 'GET /api/groups/{uuid}';
  const remove = 'DELETE /api/groups/{uuid}/members/{user_uuid}';
  const person = { source: 'manual', role: 'member' } as const;
  const joan = exampleItem(route, 'members', { ...person, user_id: uuid(76), full_name: 'Joan Clarke' });
  const ada = exampleItem(route, 'members', { ...person, user_id: me.uuid, full_name: 'Ada Lovelace' });
  const group = example(route, { uuid: uuid(77), name: 'Editors', my_role: 'member', members: [joan, ada] });
  api.respond(route, group);
  api.respond(remove, undefined);
  await page.goto(`/groups/${group.uuid}`);
  const button = page.getByRole('button', { name: 'Remove Joan Clarke' });
  await button.click();
  const dialog = page.getByRole('dialog', { name: 'Remove Joan Clarke from “Editors”?' });
  await expect(dialog).toContainText('loses access');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toHaveCount(0);
  expect(api.sent(remove)).toEqual([]);
  await button.click();
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
  await expect(page.getByText('Joan Clarke was removed from the group.')).toBeVisible();
  expect(api.sent(remove)).toHaveLength(1);
  api.respond('GET /api/users/me', { ...me, role: 'user' });
  await page.goto(`/groups/${group.uuid}`);
  await page.getByRole('button', { name: 'Leave', exact: true }).click();
  await page.getByRole('dialog', { name: 'Leave “Editors”?' }).getByRole('button', { name: 'Leave' }).click();
  await expect(page).toHaveURL(/\/groups$/);
  expect(api.sent(remove)).toHaveLength(2);
});

for (const [path, name] of [
  ['/search', 'Search what was said'],
  ['/ask', 'Question'],
] as const)
  test(`the field of ${path} has the focus when the page opens`, async ({ page }) => {
    await page.goto(path);
    await expect(page.getByLabel(name, { exact: true })).toBeFocused();
    await page.goto('/');
    await page.getByRole('navigation', { name: 'Main' }).locator(`a[href="${path}"]`).click();
    await expect(page.getByLabel(name, { exact: true })).toBeFocused();
  });

for (const view of ['grid', 'list'] as const)
  test(`the reason of a failed recording is read on its card in 360 pixels: ${view}`, async ({ page, api }) => {
    await page.setViewportSize({ width: 360, height: 740 });
    const error = {
      code: 'media_unreadable',
      message: 'This file is not audio or video, or it was cut off at its end.',
      what_to_do: '',
    };
    const failed = { title: 'Minutes', status: 'error', error: { ...error, retryable: false } } as const;
    api.respond('GET /api/files', listOf([exampleItem('GET /api/files', 'items', failed)]));
    await page.goto('/');
    if (view === 'list') await page.getByRole('radio', { name: 'List' }).press('Space');
    await expectWhole(
      page.getByTestId('file-status').getByText('This file is not audio or video, or it was cut off at its end.'),
    );
  });

test('the title of a search result is read in 360 pixels', async ({ page, api }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const title = 'Weekly meeting of the board';
  const result = exampleItem('GET /api/search', 'results', { title, duration: 3_725 });
  api.respond('GET /api/search', example('GET /api/search', { results: [result], total_files: 1 }));
  await page.goto('/search?q=budget');
  await expectWhole(page.getByTestId('search-result').getByRole('link', { name: title }));
});

test('the card of stored voices follows the setting without a reload', async ({ page, api }) => {
  const settings = 'GET /api/admin/voice-profiles';
  const setting = exampleItem(settings, 'settings', { key: 'profiles_enabled', type: 'boolean' });
  const index = example('GET /api/search/speaker-index', { enabled: false });
  api.respond(settings, { settings: [{ ...setting, value: false }] });
  api.respond('GET /api/search/speaker-index', index);
  api.respond('PUT /api/admin/voice-profiles', { settings: [{ ...setting, value: true }] });
  await page.goto('/admin/voices');
  await expect(page.getByText('Recognising voices across recordings is switched off.')).toBeVisible();
  await page.getByTestId('setting').getByRole('switch').check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  // The search service has not received the change yet.
  await expect(page.getByText('Switching on…')).toBeVisible();
  const version = exampleItem('GET /api/search/speaker-index', 'versions', { state: 'current', speakers: 2, files: 1 });
  api.respond('GET /api/search/speaker-index', { ...index, enabled: true, versions: [version] });
  await expect(page.getByTestId('stored-voices')).toHaveText('2 voices of 1 recording stored.');
});

for (const [path, open] of [
  ['/admin/audit', null],
  ['/', 'Filters'],
  ['/search?q=budget', 'Filters'],
] as const)
  test(`a filter whose last day is before its first one says so: ${path}`, async ({ page }) => {
    await page.goto(path);
    if (open) await page.getByRole('button', { name: open }).click();
    await expect(page.getByText('From', { exact: true })).toBeVisible();
    await page.getByLabel('From', { exact: true }).fill('2026-03-02');
    await page.getByLabel('To', { exact: true }).fill('2026-03-01');
    await expect(page.getByLabel('To', { exact: true })).toHaveAccessibleDescription('This day is before “From”.');
    await expect(page.getByText('No record matches.')).toHaveCount(0);
  });

test('the address that the identity provider must know can be copied, and used', async ({ page, api }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const setting = {
    config_key: 'oidc_callback_url',
    config_value: '',
    is_sensitive: false,
    is_set: false,
    origin: 'default' as const,
    category: 'oidc' as const,
    data_type: 'string' as const,
    default_value: '',
    description: 'Redirect address registered at the provider: the page /login of this site',
    updated_at: null,
    updated_by: null,
  };
  api.respond('GET /api/admin/auth-config', { ...example('GET /api/admin/auth-config'), oidc: [setting] });
  await page.goto('/admin/authentication/oidc');
  await expect(page.getByLabel('Register this address at the provider')).toHaveValue(`${api.baseUrl}/login`);
  await page.getByRole('button', { name: 'Copy address' }).click();
  await expect(page.getByText('Address copied.')).toBeVisible();
  await page.getByRole('button', { name: 'Use as callback address' }).click();
  await expect(page.getByLabel('Callback address', { exact: true })).toHaveValue(`${api.baseUrl}/login`);
  await expect(page.getByRole('button', { name: 'Use as callback address' })).toHaveCount(0);
});

test('the proposed name of a search is selected, so that the first key replaces it', async ({ page }) => {
  await page.goto('/search?q=budget');
  await page.getByRole('button', { name: 'Save search' }).click();
  await expect(page.getByLabel('Name', { exact: true })).toBeFocused();
  await page.keyboard.type('Money');
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Money');
});

test('a long title in a notification has the width of a telephone', async ({ page, api }) => {
  await page.setViewportSize({ width: 360, height: 800 });
  const items = [
    exampleItem('GET /api/notifications', 'items', {
      kind: 'file_shared',
      read: false,
      subject_name: 'Minutes of the extraordinary meeting of the board about the budget of the coming year',
    }),
  ];
  api.respond('GET /api/notifications', { items, total: 1, page: 1, page_size: 20 });
  await page.goto('/notifications');
  const entry = page.getByTestId('notifications').getByRole('listitem');
  const text = await entry.getByText('Minutes of').boundingBox();
  expect(text?.width).toBeGreaterThan(250);
  await expect(entry.getByRole('button', { name: /^Mark as read/ })).toBeInViewport({ ratio: 1 });
});

test('a notice about a recording with a long title begins with what happened', async ({ page, api }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const file = exampleItem('GET /api/files', 'items', { title: 'x'.repeat(255), my_permission: 'owner' });
  api.respond('GET /api/files', listOf([file]));
  api.respond('DELETE /api/files/{uuid}', undefined);
  await page.goto('/');
  await page.getByRole('button', { name: /^Actions for x/ }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  const notice = page.getByRole('status').filter({ hasText: 'Moved' });
  const [frame, text] = [await notice.boundingBox(), await notice.getByText(/^Moved/).boundingBox()];
  expect(text!.y).toBeGreaterThanOrEqual(frame!.y);
  expect(text!.y + text!.height).toBeLessThanOrEqual(frame!.y + frame!.height);
});

for (const [outcome, text, role] of [
  ['completed', 'The transcript of “Minutes” is ready.', 'status'],
  ['failed', 'The transcription of “Minutes” failed.', 'alert'],
] as const)
  test(`the notice of a transcription that ${outcome} is announced as ${role}`, async ({ page, api }) => {
    api.respond('GET /api/files/{uuid}', example('GET /api/files/{uuid}', { uuid: uuid(75), title: 'Minutes' }));
    await page.goto('/');
    await expect(page.getByRole('heading', { name: 'Library' })).toBeVisible();
    const notice = page.getByRole(role).filter({ hasText: text }).first();
    // The page may not be connected yet.
    await expect(async () => {
      push({ type: 'transcription_ended', seq: 2, data: { file_id: uuid(75), outcome, no_speech: false } });
      await expect(notice).toBeVisible({ timeout: 1_000 });
    }).toPass();
    await expect(notice).toHaveAttribute('style', outcome === 'failed' ? /-red-/ : /-petrol-/);
  });

test('the sign-in page says that the session has ended, and not at the first visit', async ({ page, api }) => {
  await page.goto('/collections');
  await expect(page.getByRole('heading', { name: 'Collections' })).toBeVisible();
  api.endSession();
  await page.getByRole('link', { name: 'Library' }).first().click();
  await expect(page.getByRole('status').getByText('Your session has ended. Sign in again.')).toBeVisible();
  await startSession(page, api);
  await page.context().clearCookies();
  await page.goto('/collections');
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await expect(page.getByText('Your session has ended')).toHaveCount(0);
});

/** Not cut at its end, neither in its line nor below. */
async function expectWhole(text: Locator): Promise<void> {
  await expect(text).toBeVisible();
  const isWhole = (element: Element): boolean =>
    element.scrollWidth <= element.clientWidth && element.scrollHeight <= element.clientHeight;
  expect(await text.evaluate(isWhole)).toBe(true);
}

import { example, uuid } from './ring/example.ts';
import { expect, me, push, startSession, test } from './ring/ring.ts';

// Access that ends, changes or comes back while a page is open.
const fileRoute = 'GET /api/files/{uuid}';
const file = example(fileRoute, {
  uuid: uuid(60),
  title: 'Minutes',
  status: 'completed',
  my_permission: 'editor',
  owner_name: 'Grace Hopper',
});
const collectionRoute = 'GET /api/collections/{uuid}';
const collection = example(collectionRoute, {
  uuid: uuid(61),
  name: 'Board',
  my_permission: 'editor',
  owner_name: 'Grace Hopper',
});
const removed = { type: 'file_deleted', seq: 2, data: { file_id: file.uuid } } as const;
const returned = { type: 'file_created', seq: 3, data: { file_id: file.uuid } } as const;
const collectionChanged = { type: 'collection_changed', seq: 2, data: { collection_id: collection.uuid } } as const;

test.beforeEach(async ({ page, api }) => {
  await startSession(page, api);
  api.respond(fileRoute, file);
  api.respond(collectionRoute, collection);
});

test('a recording that is no longer shared says whose it was, keeps the unsaved text, and comes back', async ({
  page,
  api,
}) => {
  await page.goto('/');
  const draft = {
    request: null,
    operations: [{ kind: 'text', segment_uuid: uuid(62), text: 'What I typed' }],
    conflicts: [],
  };
  await page.evaluate(([key, value]) => localStorage.setItem(key, value), [
    `overtone-draft:${me.uuid}:corrections:${file.uuid}`,
    JSON.stringify({ at: Date.now(), value: draft }),
  ] as const);
  await page.goto(`/files/${file.uuid}`);
  await expect(page.getByRole('heading', { name: 'Minutes', level: 1 })).toBeVisible();
  api.refuse(fileRoute, { code: 'not_found' });
  push(removed);
  await expect(page.getByText('Grace Hopper no longer shares this recording with you')).toBeVisible();
  await expect(page.getByTestId('kept-drafts')).toContainText('What I typed');
  await expect(page.getByRole('button', { name: 'Copy the text' })).toBeVisible();
  // Also after a reload, when nothing is known of the recording.
  await page.reload();
  await expect(page.getByTestId('kept-drafts')).toContainText('What I typed');
  api.respond(fileRoute, file);
  push(returned);
  await expect(page.getByTestId('kept-drafts')).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'Minutes', level: 1 })).toBeVisible();
});

test('a collection that is no longer shared says whose it was, without buttons for it', async ({ page, api }) => {
  await page.goto(`/collections/${collection.uuid}`);
  await expect(page.getByRole('button', { name: 'Add recordings' })).toBeVisible();
  api.refuse(collectionRoute, { code: 'not_found' });
  push(collectionChanged);
  await expect(page.getByText('Grace Hopper no longer shares this collection with you')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Add recordings' })).toHaveCount(0);
});

test('a new name and another permission of a collection arrive in an open page', async ({ page, api }) => {
  await page.goto(`/collections/${collection.uuid}`);
  await expect(page.getByRole('button', { name: 'Edit' })).toBeVisible();
  api.respond(collectionRoute, { ...collection, name: 'Committee', my_permission: 'viewer' });
  push(collectionChanged);
  await expect(page.getByRole('heading', { name: 'Committee', level: 1 })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Edit' })).toHaveCount(0);
});

test('a recording in quarantine says why to its owner, and shows neither player nor actions', async ({ page, api }) => {
  const quarantine = { reason: 'It may be harmful', since: '2026-11-28T10:00:00.000Z' };
  const withdrawn = { ...file, status: 'quarantined', quarantine, has_media: true, file_size: 10 } as const;
  api.respond('GET /api/users/me', { ...me, role: 'user' });
  api.respond(fileRoute, withdrawn);
  await page.goto(`/files/${file.uuid}`);
  await expect(page.getByTestId('quarantine')).toContainText('It may be harmful');
  await expect(page.getByRole('button', { name: 'Actions for Minutes' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Play', exact: true })).toHaveCount(0);
  api.respond(fileRoute, file);
  push({ type: 'file_updated', seq: 3, data: { file_id: file.uuid, status: 'completed' } });
  await expect(page.getByTestId('quarantine')).toHaveCount(0);
});

test('an administrator opens a recording in quarantine, without a player', async ({ page, api }) => {
  const quarantine = { reason: 'It may be harmful', since: '2026-11-28T10:00:00.000Z' };
  api.respond(fileRoute, { ...file, status: 'quarantined', quarantine, has_media: true, file_size: 10, duration: 60 });
  await page.goto(`/files/${file.uuid}`);
  await expect(page.getByTestId('quarantine')).toContainText('nobody can play it');
  await expect(page.getByRole('button', { name: 'Play', exact: true })).toHaveCount(0);
  await page.getByRole('button', { name: 'Actions for Minutes' }).click();
  await expect(page.getByRole('menuitem', { name: 'Release from quarantine' })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: 'Transcribe again' })).toHaveCount(0);
});

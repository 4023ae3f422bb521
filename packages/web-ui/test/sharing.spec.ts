import type { Route } from '@overtone/client';
import type { Page } from '@playwright/test';
import { example, exampleItem, listOf, uuid } from './ring/example.ts';
import { expect, startSession, test } from './ring/ring.ts';
import type { ScriptedApi } from './ring/scripted-api.ts';

const grace = example('GET /api/users/{uuid}', { uuid: uuid(40), email: 'grace@example.org', full_name: 'Grace' });
const of = { uuid: uuid(60), name: 'Board', my_permission: 'owner', owner_name: null } as const;
const asUser = { user_uuid: grace.uuid, user_name: 'Grace', group_uuid: null };
const asTarget = { target_type: 'user', target_uuid: grace.uuid, target_name: 'Grace', permission: 'editor' } as const;

type Kind = {
  readonly name: string;
  readonly path: string;
  readonly world: (api: ScriptedApi) => void;
  readonly open: (page: Page) => Promise<void>;
  readonly add: Route;
  readonly sends: object;
  readonly remove: Route;
  /** Whether people can be allowed to edit it. */
  readonly editable: boolean;
  readonly show: (api: ScriptedApi) => void;
};

const kinds: readonly Kind[] = [
  {
    name: 'recording',
    path: '/',
    world: (api) =>
      api.respond('GET /api/files', listOf([exampleItem('GET /api/files', 'items', { ...of, title: 'Board' })])),
    open: menu('Actions for Board'),
    add: 'PUT /api/files/{uuid}/shares',
    sends: { permission: 'editor', user_uuid: grace.uuid },
    remove: 'DELETE /api/files/{uuid}/shares/{share_uuid}',
    editable: true,
    show: (api) => {
      const share = { ...example('PUT /api/files/{uuid}/shares'), ...asUser, permission: 'editor' as const };
      api.respond('PUT /api/files/{uuid}/shares', share);
      api.respond('GET /api/files/{uuid}/shares', [share]);
      api.respond('DELETE /api/files/{uuid}/shares/{share_uuid}', undefined);
    },
  },
  {
    name: 'collection',
    path: `/collections/${of.uuid}`,
    world: (api) => api.respond('GET /api/collections/{uuid}', example('GET /api/collections/{uuid}', of)),
    open: (page) => page.getByRole('button', { name: 'Share', exact: true }).click(),
    add: 'POST /api/collections/{uuid}/shares',
    sends: { target_type: 'user', target_uuid: grace.uuid, permission: 'editor' },
    remove: 'DELETE /api/collections/{uuid}/shares/{share_uuid}',
    editable: true,
    show: (api) => {
      const share = { ...example('POST /api/collections/{uuid}/shares'), ...asTarget };
      api.respond('POST /api/collections/{uuid}/shares', share);
      api.respond('GET /api/collections/{uuid}/shares', [share]);
      api.respond('DELETE /api/collections/{uuid}/shares/{share_uuid}', undefined);
    },
  },
  {
    name: 'list of codes',
    path: `/codes/${of.uuid}`,
    world: (api) => api.respond('GET /api/code-lists/{uuid}', example('GET /api/code-lists/{uuid}', of)),
    open: (page) => page.getByRole('button', { name: 'Share', exact: true }).click(),
    add: 'POST /api/code-lists/{uuid}/shares',
    sends: { target_type: 'user', target_uuid: grace.uuid, permission: 'editor' },
    remove: 'DELETE /api/code-lists/{uuid}/shares/{share_uuid}',
    editable: true,
    show: (api) => {
      const share = { ...example('POST /api/code-lists/{uuid}/shares'), ...asTarget };
      api.respond('POST /api/code-lists/{uuid}/shares', share);
      api.respond('GET /api/code-lists/{uuid}/shares', [share]);
      api.respond('DELETE /api/code-lists/{uuid}/shares/{share_uuid}', undefined);
    },
  },
  {
    name: 'export template',
    path: '/export-templates',
    world: (api) =>
      api.respond('GET /api/export-templates', listOf([exampleItem('GET /api/export-templates', 'items', of)])),
    open: menu('Actions for Board'),
    add: 'POST /api/export-templates/{uuid}/shares',
    sends: { target_type: 'user', target_uuid: grace.uuid, permission: 'editor' },
    remove: 'DELETE /api/export-templates/{uuid}/shares/{share_uuid}',
    editable: true,
    show: (api) => {
      const share = { ...example('POST /api/export-templates/{uuid}/shares'), ...asTarget };
      api.respond('POST /api/export-templates/{uuid}/shares', share);
      api.respond('GET /api/export-templates/{uuid}/shares', [share]);
      api.respond('DELETE /api/export-templates/{uuid}/shares/{share_uuid}', undefined);
    },
  },
  {
    name: 'conversation',
    path: `/ask?conversation=${of.uuid}`,
    world: (api) =>
      api.respond(
        'GET /api/ask/conversations/{uuid}',
        example('GET /api/ask/conversations/{uuid}', { uuid: of.uuid, scope: 'library', is_owner: true }),
      ),
    open: menu('Actions for the conversation'),
    add: 'PUT /api/ask/conversations/{uuid}/shares',
    sends: { user_uuid: grace.uuid },
    remove: 'DELETE /api/ask/conversations/{uuid}/shares/{share_uuid}',
    editable: false,
    show: (api) => {
      const share = { ...example('PUT /api/ask/conversations/{uuid}/shares'), ...asUser };
      api.respond('PUT /api/ask/conversations/{uuid}/shares', share);
      api.respond('GET /api/ask/conversations/{uuid}/shares', [share]);
      api.respond('DELETE /api/ask/conversations/{uuid}/shares/{share_uuid}', undefined);
    },
  },
];

function menu(name: string) {
  return async (page: Page): Promise<void> => {
    await page.getByRole('button', { name }).click();
    await page.getByRole('menuitem', { name: 'Share', exact: true }).click();
  };
}

for (const { name, path, world, open, add, sends, remove, editable, show } of kinds)
  test(`shares one ${name} with a person, shows the share, removes it, and undoes that`, async ({ page, api }) => {
    world(api);
    api.respond('GET /api/users/search', [grace]);
    await startSession(page, api);
    await page.goto(path);
    await open(page);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Person' }).fill('Grace');
    await page.getByRole('option', { name: /Grace/ }).click();
    await expect(dialog.getByLabel('Permission', { exact: true })).toHaveCount(editable ? 1 : 0);
    if (editable) await dialog.getByLabel('Permission', { exact: true }).selectOption('editor');
    show(api);
    await dialog.getByRole('button', { name: 'Share', exact: true }).click();
    const share = dialog.getByTestId('shares').getByRole('listitem');
    await expect(share).toContainText('Grace');
    expect(api.sent(add)).toEqual([sends]);
    await expect(share.getByLabel('Permission of Grace')).toHaveCount(editable ? 1 : 0);
    api.respond(add.replace(/^\w+/, 'GET') as Route, [] as never);
    await share.getByRole('button', { name: 'Stop sharing with Grace' }).click();
    await expect.poll(() => api.requests(remove)).toHaveLength(1);
    await expect(page.getByText('No longer shared with Grace.')).toBeVisible();
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await expect(page.getByText('Undone.')).toBeVisible();
    expect(api.sent(add)).toEqual([sends, sends]);
  });

test.describe('the end of a share', () => {
  const board = kinds[0] as Kind;
  const put = 'PUT /api/files/{uuid}/shares';
  const shareOf = (fields: Partial<ReturnType<typeof example<typeof put>>>) => ({
    ...example(put),
    ...asUser,
    permission: 'editor' as const,
    ...fields,
  });

  async function openShares(page: Page, api: ScriptedApi, shares: ReturnType<typeof shareOf>[]): Promise<void> {
    board.world(api);
    board.show(api);
    api.respond('GET /api/files/{uuid}/shares', shares);
    await startSession(page, api);
    await page.goto(board.path);
    await board.open(page);
    await expect(page.getByTestId('shares').getByRole('listitem')).toHaveCount(shares.length);
  }

  test('waits for a change of its permission', async ({ page, api }) => {
    await openShares(page, api, [shareOf({})]);
    const release = api.hold(put);
    await page.getByLabel('Permission of Grace').selectOption('viewer');
    const remove = page.getByRole('button', { name: 'Stop sharing with Grace' });
    await expect(remove).toBeDisabled();
    release();
    await expect(remove).toBeEnabled();
  });

  test('is not undone over a share that was given since', async ({ page, api }) => {
    await openShares(page, api, [shareOf({})]);
    api.respond('GET /api/files/{uuid}/shares', []);
    await page.getByRole('button', { name: 'Stop sharing with Grace' }).click();
    await expect(page.getByTestId('shares')).toHaveCount(0);
    api.respond('GET /api/files/{uuid}/shares', [shareOf({ uuid: uuid(41), permission: 'viewer' })]);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await expect(page.getByLabel('Permission of Grace')).toHaveValue('viewer');
    await expect(page.getByText('Undone.')).toBeVisible();
    expect(api.sent(put)).toEqual([]);
  });

  test('with a group of which the person is no member says so without an undo', async ({ page, api }) => {
    await openShares(page, api, [shareOf({ user_uuid: null, user_name: null, group_uuid: uuid(42) })]);
    await page.getByRole('button', { name: 'Stop sharing with A group you are not in' }).click();
    await expect(page.getByText('No longer shared with this group.')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Undo', exact: true })).toHaveCount(0);
  });
});

import type { Locator, Page } from '@playwright/test';
import type { Route } from '@overtone/client';
import { example, exampleItem, listOf, uuid } from './ring/example.ts';
import { expect, startSession, test } from './ring/ring.ts';
import type { ScriptedApi } from './ring/scripted-api.ts';

const person = exampleItem('GET /api/users/search', null, {
  uuid: uuid(41),
  email: 'grace@example.org',
  full_name: 'Grace Hopper',
});
const member = exampleItem('GET /api/groups/{uuid}', 'members', {
  user_id: uuid(42),
  email: 'joan@example.org',
  full_name: 'Joan Clarke',
  role: 'member',
  source: 'manual',
});
const group = example('GET /api/groups/{uuid}', { uuid: uuid(40), name: 'Editors', members: [member] });
const file = exampleItem('GET /api/files', 'items', {
  uuid: uuid(43),
  title: 'Minutes',
  status: 'completed',
  my_permission: 'owner',
});
const share = exampleItem('GET /api/files/{uuid}/shares', null, {
  uuid: uuid(44),
  user_uuid: person.uuid,
  group_uuid: null,
  user_name: 'Grace Hopper',
  permission: 'viewer',
});
const newMember = { ...member, user_id: person.uuid, email: person.email, full_name: person.full_name };
const groupPath = `/groups/${group.uuid}`;

async function open(page: Page, api: ScriptedApi, path: string): Promise<void> {
  api.respond('POST /api/groups/{uuid}/members', newMember);
  api.respond('PUT /api/groups/{uuid}/members/{user_uuid}', { ...member, role: 'manager' });
  api.respond('PUT /api/files/{uuid}/shares', { ...share, permission: 'editor' });
  api.respond('PUT /api/redaction', example('GET /api/redaction', { masked_kinds: ['name'] }));
  api.respond('GET /api/users/search', [person]);
  api.respond('GET /api/groups/{uuid}', group);
  api.respond('GET /api/files', listOf([file]));
  api.respond('GET /api/files/{uuid}', example('GET /api/files/{uuid}', file));
  api.respond('GET /api/files/{uuid}/shares', [share]);
  await startSession(page, api);
  await page.goto(path);
}

for (const keys of [
  ['Enter', 'Enter'],
  ['Space', 'Space'],
])
  test(`${keys.join(' and ')} on a button outside of a form sends one request`, async ({ page, api }) => {
    await open(page, api, groupPath);
    await page.getByRole('combobox', { name: 'Add a person' }).fill('grace');
    await page.getByRole('option', { name: /Grace Hopper/ }).click();
    const release = api.hold('POST /api/groups/{uuid}/members');
    await page.getByRole('button', { name: 'Add', exact: true }).focus();
    for (const key of keys) await page.keyboard.press(key);
    await expect.poll(() => api.sent('POST /api/groups/{uuid}/members')).toHaveLength(1);
    release();
    await expect(page.getByText('was added to the group.')).toBeVisible();
    expect(api.sent('POST /api/groups/{uuid}/members')).toHaveLength(1);
  });

test('Enter that is held down on a button outside of a form sends one request', async ({ page, api }) => {
  await open(page, api, groupPath);
  await page.getByRole('combobox', { name: 'Add a person' }).fill('grace');
  await page.getByRole('option', { name: /Grace Hopper/ }).click();
  const release = api.hold('POST /api/groups/{uuid}/members');
  await page.getByRole('button', { name: 'Add', exact: true }).focus();
  for (let i = 0; i < 10; i += 1) await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  await expect.poll(() => api.sent('POST /api/groups/{uuid}/members')).toHaveLength(1);
  release();
  await expect(page.getByText('was added to the group.')).toBeVisible();
  expect(api.sent('POST /api/groups/{uuid}/members')).toHaveLength(1);
});

type SavedAtOnce = {
  readonly name: string;
  readonly path: string;
  readonly show?: (page: Page) => Promise<void>;
  readonly control: (page: Page) => Locator;
  readonly change: (control: Locator) => Promise<unknown>;
  readonly route: Route;
};

const savedAtOnce: readonly SavedAtOnce[] = [
  {
    name: 'the role of a member',
    path: groupPath,
    control: (page) => page.getByLabel('Role of Joan Clarke in the group'),
    change: (control) => control.selectOption('manager'),
    route: 'PUT /api/groups/{uuid}/members/{user_uuid}',
  },
  {
    name: 'the permission of a share',
    path: `/files/${file.uuid}`,
    show: async (page) => {
      await page.getByRole('button', { name: 'Actions for Minutes' }).click();
      await page.getByRole('menuitem', { name: /Share/ }).click();
    },
    control: (page) => page.getByLabel('Permission of Grace Hopper'),
    change: (control) => control.selectOption('editor'),
    route: 'PUT /api/files/{uuid}/shares',
  },
  {
    name: 'what is masked for a person',
    path: '/account',
    control: (page) => page.getByRole('checkbox', { name: 'Names' }),
    change: (control) => control.press('Space'),
    route: 'PUT /api/redaction',
  },
];

for (const { name, path, show, control, change, route } of savedAtOnce)
  test(`${name} keeps the focus while it is saved`, async ({ page, api }) => {
    await open(page, api, path);
    await show?.(page);
    await control(page).focus();
    const release = api.hold(route);
    await change(control(page));
    await expect.poll(() => api.sent(route)).toHaveLength(1);
    release();
    await expect(control(page)).toBeEnabled();
    await expect(control(page)).toBeFocused();
  });

import type { Page } from '@playwright/test';
import type { Route } from '@overtone/client';
import { exampleItem, uuid } from './ring/example.ts';
import { expect, startSession, test } from './ring/ring.ts';

type NumberCase = {
  readonly name: string;
  readonly path: string;
  readonly opener: string;
  readonly fill: (page: Page) => Promise<void>;
  readonly field: string;
  readonly wrong: readonly string[];
  readonly range: string;
  readonly route: Route;
};

const cases: readonly NumberCase[] = [
  {
    name: 'the age in a retention rule',
    path: '/admin/retention',
    opener: 'Add rule',
    fill: (page) => page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Old recordings'),
    field: 'Uploaded more than this many days ago',
    wrong: ['0', '-5', '36501', '99999999999999999999'],
    range: 'Enter a number from 1 to 36,500.',
    route: 'POST /api/admin/retention/rules',
  },
  {
    name: 'the interval of a watch source',
    path: '/admin/watch-sources',
    opener: 'Add source',
    fill: async (page) => {
      await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Scanner');
      await page.getByRole('dialog').getByLabel('Folder', { exact: true }).fill('/srv/scans');
      await page.getByRole('dialog').getByLabel('Owner', { exact: true }).fill('grace@example.org');
    },
    field: 'Look for changes every this many seconds',
    wrong: ['0', '-5', '86401'],
    range: 'Enter a number from 2 to 86,400.',
    route: 'POST /api/admin/watch-sources',
  },
];

for (const { name, path, opener, fill, field, wrong, range, route } of cases)
  test(`${name} is refused when it is out of range, and not corrected unseen`, async ({ page, api }) => {
    await startSession(page, api);
    await page.goto(path);
    await page.getByRole('button', { name: opener, exact: true }).click();
    await fill(page);
    const dialog = page.getByRole('dialog');
    const number = dialog.getByLabel(field, { exact: true });
    for (const text of wrong) {
      await number.fill(text);
      await number.press('Enter');
      await expect(dialog.getByText(range)).toBeVisible();
      await dialog.getByRole('button', { name: 'Save', exact: true }).click();
      await expect(number).not.toHaveValue(/^(1|2|36500|86400)$/);
    }
    expect(api.sent(route)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
  });

test('a required number can be emptied to type another one', async ({ page, api }) => {
  const model = exampleItem('GET /api/admin/llm-settings', 'providers', {
    uuid: uuid(29),
    name: 'Model',
    timeout_seconds: 300,
  });
  api.respond('GET /api/admin/llm-settings', { settings: [], providers: [model] });
  await startSession(page, api);
  await page.goto('/admin/language-models');
  await page.getByRole('button', { name: 'Add a language model', exact: true }).click();
  const dialog = page.getByRole('dialog');
  const number = dialog.getByLabel('Time limit', { exact: true });
  // The dialog gives the focus to its first field when it has opened.
  await expect(dialog.getByLabel('Name', { exact: true })).toBeFocused();
  await number.focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await page.keyboard.type('60');
  await expect(number).toHaveValue('60 s');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Discard', exact: true }).click();
});

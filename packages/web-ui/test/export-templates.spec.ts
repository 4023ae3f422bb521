import { defaultExportOptions } from '@overtone/contracts/export-formats';
import { exampleItem, listOf, uuid } from './ring/example.ts';
import { expect, startSession, test } from './ring/ring.ts';

const court = exampleItem('GET /api/export-templates', 'items', {
  uuid: uuid(80),
  name: 'Court',
  format: 'txt',
  options: { ...defaultExportOptions, names: 'initials', times: 'minute' },
  my_permission: 'owner',
  owner_name: null,
  for_everybody: false,
});
const press = {
  ...court,
  uuid: uuid(81),
  name: 'Press',
  format: 'srt' as const,
  my_permission: 'viewer' as const,
  owner_name: 'Grace',
};
const file = exampleItem('GET /api/files', 'items', { uuid: uuid(4), title: 'Minutes', status: 'completed' });

test('a template is chosen for many transcripts, changed, and saved under another name', async ({ page, api }) => {
  api.respond('GET /api/files', listOf([file]));
  api.respond('GET /api/export-templates', listOf([court, press]));
  await startSession(page, api);
  await page.goto('/');
  await page.getByRole('checkbox', { name: 'Select Minutes' }).check();
  await page.getByRole('button', { name: 'Export 1 recording', exact: true }).click();
  const dialog = page.getByRole('dialog');
  const template = dialog.getByLabel('Template', { exact: true });
  await template.selectOption({ label: 'Court' });
  await expect(dialog.getByLabel('Format', { exact: true })).toHaveValue('txt');
  await expect(dialog.getByLabel('Speaker names', { exact: true })).toHaveValue('initials');
  await expect(dialog.getByRole('button', { name: 'Change the template' })).toHaveCount(0);

  const options = { ...court.options, times: 'none' as const };
  api.respond('PUT /api/export-templates/{uuid}', { ...court, options });
  await dialog.getByLabel('Times', { exact: true }).selectOption('none');
  await expect(dialog.getByText('The options differ from the template.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Change the template' }).click();
  await expect.poll(() => api.sent('PUT /api/export-templates/{uuid}')).toHaveLength(1);
  expect(api.sent('PUT /api/export-templates/{uuid}')).toEqual([{ format: 'txt', options }]);

  // Of others: it can be chosen, not changed.
  await template.selectOption({ label: 'Press (Grace)' });
  await dialog.getByLabel('Format', { exact: true }).selectOption('webvtt');
  await expect(dialog.getByText('The options differ from the template.')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Change the template' })).toHaveCount(0);

  const mine = { ...court, uuid: uuid(82), name: 'Web page', format: 'webvtt' as const };
  api.refuse('POST /api/export-templates', { code: 'export_template_exists', detail: 'There is one already.' });
  await dialog.getByRole('button', { name: 'Save as template' }).click();
  await dialog.getByLabel('Name of the template').fill('Web');
  await page.keyboard.press('Enter');
  await expect(dialog.getByRole('alert')).toContainText('There is one already.');
  api.respond('POST /api/export-templates', mine);
  api.respond('GET /api/export-templates', listOf([court, mine, press]));
  await dialog.getByLabel('Name of the template').fill('Web page');
  await page.keyboard.press('Enter');
  await expect(template).toHaveValue(mine.uuid);
  // The form has closed: the keyboard continues where it was opened, and Escape closes the form alone.
  await expect(dialog.getByRole('button', { name: 'Save as template' })).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.type('Half a name');
  await page.keyboard.press('Escape');
  await expect(dialog.getByLabel('Name of the template')).toHaveCount(0);
  await expect(dialog.getByRole('button', { name: 'Save as template' })).toBeFocused();
  expect(api.sent('POST /api/export-templates').at(-1)).toEqual({
    name: 'Web page',
    format: 'webvtt',
    options: court.options,
  });

  await dialog.getByRole('button', { name: 'Download', exact: true }).click();
  await expect.poll(() => api.requests('GET /api/transcripts/export')).toHaveLength(1);
  const query = api.requests('GET /api/transcripts/export')[0]?.query;
  expect([query?.get('format'), query?.get('names'), query?.get('times')]).toEqual(['webvtt', 'initials', 'minute']);
});

test('the page of the templates shares one with everyone and with people', async ({ page, api }) => {
  api.respond('GET /api/export-templates', listOf([court, press]));
  await startSession(page, api);
  await page.goto('/export-templates');
  const entry = (name: string) => page.locator(`[data-template="${name}"]`);
  await expect(entry('Press')).toContainText('Owner: Grace');
  await expect(entry('Press').getByRole('button')).toHaveCount(0);
  api.respond('PUT /api/export-templates/{uuid}', { ...court, for_everybody: true });
  api.respond('GET /api/export-templates', listOf([{ ...court, for_everybody: true }, press]));
  await page.getByRole('button', { name: 'Actions for Court' }).click();
  await page.getByRole('menuitem', { name: 'Share with everyone' }).click();
  await expect(entry('Court')).toContainText('For everyone');
  expect(api.sent('PUT /api/export-templates/{uuid}')).toEqual([{ for_everybody: true }]);
  await page.getByRole('button', { name: 'Actions for Court' }).click();
  await page.getByRole('menuitem', { name: 'Share', exact: true }).click();
  await expect(page.getByRole('dialog')).toContainText('Only you and administrators can see this template.');
});

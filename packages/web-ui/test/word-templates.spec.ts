import { barriers } from './ring/barriers.ts';
import { exampleItem, listOf, uuid } from './ring/example.ts';
import { expect, startSession, test } from './ring/ring.ts';

const letterhead = exampleItem('GET /api/word-templates', null, {
  uuid: uuid(85),
  name: 'Letterhead',
  size: 48_000,
  placeholders: ['title', 'transcript', 'case'],
  is_default: true,
});
const court = { ...letterhead, uuid: uuid(86), name: 'Court', placeholders: [], is_default: false };
const file = exampleItem('GET /api/files', 'items', { uuid: uuid(4), title: 'Minutes', status: 'completed' });

test('a Word template is chosen for an export, and one that was deleted is named', async ({ page, api }) => {
  api.respond('GET /api/files', listOf([file]));
  api.respond('GET /api/word-templates', [court, letterhead]);
  await startSession(page, api);
  await page.goto('/');
  await page.getByRole('checkbox', { name: 'Select Minutes' }).check();
  await page.getByRole('button', { name: 'Export 1 recording', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Format', { exact: true }).selectOption('docx');
  const choice = dialog.getByLabel('Word template', { exact: true });
  await expect(choice.getByRole('option')).toHaveText([
    'Default: Letterhead',
    'None: standard layout',
    'Court',
    'Letterhead',
  ]);
  await choice.selectOption('Court');
  await expect(choice).toHaveValue(court.uuid);
  await dialog.getByRole('button', { name: 'Download', exact: true }).click();
  await expect.poll(() => api.requests('GET /api/transcripts/export')).toHaveLength(1);
  expect(api.requests('GET /api/transcripts/export')[0]?.query.get('word_template')).toBe(court.uuid);

  // The choice is remembered, but the template was deleted.
  api.respond('GET /api/word-templates', [letterhead]);
  await page.goto('/');
  await page.getByRole('checkbox', { name: 'Select Minutes' }).check();
  await page.getByRole('button', { name: 'Export 1 recording', exact: true }).click();
  await expect(dialog.getByText('This template no longer exists')).toBeVisible();
  await choice.selectOption('none');
  await expect(dialog.getByText('This template no longer exists')).toHaveCount(0);
  await dialog.getByLabel('Format', { exact: true }).selectOption('pdf');
  await expect(choice).toHaveCount(0);
});

for (const width of [1280, 360])
  test(`Word templates are managed without barriers at ${width} px`, async ({ page, api }) => {
    await page.setViewportSize({ width, height: 800 });
    api.respond('GET /api/word-templates', [court, letterhead]);
    api.respond('PUT /api/admin/word-templates/{uuid}', { ...court, is_default: true });
    await startSession(page, api);
    await page.goto('/admin/word-templates');
    const entry = (name: string) => page.locator(`[data-template="${name}"]`);
    await expect(entry('Letterhead')).toContainText('Default');
    await expect(entry('Letterhead')).toContainText('Unknown placeholder, which stays unchanged: {{case}}');
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Actions for Court', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Use by default', exact: true }).click();
    await expect.poll(() => api.sent('PUT /api/admin/word-templates/{uuid}')).toEqual([{ is_default: true }]);
    api.refuse('POST /api/admin/word-templates', {
      code: 'word_template_macros',
      detail: 'The document has macros.',
    });
    await page.getByRole('button', { name: 'Add template', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByTestId('word-template-input')
      .setInputFiles({ name: 'Letter.docx', mimeType: 'application/octet-stream', buffer: Buffer.from('x') });
    await expect(dialog.getByLabel('Name', { exact: true })).toHaveValue('Letter');
    await dialog.getByRole('button', { name: 'Add template', exact: true }).click();
    await expect(dialog.getByRole('alert')).toContainText('The document has macros.');
    expect(await barriers(page)).toEqual([]);
  });

import { exampleItem, listOf, uuid } from './ring/example.ts';
import { expect, startSession, test } from './ring/ring.ts';

test('the selected transcripts are downloaded as one file in the chosen format', async ({ page, api }) => {
  const file = exampleItem('GET /api/files', 'items', { uuid: uuid(4), title: 'Minutes', status: 'completed' });
  api.respond('GET /api/files', listOf([file, { ...file, uuid: uuid(5), title: 'Interview' }]));
  await startSession(page, api);
  await page.goto('/');
  for (const title of ['Minutes', 'Interview']) await page.getByRole('checkbox', { name: `Select ${title}` }).check();
  await page.getByRole('button', { name: 'Export 2 recordings', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Format', { exact: true }).selectOption('srt');
  await dialog.getByRole('button', { name: 'Download', exact: true }).click();
  await expect(dialog).toHaveCount(0);
  await expect.poll(() => api.requests('GET /api/transcripts/export')).toHaveLength(1);
  const query = api.requests('GET /api/transcripts/export')[0]?.query;
  expect([query?.get('format'), query?.get('file_uuids')?.split(',').toSorted()]).toEqual(['srt', [uuid(4), uuid(5)]]);
});

import { example, exampleItem, listOf, uuid } from './ring/example.ts';
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

const result = exampleItem('GET /api/search', 'results', { file_uuid: uuid(4), title: 'Minutes' });
const found = example('GET /api/search', {
  query: 'budget',
  results: [result],
  total_files: 37,
  more_files: false,
  correction: { query: 'budget', words: [{ from: 'budgte', to: 'budget' }] },
});

test('all that a search finds is exported, not only the page that is shown', async ({ page, api }) => {
  api.respond('GET /api/search', found);
  await startSession(page, api);
  await page.goto('/search?q=budgte&mode=keyword&tag=board');
  await page.getByRole('button', { name: 'Export transcripts', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Export 37 transcripts' });
  await dialog.getByLabel('Format', { exact: true }).selectOption('txt');
  await dialog.getByRole('button', { name: 'Download', exact: true }).click();
  await expect(dialog).toHaveCount(0);
  await expect.poll(() => api.requests('GET /api/transcripts/export/search')).toHaveLength(1);
  const query = api.requests('GET /api/transcripts/export/search')[0]?.query;
  // What was searched, which is not corrected once more.
  expect(['format', 'q', 'exact', 'search_mode', 'tags'].map((name) => query?.get(name))).toEqual([
    'txt',
    'budget',
    'true',
    'keyword',
    'board',
  ]);
});

test('a search that finds too much says so before the export', async ({ page, api }) => {
  api.respond('GET /api/search', { ...found, more_files: true, total_files: 500 });
  await startSession(page, api);
  await page.goto('/search?q=budget');
  await page.getByRole('button', { name: 'Export transcripts', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('The search finds more than can be exported at once (at most 500 recordings).');
  await expect(dialog.getByRole('button', { name: 'Download', exact: true })).toBeDisabled();
});

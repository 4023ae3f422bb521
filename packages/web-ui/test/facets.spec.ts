import { example, exampleItem, uuid } from './ring/example.ts';
import { expect, startSession, test } from './ring/ring.ts';

test('a long name among the values that narrow a search leaves its number in view at 360 pixels', async ({
  page,
  api,
}) => {
  const name = 'Averylongnameofaspeakerwithoutanyblankwhichgoesonandonandon';
  const result = exampleItem('GET /api/search', 'results', { file_uuid: uuid(4), title: 'Minutes' });
  const facets = { speakers: [{ name, count: 37 }], tags: [], years: [], collections: [] };
  api.respond('GET /api/search', example('GET /api/search', { results: [result], total_files: 40, facets }));
  await page.setViewportSize({ width: 360, height: 740 });
  await startSession(page, api);
  await page.goto('/search?q=budget');
  const value = page.getByTestId('facets').getByRole('button', { name: `${name} 37` });
  const edges = (part: typeof value): Promise<number> =>
    part.evaluate((element) => element.getBoundingClientRect().right);
  expect(await edges(value.getByText('37', { exact: true }))).toBeLessThan(await edges(value));
  await page.setViewportSize({ width: 1280, height: 800 });
});

import type { Page } from '@playwright/test';
import { example, exampleItem, uuid } from './ring/example.ts';
import { foundIn, foundPlace } from './ring/found-places.ts';
import { expect, startSession, test } from './ring/ring.ts';
import type { ScriptedApi } from './ring/scripted-api.ts';

const segment = exampleItem('GET /api/files/{uuid}/segments', 'transcript_segments', {
  uuid: uuid(70),
  text: 'Mister Smyth came in, said Smyth',
  start_time: 65,
  end_time: 70,
});
const file = example('GET /api/files/{uuid}', {
  uuid: uuid(71),
  title: 'Minutes',
  status: 'completed',
  my_permission: 'owner',
  total_segments: 1,
  transcript_version: 1,
});

async function openTranscript(page: Page, api: ScriptedApi, fields: Partial<typeof file> = {}): Promise<void> {
  api.respond('GET /api/files/{uuid}', { ...file, ...fields });
  api.respond(
    'GET /api/files/{uuid}/segments',
    example('GET /api/files/{uuid}/segments', {
      transcript_segments: [segment],
      total_segments: 1,
      transcript_version: 1,
    }),
  );
  api.respond('POST /api/transcripts/find', {
    files: [foundIn(file, [foundPlace(), foundPlace({ start: 27, start_time: 65 })])],
    complete: true,
  });
  api.respond('POST /api/transcripts/replace', { results: [{ file_uuid: file.uuid, replaced: 1, error: null }] });
  await startSession(page, api);
  await page.goto(`/files/${file.uuid}`);
  await expect(page.getByTestId('transcript')).toContainText('Mister');
}

/** Opens the bar and enters what is searched for. */
async function search(page: Page, find: string): Promise<void> {
  await page.keyboard.press('Control+h');
  await page.getByTestId('replace-bar').getByLabel('Find', { exact: true }).fill(find);
}

test.describe('find and replace in a transcript', () => {
  test('opens by Ctrl+H with the keyboard in it, shows every place, and closes by Escape', async ({ page, api }) => {
    await openTranscript(page, api);
    await page.keyboard.press('Control+h');
    const bar = page.getByTestId('replace-bar');
    await expect(bar.getByLabel('Find', { exact: true })).toBeFocused();
    await page.keyboard.type('Smyth');
    await expect(bar.getByTestId('replace-count')).toHaveText('2 places');
    await expect(bar.locator('del')).toHaveText(['Smyth', 'Smyth']);
    await expect(bar.locator('ins').first()).toHaveText('Smith');
    await page.keyboard.press('Escape');
    await expect(bar).toHaveCount(0);
    expect(api.sent('POST /api/transcripts/replace')).toEqual([]);
  });

  test('replaces the chosen places only, and undoes that as one step', async ({ page, api }) => {
    await openTranscript(page, api);
    await page.getByRole('button', { name: 'Find and replace', exact: true }).click();
    const bar = page.getByTestId('replace-bar');
    await bar.getByLabel('Find', { exact: true }).fill('smyth');
    await bar.getByLabel('Replace with').fill('Smith');
    await bar.getByLabel('Whole words').check();
    await bar
      .getByRole('checkbox', { name: /^Replace “Smyth”/ })
      .first()
      .uncheck();
    await bar.getByRole('button', { name: 'Replace 1 place', exact: true }).click();
    await page.getByText('Replaced 1 place.').waitFor();
    const [sent] = api.sent('POST /api/transcripts/replace') as { uuid: string }[];
    expect(sent).toMatchObject({
      find: 'smyth',
      replacement: 'Smith',
      whole_word: true,
      regex: false,
      files: [{ file_uuid: file.uuid, segments: [{ uuid: segment.uuid, version: 1, starts: [27] }] }],
    });
    const undo = 'POST /api/transcripts/replace/{uuid}/undo';
    api.respond(undo, { results: [{ file_uuid: file.uuid, error: null }] });
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByText('Undone.').waitFor();
    expect(api.requests(undo).map(({ params }) => params['uuid'])).toEqual([sent?.uuid]);
  });

  test('replaces one place by its own button', async ({ page, api }) => {
    await openTranscript(page, api);
    await search(page, 'Smyth');
    await page
      .getByRole('button', { name: /^Replace only/ })
      .first()
      .click();
    await page.getByText('Replaced 1 place.').waitFor();
    expect(api.sent('POST /api/transcripts/replace')).toMatchObject([{ files: [{ segments: [{ starts: [7] }] }] }]);
  });

  test('shows why an expression is not valid, without trying it again', async ({ page, api }) => {
    await openTranscript(page, api);
    await page.keyboard.press('Control+h');
    api.refuse('POST /api/transcripts/find', { code: 'pattern_invalid', detail: 'This is not a valid expression.' });
    await page.getByTestId('replace-bar').getByLabel('Regular expression').check();
    await page.getByLabel('Find', { exact: true }).fill('(');
    await expect(page.getByRole('alert')).toContainText('This is not a valid expression.');
    expect(api.sent('POST /api/transcripts/find')).toHaveLength(1);
  });

  test('names a recording whose places were changed since', async ({ page, api }) => {
    await openTranscript(page, api);
    await search(page, 'Smyth');
    const error = { code: 'stale_version', message: 'The transcript was changed in the meantime. Search again.' };
    api.respond('POST /api/transcripts/replace', { results: [{ file_uuid: file.uuid, replaced: 0, error }] });
    await page.getByRole('button', { name: 'Replace 2 places' }).click();
    await expect(page.getByRole('alert')).toContainText('Minutes: The transcript was changed in the meantime.');
  });

  test('says in one sentence that nothing was found', async ({ page, api }) => {
    await openTranscript(page, api);
    api.respond('POST /api/transcripts/find', { files: [foundIn(file, [])], complete: true });
    await search(page, 'Nobody');
    await expect(page.getByTestId('replace-count')).toHaveText('Nothing found.');
  });

  test('is missing for those who may only read', async ({ page, api }) => {
    await openTranscript(page, api, { my_permission: 'viewer' });
    await page.keyboard.press('Control+h');
    await expect(page.getByRole('button', { name: 'Find and replace', exact: true })).toHaveCount(0);
    await expect(page.getByTestId('replace-bar')).toHaveCount(0);
  });
});

test('what a replacement reports does not cover the buttons of its dialog', async ({ page, api }) => {
  const item = exampleItem('GET /api/files', 'items', { uuid: uuid(71), title: 'Minutes', status: 'completed' });
  const places = Array.from({ length: 40 }, (_, i) => foundPlace({ start: i, start_time: i }));
  api.respond('GET /api/files', { items: [item], total: 1, page: 1, page_size: 20 });
  api.respond('POST /api/transcripts/find', { files: [foundIn(file, places)], complete: true });
  api.respond('POST /api/transcripts/replace', { results: [{ file_uuid: file.uuid, replaced: 1, error: null }] });
  await startSession(page, api);
  await page.goto('/');
  await page.getByLabel('Select Minutes').check();
  await page.getByRole('button', { name: 'Find and replace 1 recording' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Find', { exact: true }).fill('Smyth');
  await dialog
    .getByRole('button', { name: /^Replace only/ })
    .first()
    .click();
  await expect(page.getByText('Replaced 1 place.')).toBeVisible();
  for (const name of ['Cancel', 'Replace 40 places']) {
    // Fails while another element would receive the click.
    await dialog.getByRole('button', { name, exact: true }).click({ trial: true, timeout: 5_000 });
  }
});

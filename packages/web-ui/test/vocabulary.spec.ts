import { example, uuid } from './ring/example.ts';
import { expect, startSession, test } from './ring/ring.ts';
import { storeTranscript, transcriptPath } from './transcript/stored-transcript.ts';

function entry(id: number, term: string) {
  return example('POST /api/vocabulary', { uuid: uuid(id), term, created_at: '2026-03-02T03:04:05.000Z' });
}

test.describe('the vocabulary', () => {
  test('is seen, added to and removed from by the keyboard', async ({ page, api }) => {
    let items = [entry(80, 'Kubernetes'), entry(81, 'Ada Lovelace')];
    api.respond('GET /api/vocabulary', () => ({ items }));
    api.respond('POST /api/vocabulary', ({ body }) => {
      const added = entry(82, body.term);
      items = [added, ...items];
      return added;
    });
    api.respond('DELETE /api/vocabulary/{uuid}', ({ params }) => {
      items = items.filter((item) => item.uuid !== params['uuid']);
      return { uuid: params['uuid'] ?? '' };
    });
    await startSession(page, api);
    await page.goto('/');
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Vocabulary' }).click();
    const rows = page.getByTestId('vocabulary').locator('tbody tr');
    await expect(rows).toHaveCount(2);
    const field = page.getByRole('textbox', { name: 'Name or term' });
    await field.fill('PostgreSQL');
    await field.press('Enter');
    await expect(rows).toHaveCount(3);
    await expect(field).toHaveValue('');
    await expect(field).toBeFocused();
    await page.getByRole('button', { name: 'Remove “Ada Lovelace”' }).press('Enter');
    await expect(rows).toHaveCount(2);
    await expect(rows.first()).toContainText('PostgreSQL');
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    }
  });

  test('is offered the spelling that replaced another one, and what was corrected more than once', async ({
    page,
    api,
  }) => {
    const store = storeTranscript(['we run cube here', 'and cube there']);
    store.serve(api);
    api.respond('GET /api/vocabulary', { items: [] });
    api.respond('POST /api/vocabulary', ({ body }) => entry(83, body.term));
    api.respond('GET /api/files/{uuid}/vocabulary-suggestions', { terms: ['PostgreSQL'] });
    api.respond('POST /api/transcripts/find', ({ body }) => ({
      files: [
        {
          file_uuid: body.file_uuids[0] ?? '',
          title: 'Minutes',
          my_permission: 'owner' as const,
          error: null,
          places: store.passages().map((one) => ({
            segment_uuid: one.uuid,
            version: one.version,
            start_time: one.start_time,
            speaker: 'Ada',
            start: one.text.indexOf('cube'),
            text: one.text,
            from: one.text.indexOf('cube'),
            to: one.text.indexOf('cube') + 4,
            replacement: 'Kubernetes',
          })),
        },
      ],
      complete: true,
    }));
    api.respond('POST /api/transcripts/replace', ({ body }) => ({
      results: body.files.map(({ file_uuid }) => ({ file_uuid, replaced: 2, error: null })),
    }));
    await startSession(page, api);
    await page.goto(transcriptPath);
    await page.locator('summary', { hasText: 'Suggestions' }).click();
    await page.getByRole('button', { name: 'Keep “PostgreSQL” as vocabulary' }).click();
    await page.getByText('“PostgreSQL” is in your vocabulary.').waitFor();
    await page.getByRole('textbox', { name: 'Transcript' }).click();
    await page.keyboard.press('Control+h');
    await page.getByTestId('replace-bar').getByLabel('Find', { exact: true }).fill('cube');
    await page.getByTestId('replace-bar').getByLabel('Replace with').fill('Kubernetes');
    await page.getByRole('button', { name: 'Replace 2 places' }).click();
    await page.getByText('Keep “Kubernetes” as vocabulary for future recordings?').waitFor();
    await page.getByRole('button', { name: 'Keep', exact: true }).click();
    await page.getByText('“Kubernetes” is in your vocabulary.').waitFor();
    expect(api.sent('POST /api/vocabulary')).toEqual([{ term: 'PostgreSQL' }, { term: 'Kubernetes' }]);
  });
});

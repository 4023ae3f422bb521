import { example } from './ring/example.ts';
import { expect, startSession, test } from './ring/ring.ts';
import { storeTranscript, transcriptPath } from './transcript/stored-transcript.ts';

const item = {
  engine: { provider: 'faster-whisper', model: 'base' },
  language: 'en',
  transcribed_at: '2026-03-02T03:04:05.000Z',
  measured_at: '2026-03-02T04:04:05.000Z',
  words: 480,
  errors: 12,
  current: true,
};
function confidence(word: string): number {
  return { wrong: 0.1, maybe: 0.5 }[word] ?? 0.9;
}

test.describe('the quality of a transcript', () => {
  test('shows the confidence of its words, where to look first, and what was corrected', async ({ page, api }) => {
    const sound = { level_db: -24, noise_db: -33.5, clipped: 0.024 };
    storeTranscript(['all of this is right', 'this is wrong or maybe not'], { confidence, sound }).serve(api);
    api.respond('GET /api/files/{uuid}/transcript/accuracy', {
      items: [item, { ...item, engine: { provider: 'pocketsphinx', model: 'en-us' }, errors: 96, current: false }],
      pending: false,
      masked: false,
    });
    await startSession(page, api);
    await page.goto(transcriptPath);
    await page.locator('summary', { hasText: 'Quality' }).click();
    const panel = page.getByTestId('quality');
    await expect(panel.getByTestId('confidence').getByRole('listitem')).toHaveText([
      'The engine is sure82 %',
      'Perhaps wrong9.1 %',
      'Probably wrong9.1 %',
    ]);
    await expect(panel.getByTestId('worst').getByRole('button')).toHaveCount(1);
    await expect(panel.getByTestId('sound')).toContainText(/Voices −24\sdB, pauses −33\sdB · 2.4 % too loud/);
    await expect(panel.getByTestId('sound')).toContainText('There is much noise');
    await expect(panel.getByTestId('accuracy')).toContainText('2.5 % of the words were wrong: 12 errors in 480 words.');
    await expect(panel.getByTestId('accuracy')).toContainText('Earlier: PocketSphinx, en-us20 %');
    for (const [width, height] of [
      [1280, 800],
      [360, 740],
    ] as const) {
      await page.setViewportSize({ width, height });
      await panel.scrollIntoViewIfNeeded();
      await expect(panel).toBeInViewport();
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('says why it has no figures', async ({ page, api }) => {
    storeTranscript(['all of this is right'], { confidence: () => null }).serve(api);
    api.respond('GET /api/files/{uuid}/transcript/accuracy', { items: [], pending: false, masked: true });
    await startSession(page, api);
    await page.goto(transcriptPath);
    await page.locator('summary', { hasText: 'Quality' }).click();
    const panel = page.getByTestId('quality');
    await expect(panel).toContainText('There is no confidence of an engine');
    await expect(panel).toContainText('Parts of this transcript are masked.');
    await expect(panel.getByTestId('accuracy')).toHaveCount(0);
  });

  test('is a table of engines, models, languages and months for administrators', async ({ page, api }) => {
    const row = {
      provider: 'faster-whisper',
      model: 'base',
      language: 'en',
      month: '2026-03',
      words: 4_800,
      errors: 134,
    };
    api.respond(
      'GET /api/admin/accuracy',
      example('GET /api/admin/accuracy', {
        rows: [
          { ...row, recordings: 3 },
          { ...row, provider: 'retired', model: 'x', language: null, month: '2026-02', recordings: 1, words: 0 },
        ],
        complete: false,
      }),
    );
    await startSession(page, api);
    await page.goto('/admin/accuracy');
    const table = page.getByTestId('accuracy-figures');
    await expect(table.getByRole('row').nth(1)).toHaveText('March 2026faster-whisper, baseEnglish34,8002.8 %');
    await expect(table.getByRole('row').nth(2)).toHaveText('February 2026retired, xunknown10–');
    await expect(page.getByText('Earlier months are left out.')).toBeVisible();
    for (const [width, height] of [
      [1280, 800],
      [360, 740],
    ] as const) {
      await page.setViewportSize({ width, height });
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});

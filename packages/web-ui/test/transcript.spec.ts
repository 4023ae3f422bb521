import { expect, startSession, test } from './ring/ring.ts';
import { storeTranscript, transcriptPath } from './transcript/stored-transcript.ts';

const speech = [
  'Good morning everybody',
  'Let us begin with the budget',
  'It is smaller than last year',
  'Why is that',
];
const doubts: Readonly<Record<string, number>> = { budget: 0.2, last: 0.5 };

function confidence(word: string): number {
  return doubts[word] ?? 0.9;
}

test.describe('uncertain words', () => {
  test('are marked in three steps, counted, and reached by keys in both directions', async ({ page, api }) => {
    storeTranscript(speech, { confidence }).serve(api);
    await startSession(page, api);
    await page.goto(transcriptPath);
    await expect(page.locator('[data-seg] [data-unsure="strong"]')).toHaveText(['budget']);
    await expect(page.locator('[data-seg] [data-unsure="some"]')).toHaveText(['last']);
    await expect(page.getByTestId('legend')).toContainText('2 words may be wrong (11 %)');
    for (const [key, word] of [
      ['u', 'budget'],
      ['u', 'last'],
      ['Shift+U', 'budget'],
    ] as const) {
      await page.keyboard.press(key);
      await expect(page.locator('[data-now]')).toHaveText(word);
    }
  });

  test('are accepted by a key and by a button, and undone', async ({ page, api }) => {
    const transcript = storeTranscript(speech, { confidence });
    transcript.serve(api);
    await startSession(page, api);
    await page.goto(transcriptPath);
    await page.getByRole('button', { name: 'Next uncertain word' }).click();
    await page.keyboard.press('a');
    await expect(page.locator('[data-seg] [data-unsure]')).toHaveText(['last']);
    await expect(page.locator('[data-now]')).toHaveText('last');
    expect(transcript.texts()).toEqual(speech);
    expect(transcript.passages()[1]?.words.map((word) => word.confidence)).toEqual([0.9, 0.9, 0.9, 0.9, 0.9, null]);
    await page.getByRole('button', { name: 'Accept' }).click();
    await expect(page.getByTestId('legend')).toHaveCount(0);
    await page.keyboard.press('Control+z');
    await expect(page.getByTestId('legend')).toContainText('1 word may be wrong');
  });
});

import type { Locator, Page } from '@playwright/test';
import { example, uuid } from './ring/example.ts';
import { expect, startSession, test } from './ring/ring.ts';
import type { ScriptedApi } from './ring/scripted-api.ts';
import { storeTranscript, transcriptPath } from './transcript/stored-transcript.ts';

const request = 'POST /api/files/{uuid}/clips';
const read = 'GET /api/files/{uuid}/clips/{clip_uuid}';
const clip = example(read, { uuid: uuid(80), kind: 'sound', state: 'queued', bytes: null });

test.describe('a part of a recording', () => {
  test('is cut at the selected words and downloaded when it is ready', async ({ page, api }) => {
    await open(page, api);
    await selectLastWords(page, 1, 2);
    api.respond(request, clip);
    api.respond(read, clip);
    await choose(page, 'Download as sound');
    await expect(page.getByRole('status').filter({ hasText: 'Cutting the sound of 0:06–0:08…' })).toBeVisible();
    const [sent] = api.sent(request);
    expect(sent).toMatchObject({ kind: 'sound', end_time: 8 });
    expect((sent as { start_time: number }).start_time).toBeCloseTo(4 + (4 / 6) * 4);
    api.respond(read, { ...clip, state: 'ready', bytes: 1_000 });
    await expect.poll(() => api.requests('GET /api/files/{uuid}/clips/{clip_uuid}/content')).toHaveLength(1);
    await expect(page.getByText('The clip is being downloaded.')).toBeVisible();
    await expect(page.getByText(/^Cutting/)).toHaveCount(0);
  });

  test('is the passage of the caret when no word is selected, by keyboard', async ({ page, api }) => {
    await open(page, api);
    await caretAtEnd(page, 1);
    api.respond(request, { ...clip, state: 'failed' });
    await page.getByRole('button', { name: 'More for the selected words' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Download as sound' }).focus();
    await page.keyboard.press('Enter');
    await expect(page.getByText('This part couldn’t be cut out of the recording.')).toBeVisible();
    expect(api.sent(request)).toEqual([{ kind: 'sound', start_time: 4, end_time: 8 }]);
  });

  test('is offered as video only where there is one', async ({ page, api }) => {
    await open(page, api);
    await menu(page);
    await expect(page.getByRole('menuitem', { name: 'Download as sound' })).toBeVisible();
    await expect(page.getByRole('menuitem', { name: 'Download as video' })).toHaveCount(0);
  });

  test('of a video is cut as video', async ({ page, api }) => {
    await open(page, api, { has_video: true });
    await selectLastWords(page, 0, 1);
    api.respond(request, { ...clip, kind: 'video', state: 'failed' });
    await choose(page, 'Download as video');
    await expect.poll(() => api.sent(request)).toMatchObject([{ kind: 'video' }]);
  });

  test('that is refused says why', async ({ page, api }) => {
    await open(page, api);
    await selectLastWords(page, 1, 1);
    api.refuse(request, { code: 'too_many_clips', detail: 'Wait until one of your 3 clips is finished.' });
    await choose(page, 'Download as sound');
    await expect(page.getByText('The clip couldn’t be made')).toBeVisible();
    await expect(page.getByText('Wait until one of your 3 clips is finished.')).toBeVisible();
  });

  test('is not waited for after its notice was closed', async ({ page, api }) => {
    await open(page, api);
    await selectLastWords(page, 1, 1);
    api.respond(request, clip);
    api.respond(read, clip);
    await choose(page, 'Download as sound');
    const notice = page.getByRole('status').filter({ hasText: 'Cutting' });
    await expect.poll(() => api.requests(read).length).toBeGreaterThan(0);
    await notice.getByRole('button', { name: 'Close' }).click();
    await expect(notice).toHaveCount(0);
    api.respond(read, { ...clip, state: 'ready', bytes: 1_000 });
    await expect(page.getByText('The clip is being downloaded.')).toHaveCount(0);
  });

  test('can be chosen in 360 pixels', async ({ page, api }) => {
    await page.setViewportSize({ width: 360, height: 720 });
    await open(page, api, { has_video: true });
    await selectLastWords(page, 1, 1);
    await menu(page);
    await expect(page.getByRole('menuitem', { name: 'Download as video' })).toBeInViewport({ ratio: 1 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  });

  test('whose notice is shown in 360 pixels leaves title, panels and player free', async ({ page, api }) => {
    await page.setViewportSize({ width: 360, height: 740 });
    await open(page, api);
    await selectLastWords(page, 1, 1);
    api.refuse(request, { code: 'too_many_clips', detail: 'Wait until one of your 3 clips is finished.' });
    await choose(page, 'Download as sound');
    await expect(page.getByText('The clip couldn’t be made')).toBeVisible();
    await page.evaluate(() => scrollTo(0, 0));
    const controls = [
      page.getByRole('heading', { level: 1 }),
      page.getByRole('link', { name: 'Library' }).last(),
      page.getByRole('button', { name: 'Export' }),
      page.getByRole('button', { name: /speaker/ }).first(),
      page.getByRole('button', { name: 'Play', exact: true }),
    ];
    for (const control of controls) expect(await isUncovered(control)).toBe(true);
  });
});

async function isUncovered(control: Locator): Promise<boolean> {
  return await control.evaluate((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    const top = document.elementFromPoint(x + width / 2, y + height / 2);
    return top !== null && (element.contains(top) || top.contains(element));
  });
}

async function open(page: Page, api: ScriptedApi, fields: { has_video?: boolean } = {}): Promise<void> {
  storeTranscript(['Good morning everybody', 'Let us begin with the budget', 'It is smaller than last year'], {
    file: { has_media: true, has_video: false, file_size: 1_000, recording_removed_at: null, duration: 60, ...fields },
  }).serve(api);
  await startSession(page, api);
  await page.goto(transcriptPath);
  await expect(page.getByTestId('segment')).toHaveCount(3);
}

async function menu(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More for the selected words' }).click();
}

async function choose(page: Page, name: string): Promise<void> {
  await menu(page);
  await page.getByRole('menuitem', { name }).click();
}

async function caretAtEnd(page: Page, index: number): Promise<void> {
  await page.locator(`[data-seg="${index}"] p`).click();
  await page.keyboard.press('End');
}

async function selectLastWords(page: Page, index: number, words: number): Promise<void> {
  await caretAtEnd(page, index);
  for (let i = 0; i < words; i += 1) await page.keyboard.press('Control+Shift+ArrowLeft');
}

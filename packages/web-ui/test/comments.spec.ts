import type { CommentThread } from '@overtone/contracts';
import type { Locator, Page } from '@playwright/test';
import { exampleItem, uuid } from './ring/example.ts';
import { expect, push, startSession, test } from './ring/ring.ts';
import type { ScriptedApi } from './ring/scripted-api.ts';
import { storeTranscript, transcriptPath } from './transcript/stored-transcript.ts';

const file = uuid(60);
const add = 'POST /api/files/{uuid}/comments';
const people = [
  { uuid: uuid(31), name: 'Grace Hopper' },
  { uuid: uuid(32), name: 'Greta' },
];

function threadOf(fields: Partial<CommentThread>): CommentThread {
  return exampleItem('GET /api/files/{uuid}/comments', 'threads', {
    uuid: uuid(40),
    author: { uuid: uuid(1), name: 'Ada Lovelace' },
    start_time: 4,
    end_time: 8,
    quote: 'Let us begin',
    ...fields,
  });
}

test.describe('comments on a transcript', () => {
  test('and quotes: the selected words are copied with speaker, time and a link to the second', async ({
    page,
    api,
  }) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await open(page, api);
    await selectWords(page, 1, 2);
    await page.getByRole('button', { name: 'More for the selected words' }).click();
    await page.getByRole('menuitem', { name: 'Copy as a quote' }).click();
    await page.getByText('Quote copied.').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(`“the budget” (Ada, 0:06)\n${new URL(transcriptPath, page.url()).href}?t=6.7`);
  });

  test('are written at the selected words, with a person who is mentioned', async ({ page, api }) => {
    await open(page, api);
    await selectWords(page, 1, 2);
    api.respond(add, threadOf({ text: 'Why?' }));
    await page.keyboard.press('Alt+c');
    const dialog = page.getByRole('dialog', { name: 'Comment at 0:06' });
    await expect(dialog.locator('blockquote')).toHaveText('the budget');
    await expect(dialog.getByLabel('Comment', { exact: true })).toBeFocused();
    await page.keyboard.type('Why, @gr');
    const offered = page.getByRole('option');
    await expect(offered).toHaveText(['Grace Hopper', 'Greta']);
    // All of the list is visible, also where it is longer than the dialog.
    await expect(page.getByRole('listbox')).toBeInViewport({ ratio: 1 });
    await page.keyboard.press('Escape');
    await expect(offered).toHaveCount(0);
    await expect(dialog.getByLabel('Comment', { exact: true })).toBeFocused();
    await page.keyboard.type('a');
    await expect(offered).toHaveText(['Grace Hopper']);
    await page.keyboard.press('Backspace');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await expect(offered).toHaveCount(0);
    await page.keyboard.type('?');
    await page.keyboard.press('Control+Enter');
    await expect(dialog).toHaveCount(0);
    const [sent] = api.sent(add);
    expect(sent).toMatchObject({ text: 'Why, @Grace Hopper ?', mentions: [uuid(31)], end_time: 8 });
    expect((sent as { start_time: number }).start_time).toBeCloseTo(4 + (4 / 6) * 4);
  });

  test('say that a person is not notified who may not read the recording', async ({ page, api }) => {
    await open(page, api);
    await selectWords(page, 1, 2);
    await page.keyboard.press('Alt+c');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Comment', { exact: true }).fill('Please check, @Mallory');
    await expect(dialog).toContainText('Nobody called “Mallory” can read this recording, so nobody is notified.');
    await dialog.getByLabel('Comment', { exact: true }).fill('Please check, @Grace Hopper');
    await expect(dialog).not.toContainText('nobody is notified');
  });

  test('are at the moment of the recording when nothing is selected', async ({ page, api }) => {
    await open(page, api);
    api.respond(add, threadOf({}));
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Comment', { exact: true }).fill('Start');
    await page.getByRole('button', { name: 'Add comment' }).click();
    await expect.poll(() => api.sent(add)).toMatchObject([{ start_time: 0, end_time: 0, text: 'Start' }]);
  });

  test('are listed in order, filtered, replied to and resolved', async ({ page, api }) => {
    const threads = [
      threadOf({ text: 'First', replies: [{ ...threadOf({}), uuid: uuid(44), text: 'Answer' }] }),
      threadOf({ uuid: uuid(41), text: 'Done', resolved: { at: '2026-01-02T03:04:05.000Z', by: 'Grace Hopper' } }),
    ];
    await open(page, api, threads);
    const panel = await openPanel(page, '1 comment');
    await expect(panel.getByRole('listitem')).toHaveCount(1);
    await expect(panel.getByRole('listitem')).toContainText('Answer');
    const reply = 'POST /api/files/{uuid}/comments/{comment_uuid}/replies';
    api.respond(reply, threads[0]!);
    await panel.getByRole('button', { name: 'Reply' }).click();
    await panel.getByLabel('Reply', { exact: true }).fill('Thanks');
    await panel.getByRole('button', { name: 'Send reply' }).click();
    await expect.poll(() => api.sent(reply)).toEqual([{ text: 'Thanks', mentions: [] }]);
    const resolve = 'PUT /api/files/{uuid}/comments/{comment_uuid}/resolved';
    api.respond(resolve, threads[0]!);
    await panel.getByRole('button', { name: 'Resolve', exact: true }).click();
    await expect.poll(() => api.sent(resolve)).toEqual([{ resolved: true }]);
    await panel.getByText('Resolved', { exact: true }).click();
    await expect(panel.getByRole('listitem')).toHaveText(/Done.*Resolved by Grace Hopper.*Reply/s);
    await expect(panel.getByRole('button', { name: 'Reopen' })).toBeVisible();
  });

  test('are found by their words and by who wrote them', async ({ page, api }) => {
    await open(page, api, [
      threadOf({ text: 'Check the figure' }),
      threadOf({ uuid: uuid(41), text: 'Nice', author: { uuid: uuid(31), name: 'Grace Hopper' } }),
    ]);
    const panel = await openPanel(page, '2 comments');
    const box = panel.getByRole('searchbox', { name: 'Search in comments' });
    await box.fill('FIG');
    await expect(panel.getByRole('listitem')).toHaveText([/Check the figure/]);
    await expect(panel.getByRole('status')).toHaveText('1 comment');
    await box.fill('grace');
    await expect(panel.getByRole('listitem')).toHaveText([/Nice/]);
    await box.fill('no such word');
    await expect(panel.getByRole('listitem')).toHaveCount(0);
    await expect(panel.getByRole('status')).toHaveText('0 comments');
    await box.fill('');
    await expect(panel.getByRole('listitem')).toHaveCount(2);
  });

  test('of others are shown as they arrive', async ({ page, api }) => {
    await open(page, api);
    const panel = await openPanel(page, 'Comments');
    await expect(panel).toContainText('No comments.');
    api.respond('GET /api/files/{uuid}/comments', { threads: [threadOf({ text: 'From afar' })] });
    push({ type: 'comments_changed', seq: 2, data: { file_id: file } });
    await expect(panel).toContainText('From afar');
    await expect(page.locator('[data-note="comment"]').first()).toHaveText('Let');
  });

  test('are found from their words in the text', async ({ page, api }) => {
    await open(page, api, [threadOf({ color: 'green', text: 'Here' }), threadOf({ uuid: uuid(41), start_time: 9 })]);
    await page.locator('[data-note="green"]', { hasText: 'budget' }).click();
    const shown = page.getByRole('region', { name: 'Comment' });
    await expect(shown).toContainText('Here');
    await shown.getByRole('button', { name: 'Close the comment' }).click();
    await expect(shown).toHaveCount(0);
    await page.locator('[data-note="green"]', { hasText: 'the' }).click();
    await expect(shown).toContainText('Here');
    await page.locator('[data-seg="0"] [data-w="0"]').click();
    await expect(shown).toHaveCount(0);
  });
});

test.describe('highlights', () => {
  test('are made with a key and from the menu of colors, and need selected words', async ({ page, api }) => {
    await open(page, api);
    api.respond(add, threadOf({ color: 'yellow' }));
    await caretAtEnd(page, 0);
    await page.keyboard.press('Alt+h');
    await expect(page.getByText('Select the words first.')).toBeVisible();
    await selectWords(page, 0, 1);
    await page.keyboard.press('Alt+h');
    await expect.poll(() => api.sent(add)).toMatchObject([{ color: 'yellow', end_time: 4 }]);
    await selectWords(page, 0, 1);
    await page.getByRole('button', { name: 'More for the selected words' }).click();
    await page.getByRole('menuitem', { name: 'Blue' }).click();
    await expect.poll(() => api.sent(add)[1]).toMatchObject({ color: 'blue', end_time: 4 });
  });

  test('get another color from their authors only', async ({ page, api }) => {
    const own = threadOf({ color: 'pink', can_edit: true });
    await open(page, api, [own, threadOf({ uuid: uuid(41), color: 'blue', can_edit: false })]);
    const panel = await openPanel(page, '2 comments');
    const choice = panel.getByRole('combobox', { name: 'Colour of the highlight' });
    await expect(choice).toHaveCount(1);
    const change = 'PUT /api/files/{uuid}/comments/{comment_uuid}';
    api.respond(change, { ...own, color: 'green' });
    api.respond('GET /api/files/{uuid}/comments', { threads: [{ ...own, color: 'green' }] });
    await choice.selectOption('Green');
    await expect.poll(() => api.sent(change)).toEqual([{ color: 'green' }]);
    await expect(page.locator('[data-note="green"]').first()).toBeVisible();
    await expect(choice).toHaveValue('green');
  });

  test('are made by readers, who cannot edit the text', async ({ page, api }) => {
    await open(page, api, [], 'viewer');
    api.respond(add, threadOf({ color: 'yellow' }));
    await page.locator('[data-seg="1"] [data-w="1"]').dblclick();
    await page.keyboard.press('h');
    await expect.poll(() => api.sent(add)).toHaveLength(1);
    const [sent] = api.sent(add) as { start_time: number; end_time: number }[];
    expect(sent?.start_time).toBeCloseTo(4 + 4 / 6);
    expect(sent?.end_time).toBeCloseTo(4 + 8 / 6);
  });
});

test('comments can be used in 360 pixels', async ({ page, api }) => {
  await page.setViewportSize({ width: 360, height: 720 });
  await open(page, api, [
    threadOf({ color: 'pink', text: 'A long text '.repeat(20), can_edit: true, can_delete: true }),
  ]);
  const panel = await openPanel(page, '1 comment');
  await panel.getByRole('button', { name: 'Reply' }).click();
  await panel.getByLabel('Reply', { exact: true }).pressSequentially('@G');
  const people = page.getByRole('listbox', { name: 'People who may read this recording' });
  await expect(people.getByRole('option')).toHaveCount(2);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await page.keyboard.press('Escape');
  await expect(people).toHaveCount(0);
  await panel.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.locator('[data-note="pink"]').first().click();
  const shown = await page.getByRole('region', { name: 'Comment' }).boundingBox();
  expect(shown!.x).toBeGreaterThanOrEqual(0);
  expect(shown!.x + shown!.width).toBeLessThanOrEqual(360);
  await page.setViewportSize({ width: 1280, height: 800 });
});

async function open(page: Page, api: ScriptedApi, threads: CommentThread[] = [], permission?: 'viewer'): Promise<void> {
  const transcript = storeTranscript(
    ['Good morning everybody', 'Let us begin with the budget', 'It is smaller than last year'],
    permission ? { permission } : {},
  );
  transcript.serve(api);
  api.respond('GET /api/files/{uuid}/comments', { threads });
  api.respond('GET /api/files/{uuid}/comments/people', people);
  await startSession(page, api);
  await page.goto(transcriptPath);
  await expect(page.getByTestId('segment')).toHaveCount(3);
}

async function openPanel(page: Page, title: string): Promise<Locator> {
  await page.locator('summary', { hasText: title }).click();
  return page.getByTestId('comments');
}

async function caretAtEnd(page: Page, index: number): Promise<void> {
  await page.locator(`[data-seg="${index}"] p`).click();
  await page.keyboard.press('End');
}

/** Selects the last words of a passage. */
async function selectWords(page: Page, index: number, words: number): Promise<void> {
  await caretAtEnd(page, index);
  for (let i = 0; i < words; i += 1) await page.keyboard.press('Control+Shift+ArrowLeft');
}

import type { CommentObject, FoundThread } from '@overtone/contracts';
import type { Page } from '@playwright/test';
import { barriers } from './ring/barriers.ts';
import { anyTime, exampleItem, uuid } from './ring/example.ts';
import { expect, me, startSession, test } from './ring/ring.ts';
import type { ScriptedApi } from './ring/scripted-api.ts';

const route = 'GET /api/comments';

function replyOf(id: number, text: string, author: CommentObject['author']): CommentObject {
  const rights = { can_edit: false, can_delete: false };
  return {
    uuid: uuid(id),
    text,
    author,
    withheld: false,
    mentions: [],
    created_at: anyTime,
    edited_at: null,
    ...rights,
  };
}

const file = uuid(60);
const thread = exampleItem(route, 'threads', {
  uuid: uuid(71),
  file_uuid: file,
  title: 'Minutes of the board',
  start_time: 66.5,
  end_time: 68,
  quote: 'the budget is smaller',
  text: 'Is this about the budget of last year?',
  author: { uuid: uuid(2), name: 'Grace Hopper' },
  replies: [replyOf(72, 'No, of the year before', null), replyOf(73, 'Thanks', { uuid: uuid(3), name: null })],
});
const highlight: FoundThread = {
  ...thread,
  uuid: uuid(74),
  title: 'A second recording',
  start_time: 5,
  quote: null,
  text: '',
  author: null,
  resolved: { at: anyTime, by: 'Ada' },
};

async function open(page: Page, api: ScriptedApi, address: string): Promise<void> {
  await startSession(page, api);
  await page.goto(address);
}
/** The queries that were sent, without the empty ones. */
function queries(api: ScriptedApi): Record<string, string>[] {
  return api.requests(route).map(({ query }) => Object.fromEntries(query));
}

test.describe('the search in comments', () => {
  test('keeps the text of the other search, and opens a recording at its second by keyboard', async ({ page, api }) => {
    api.respond(route, { threads: [thread, highlight], more: false });
    await open(page, api, '/search?q=budget&mode=keyword');
    await page.getByRole('tab', { name: 'Transcripts' }).focus();
    await page.keyboard.press('ArrowRight');
    await expect(page).toHaveURL(/\/search\?q=budget&in=comments$/);
    await expect(page.getByLabel('Search in comments')).toHaveValue('budget');
    const found = page.getByTestId('found-comments').locator(':scope > li');
    await expect(found).toHaveCount(2);
    await expect(found.first()).toContainText('the budget is smaller');
    await expect(found.first()).toContainText(/Grace Hopper · .*Is this about the budget of last year\?/);
    await expect(found.first()).toContainText(/Deleted account · .*No, of the year before.*Unknown · .*Thanks/);
    await expect(found.first()).not.toContainText('Resolved');
    await expect(found.last()).toContainText('Resolved');
    expect(queries(api)).toEqual([{ text: 'budget', state: 'all', page: '1' }]);
    const link = page.getByRole('link', { name: 'Minutes of the board, 1:06' });
    await expect(link).toHaveAttribute('href', `/files/${file}?t=66.5`);
    await link.press('Enter');
    await expect(page).toHaveURL(new RegExp(`/files/${file}\\?t=66.5$`));
  });

  test('is narrowed by text, state and author, which are part of the address', async ({ page, api }) => {
    api.respond(route, { threads: [thread], more: false });
    await open(page, api, '/search?in=comments&state=open&by=me');
    await expect(page.getByRole('radio', { name: 'Open' })).toBeChecked();
    await expect(page.getByLabel('Who wrote the comment')).toHaveValue('me');
    await expect.poll(() => queries(api)).toEqual([{ state: 'open', author: me.uuid, page: '1' }]);
    await page.getByLabel('Search in comments').fill(' budget ');
    await page.getByLabel('Search in comments').press('Enter');
    await expect.poll(() => queries(api).at(-1)).toEqual({ text: 'budget', state: 'open', author: me.uuid, page: '1' });
    await page.getByLabel('Who wrote the comment').selectOption('By anyone');
    await expect(page).toHaveURL(/in=comments&state=open$/);
    await page.getByText('Resolved', { exact: true }).first().click();
    await expect(page).toHaveURL(/state=resolved/);
    await expect.poll(() => queries(api).at(-1)).toEqual({ text: 'budget', state: 'resolved', page: '1' });
  });

  test('has pages, without their number', async ({ page, api }) => {
    api.respond(route, { threads: [thread], more: true });
    await open(page, api, '/search?q=budget&in=comments');
    await page.getByRole('button', { name: 'next page' }).click();
    await expect(page).toHaveURL(/page=2/);
    await expect.poll(() => queries(api).at(-1)).toEqual({ text: 'budget', state: 'all', page: '2' });
    await expect(page.getByRole('button', { name: '3', exact: true })).toBeVisible();
    // Another text begins with its first page.
    await page.getByLabel('Search in comments').fill('year');
    await page.getByLabel('Search in comments').press('Enter');
    await expect(page).toHaveURL(/\/search\?q=year&in=comments$/);
  });

  test('says that nothing was found, and tries again after a failure', async ({ page, api }) => {
    api.respond(route, { threads: [], more: false });
    await open(page, api, '/search?in=comments');
    await expect(page.getByTestId('empty')).toContainText('No comments yet.');
    await page.getByLabel('Search in comments').fill('walrus');
    await page.getByLabel('Search in comments').press('Enter');
    await expect(page.getByTestId('empty')).toHaveText('No comments match.');
    api.refuse(route, { code: 'database_unavailable' });
    await page.getByLabel('Search in comments').fill('budget');
    await page.getByLabel('Search in comments').press('Enter');
    await expect(page.getByRole('alert')).toContainText('The comments couldn’t be searched', { timeout: 30_000 });
    api.respond(route, { threads: [thread], more: false });
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(page.getByTestId('found-comments').getByRole('link')).toHaveCount(1);
    await expect(page.getByRole('alert')).toHaveCount(0);
  });

  test('fits into 360 pixels, without barriers', async ({ page, api }) => {
    const long = { title: 'x'.repeat(200), text: `${'y'.repeat(200)} `.repeat(3), quote: 'z'.repeat(300) };
    api.respond(route, { threads: [{ ...thread, ...long }, highlight], more: true });
    await page.setViewportSize({ width: 360, height: 720 });
    try {
      await open(page, api, '/search?q=budget&in=comments');
      await expect(page.getByTestId('found-comments').getByRole('link')).toHaveCount(2);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
      await expect.poll(() => barriers(page)).toEqual([]);
    } finally {
      await page.setViewportSize({ width: 1280, height: 800 });
    }
  });
});

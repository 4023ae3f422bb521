import type { Locator, Page } from '@playwright/test';
import { example, exampleItem, uuid, writtenExamples } from './ring/example.ts';
import { expect, startSession, test } from './ring/ring.ts';
import type { ScriptedApi } from './ring/scripted-api.ts';
import { storeTranscript, transcriptPath } from './transcript/stored-transcript.ts';

/** A sentence that begins in Arabic; from left to right its parts would stand in the wrong order. */
const arabic = 'هذا نص عربي. Budget مع عربي.';
const english = 'Good morning everybody';

async function open(page: Page, api: ScriptedApi, address: string): Promise<void> {
  await startSession(page, api);
  await page.goto(address);
}
function direction(text: Locator): Promise<string> {
  return text.evaluate((element) => getComputedStyle(element.closest('[dir], bdi') ?? element).direction);
}

test.describe('text has the direction of its own script', () => {
  test('in each passage of the transcript, its quotes and comments', async ({ page, api }) => {
    const quoted = exampleItem('GET /api/files/{uuid}/comments', 'threads', {
      uuid: uuid(40),
      start_time: 0,
      end_time: 4,
      quote: 'نص عربي',
      text: 'هل هذا صحيح؟',
    });
    storeTranscript([arabic, english]).serve(api);
    api.respond('GET /api/files/{uuid}/comments', { threads: [quoted] });
    await open(page, api, transcriptPath);
    const passages = page.getByTestId('segment').locator('p');
    await expect(passages).toHaveCount(2);
    expect(await direction(passages.first())).toBe('rtl');
    expect(await direction(passages.last())).toBe('ltr');
    await page.getByText('1 comment').click();
    expect(await direction(page.locator('blockquote', { hasText: 'نص عربي' }))).toBe('rtl');
    expect(await direction(page.getByText('هل هذا صحيح؟'))).toBe('rtl');
  });

  test('while it is typed into a passage', async ({ page, api }) => {
    const transcript = storeTranscript([english]);
    transcript.serve(api);
    await open(page, api, transcriptPath);
    const passage = page.getByTestId('segment').locator('p');
    await passage.click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(arabic);
    await expect.poll(() => transcript.texts()).toEqual([arabic]);
    expect(await direction(passage)).toBe('rtl');
  });

  test('in search results, behind the name of the speaker', async ({ page, api }) => {
    const hit = {
      start_time: 4,
      end_time: 8,
      speaker: 'Ada',
      snippet: arabic,
      score: 1,
      match_type: 'keyword',
    } as const;
    const result = exampleItem('GET /api/search', 'results', {
      file_uuid: uuid(4),
      title: 'Minutes',
      occurrences: [hit],
    });
    api.respond('GET /api/search', example('GET /api/search', { results: [result], total_files: 1 }));
    await open(page, api, '/search?q=budget');
    expect(await direction(page.getByText('هذا نص عربي').first())).toBe('rtl');
  });

  test('in comments that a search finds', async ({ page, api }) => {
    const thread = exampleItem('GET /api/comments', 'threads', { quote: 'نص عربي', text: 'هل هذا صحيح؟' });
    api.respond('GET /api/comments', { threads: [thread], more: false });
    await open(page, api, '/search?q=x&in=comments');
    expect(await direction(page.locator('blockquote'))).toBe('rtl');
    expect(await direction(page.getByText('هل هذا صحيح؟'))).toBe('rtl');
  });
});

const id = uuid(4);
const pages = [
  '/',
  '/bin',
  '/notifications',
  '/collections',
  `/collections/${id}`,
  '/codes',
  `/codes/${id}`,
  '/export-templates',
  `/files/${id}`,
  '/search?q=x',
  '/ask',
  '/account',
  '/prompts',
  '/groups',
  `/groups/${id}`,
  '/admin/users',
  `/admin/users/${id}`,
  '/admin/approvals',
  '/admin/audit',
  '/admin/queues',
  '/admin/retention',
  '/admin/watch-sources',
  '/admin/legal-holds',
  '/admin/word-templates',
  '/admin/language-models',
];

/** What begins in Arabic and is laid out from left to right, where its beginning is cut off. */
function laidOutWrongly(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const firstLetter = /\p{L}/u;
    const rightToLeft = /\p{Script=Arabic}/u;
    const beginsArabic = (text: string): boolean => rightToLeft.test(firstLetter.exec(text)?.[0] ?? '');
    const wrong = [...document.querySelectorAll<HTMLElement>('#root *, [role="dialog"] *')].filter((element) => {
      const own = [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE);
      if (!own.some(({ textContent }) => beginsArabic(textContent ?? '')) || !element.checkVisibility()) return false;
      let block: HTMLElement = element;
      while (getComputedStyle(block).display === 'inline' && !block.matches('[dir], bdi') && block.parentElement)
        block = block.parentElement;
      return beginsArabic(block.textContent) && getComputedStyle(block).direction !== 'rtl';
    });
    return [...new Set(wrong.map(({ outerHTML }) => outerHTML.slice(0, 200)))];
  });
}

for (const path of pages)
  test(`text that people wrote begins on its own side: ${path}`, async ({ page, api }) => {
    for (const [route, response] of writtenExamples('عربي طويل'))
      if (route !== 'GET /api/users/me') api.respond(route, response as never);
    await open(page, api, path);
    await expect(page.getByText('عربي').first()).toBeVisible();
    await page.waitForLoadState('networkidle');
    expect(await laidOutWrongly(page)).toEqual([]);
  });

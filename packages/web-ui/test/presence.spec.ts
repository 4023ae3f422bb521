import { uuid } from './ring/example.ts';
import { expect, me, push, startSession, test } from './ring/ring.ts';
import type { ScriptedApi } from './ring/scripted-api.ts';
import type { Page } from '@playwright/test';
import { storeTranscript, transcriptPath } from './transcript/stored-transcript.ts';

const file = uuid(60);
const report = 'POST /api/files/{uuid}/presence';
const grace = { uuid: uuid(31), name: 'Grace Hopper' };

test.describe('people at the same transcript', () => {
  test('are shown by name, with the passage of their caret, until they leave', async ({ page, api }) => {
    const passages = await open(page, api);
    const here = page.getByRole('img', { name: 'Also here: Grace Hopper', exact: true });
    const before = await page.locator('[data-seg="0"]').boundingBox();
    await expect(here).toHaveCount(0);
    arrive({ segment_id: passages[1] ?? null });
    await expect(here).toBeVisible();
    // The text does not move under the person who reads or types.
    expect(await page.locator('[data-seg="0"]').boundingBox()).toEqual(before);
    await expect(page.locator('[data-people]')).toHaveCount(1);
    await expect(page.locator('[data-seg="1"]')).toHaveAttribute('data-people', 'Grace Hopper');
    arrive({ segment_id: passages[2] ?? null });
    await expect(page.locator('[data-seg="2"]')).toHaveAttribute('data-people', 'Grace Hopper');
    await expect(page.locator('[data-people]')).toHaveCount(1);
    // The same person on another device counts once.
    arrive({ visit_id: uuid(42), segment_id: null });
    await expect(here).toBeVisible();
    for (const visit_id of [uuid(41), uuid(42)]) arrive({ visit_id, left: true });
    await expect(here).toHaveCount(0);
    await expect(page.locator('[data-people]')).toHaveCount(0);
  });

  test('get where the caret is, when a person comes, and when the page is left', async ({ page, api }) => {
    const passages = await open(page, api);
    await expect.poll(() => api.sent(report).length).toBeGreaterThan(0);
    await page.locator('[data-seg="1"] p').click();
    await expect.poll(() => api.sent(report).at(-1)).toMatchObject({ segment_uuid: passages[1], left: false });
    const before = api.sent(report).length;
    arrive({});
    await expect.poll(() => api.sent(report).length).toBeGreaterThan(before);
    expect(api.sent(report).at(-1)).toMatchObject({ segment_uuid: passages[1], left: false });
    // The page of an earlier test may still report that it was left.
    const own = (api.sent(report) as { visit_uuid: string; left: boolean }[]).filter(({ left }) => !left);
    const visits = new Set(own.map(({ visit_uuid: visit }) => visit));
    expect(visits.size).toBe(1);
    await page.getByRole('link', { name: 'Library' }).first().click();
    await expect.poll(() => api.sent(report).at(-1)).toMatchObject({ visit_uuid: [...visits][0], left: true });
  });

  for (const [act, leave] of Object.entries({
    'closes the page': () => dispatchEvent(new Event('pagehide')),
    'hides the page': () => {
      Object.defineProperty(document, 'hidden', { value: true });
      return document.dispatchEvent(new Event('visibilitychange'));
    },
  }))
    test(`are informed by a request that outlives the page when a person ${act}`, async ({ page, api }) => {
      await page.addInitScript(() => {
        const fetch = window.fetch.bind(window);
        const reports: { body: unknown; keepalive: boolean }[] = [];
        Object.assign(window, { reports });
        window.fetch = (address, init) => {
          const keepalive = init?.keepalive ?? false;
          if (typeof address === 'string' && address.endsWith('/presence'))
            reports.push({ body: init?.body, keepalive });
          return fetch(address, init);
        };
      });
      await open(page, api);
      await expect.poll(() => api.sent(report).length).toBeGreaterThan(0);
      await page.evaluate(leave);
      const last = (): Promise<unknown> =>
        page.evaluate(() =>
          (window as unknown as { reports: { body: string }[] }).reports.find(({ body }) =>
            body.includes('"left":true'),
          ),
        );
      await expect.poll(last).toMatchObject({ keepalive: true });
    });

  test('have initials of whole characters, the same as on the account button', async ({ page, api }) => {
    const name = 'Jo 🎧 Journalist';
    api.respond('GET /api/users/me', { ...me, full_name: name });
    await open(page, api);
    await expect(page.getByRole('button', { name: `Account of ${name}, JJ` })).toHaveText('JJ');
    arrive({ person: { uuid: uuid(32), name } });
    await expect(page.getByTestId('visitors')).toHaveText('JJ');
  });

  test('do not disturb what is being typed', async ({ page, api }) => {
    const passages = await open(page, api);
    await page.locator('[data-seg="1"] p').click();
    await page.keyboard.press('End');
    await page.keyboard.type(' one');
    arrive({ segment_id: passages[1] ?? null });
    await expect(page.locator('[data-seg="1"]')).toHaveAttribute('data-people', 'Grace Hopper');
    await page.keyboard.type(' two');
    arrive({ left: true });
    await expect(page.locator('[data-people]')).toHaveCount(0);
    await page.keyboard.type(' three');
    await expect(page.locator('[data-seg="1"] p')).toHaveText('Let us begin with the budget one two three');
  });

  test('cover nothing in 360 pixels', async ({ page, api }) => {
    await page.setViewportSize({ width: 360, height: 720 });
    const passages = await open(page, api);
    for (const [i, name] of ['A very long name of a person who reads', 'Bo', 'Cy', 'Di', 'Ed'].entries())
      arrive({ visit_id: uuid(50 + i), person: { uuid: uuid(70 + i), name }, segment_id: passages[0] ?? null });
    await expect(page.getByTestId('visitors')).toHaveText(/\+3/);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});

type Report = { visit_id: string; person: typeof grace; segment_id: string | null; left: boolean };

function arrive(fields: Partial<Report>): void {
  const data = { file_id: file, visit_id: uuid(41), person: grace, segment_id: null, left: false, ...fields };
  push({ type: 'presence', data });
}

/** @returns the ids of its passages. */
async function open(page: Page, api: ScriptedApi): Promise<readonly string[]> {
  const transcript = storeTranscript([
    'Good morning everybody',
    'Let us begin with the budget',
    'It is smaller than last year',
  ]);
  transcript.serve(api);
  await startSession(page, api);
  await page.goto(transcriptPath);
  await expect(page.getByTestId('segment')).toHaveCount(3);
  return transcript.passages().map(({ uuid: id }) => id);
}

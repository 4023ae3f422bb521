import type { CodedPassage, CodingObject } from '@overtone/contracts';
import type { Page } from '@playwright/test';
import { example, exampleItem, listOf, uuid } from './ring/example.ts';
import { expect, push, startSession, test } from './ring/ring.ts';
import type { ScriptedApi } from './ring/scripted-api.ts';
import { storeTranscript, transcriptPath } from './transcript/stored-transcript.ts';

const file = uuid(60);
const give = 'POST /api/files/{uuid}/codings';
const [above, below] = [
  exampleItem('GET /api/code-lists/{uuid}', 'codes', { uuid: uuid(51), name: 'Money', color: 'green', passages: 1 }),
  exampleItem('GET /api/code-lists/{uuid}', 'codes', {
    uuid: uuid(52),
    name: 'Savings',
    color: 'blue',
    parent_uuid: uuid(51),
    passages: 2,
  }),
];
const list = example('GET /api/code-lists/{uuid}', {
  uuid: uuid(50),
  name: 'Budget study',
  my_permission: 'owner',
  owner_name: null,
  codes: [above, below],
});

function codingOf(fields: Partial<CodingObject>): CodingObject {
  return exampleItem('GET /api/files/{uuid}/codings', 'codings', {
    uuid: uuid(70),
    code_uuid: above.uuid,
    list_uuid: list.uuid,
    name: 'Money',
    color: 'green',
    start_time: 6.6,
    end_time: 8,
    quote: 'the budget',
    author: { uuid: uuid(1), name: 'Ada Lovelace' },
    can_delete: true,
    ...fields,
  });
}

async function open(page: Page, api: ScriptedApi, codings: CodingObject[] = []): Promise<void> {
  storeTranscript(['Good morning everybody', 'Let us begin with the budget', 'It is smaller than last year']).serve(
    api,
  );
  api.respond('GET /api/code-lists', listOf([list]));
  api.respond('GET /api/files/{uuid}/codings', { codings });
  await startSession(page, api);
  await page.goto(transcriptPath);
  await expect(page.getByTestId('segment')).toHaveCount(3);
}

/** Selects the last words of the second passage. */
async function selectWords(page: Page): Promise<void> {
  await page.locator('[data-seg="1"] p').click();
  await page.keyboard.press('End');
  for (let i = 0; i < 2; i += 1) await page.keyboard.press('Control+Shift+ArrowLeft');
}

test.describe('codes', () => {
  test('are given to the selected words by keyboard, and the last one is offered again', async ({ page, api }) => {
    await open(page, api);
    await selectWords(page);
    api.respond(give, codingOf({ code_uuid: below.uuid }));
    await page.keyboard.press('Alt+g');
    const dialog = page.getByRole('dialog', { name: 'Code for 0:06' });
    await expect(dialog.locator('blockquote')).toHaveText('the budget');
    await expect(dialog.getByLabel('Code', { exact: true })).toBeFocused();
    await page.keyboard.type('sav');
    await expect(page.getByRole('option')).toHaveText(['– Savings']);
    await expect(page.locator('[data-combobox-selected]')).toHaveText('– Savings');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('option')).toHaveCount(0);
    await page.keyboard.press('Enter');
    await expect(dialog).toHaveCount(0);
    const [sent] = api.sent(give) as { code_uuid: string; start_time: number; end_time: number }[];
    expect(sent).toMatchObject({ code_uuid: below.uuid, end_time: 8 });
    expect(sent?.start_time).toBeCloseTo(4 + (4 / 6) * 4);
    await selectWords(page);
    await page.getByRole('button', { name: 'Give code' }).click();
    await expect(dialog.getByLabel('Code', { exact: true })).toHaveValue('– Savings');
  });

  test('can be searched for before their lists are loaded', async ({ page, api }) => {
    await open(page, api);
    const release = api.hold('GET /api/code-lists');
    await selectWords(page);
    await page.keyboard.press('Alt+g');
    await expect(page.getByRole('dialog').getByLabel('Code', { exact: true })).toBeFocused();
    await page.keyboard.type('sav');
    await expect(page.getByText('Loading')).toBeVisible();
    release();
    await expect(page.getByRole('option')).toHaveText(['– Savings']);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('dialog').getByLabel('Code', { exact: true })).toHaveValue('– Savings');
  });

  test('need selected words', async ({ page, api }) => {
    await open(page, api);
    await page.getByRole('button', { name: 'Give code' }).click();
    await expect(page.getByText('Select the words first.')).toBeVisible();
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });

  test('are made while a passage gets one, in a first list', async ({ page, api }) => {
    await open(page, api);
    api.respond('GET /api/code-lists', listOf([]));
    await selectWords(page);
    await page.keyboard.press('Alt+g');
    const made = exampleItem('GET /api/code-lists/{uuid}', 'codes', { uuid: uuid(55), name: 'Worry', color: 'red' });
    api.respond('POST /api/code-lists', { ...list, codes: [] });
    api.respond('POST /api/code-lists/{uuid}/codes', made);
    await page.getByRole('button', { name: 'New code' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Worry');
    api.respond('GET /api/code-lists', listOf([{ ...list, codes: [made] }]));
    await page.getByRole('button', { name: 'Add code' }).click();
    await expect(page.getByRole('dialog').getByLabel('Code', { exact: true })).toHaveValue('Worry');
    expect(api.sent('POST /api/code-lists')).toEqual([{ name: 'My codes' }]);
    api.respond(give, codingOf({}));
    await page.getByRole('dialog').getByRole('button', { name: 'Give code' }).click();
    await expect.poll(() => api.sent(give)).toMatchObject([{ code_uuid: made.uuid }]);
  });

  test('are shown under the words and in a panel, as others give and remove them', async ({ page, api }) => {
    await open(page, api, [codingOf({})]);
    await expect(page.locator('[data-code="green"]')).toHaveText(['the', 'budget']);
    await expect(page.locator('[data-code="green"]').first()).toHaveAttribute('title', 'Money');
    await page.locator('summary', { hasText: '1 passage with a code' }).click();
    const panel = page.getByTestId('codings');
    await expect(panel.getByRole('listitem')).toContainText(['Money']);
    const other = codingOf({ uuid: uuid(71), name: 'Savings', color: 'blue', start_time: 0, end_time: 2 });
    api.respond('GET /api/files/{uuid}/codings', { codings: [other, codingOf({})] });
    push({ type: 'codings_changed', seq: 2, data: { file_id: file } });
    await expect(page.locator('[data-code="blue"]').first()).toHaveText('Good');
    api.respond('GET /api/files/{uuid}/codings', { codings: [other] });
    api.respond('DELETE /api/files/{uuid}/codings/{coding_uuid}', undefined);
    await panel.getByRole('button', { name: 'Remove the code Money' }).click();
    await expect(page.locator('[data-code="green"]')).toHaveCount(0);
    await expect(panel.getByRole('listitem')).toHaveCount(1);
  });
});

test.describe('the passages of a code', () => {
  const passage = exampleItem('GET /api/code-lists/{uuid}/passages', 'items', {
    ...codingOf({}),
    file_uuid: file,
    title: 'Minutes of a meeting with a long name',
    speaker: 'Ada',
  });

  async function show(page: Page, api: ScriptedApi, items: CodedPassage[]): Promise<void> {
    api.respond('GET /api/code-lists/{uuid}', list);
    api.respond('GET /api/code-lists/{uuid}/passages', listOf(items));
    await startSession(page, api);
    await page.goto(`/codes/${list.uuid}`);
  }

  test('are listed with a link to their second, and chosen by code', async ({ page, api }) => {
    await show(page, api, [passage]);
    const passages = page.getByTestId('passages');
    await expect(passages.getByRole('listitem')).toContainText(['Ada: the budget']);
    const link = passages.getByRole('link', { name: 'Minutes of a meeting with a long name, 0:06' });
    await expect(link).toHaveAttribute('href', new RegExp(`/files/${file}\\?t=6.6$`));
    await passages.getByLabel('Code').selectOption('– Savings');
    await expect(page).toHaveURL(new RegExp(`code=${below.uuid}`));
    await page.getByTestId('codes').getByRole('link', { name: 'Money' }).click();
    await expect(passages.getByLabel('Code')).toHaveValue(above.uuid);
  });

  test('are downloaded as a table or as a project of the chosen code', async ({ page, api }) => {
    await show(page, api, [passage]);
    const passages = page.getByTestId('passages');
    await passages.getByLabel('Code').selectOption('– Savings');
    await passages.getByRole('button', { name: 'Export as REFI-QDA project' }).click();
    const requests = () => api.requests('GET /api/code-lists/{uuid}/export').map(({ query }) => [...query]);
    const of = (format: string) => [
      ['format', format],
      ['code_uuid', below.uuid],
    ];
    await expect.poll(requests).toEqual([of('qdpx')]);
    await passages.getByRole('button', { name: 'Export as CSV' }).click();
    await expect.poll(requests).toEqual([of('qdpx'), of('csv')]);
  });

  test('have a search in the codes of a longer list', async ({ page, api }) => {
    const others = Array.from({ length: 6 }, (_, i) => ({ ...above, uuid: uuid(80 + i), name: `Other ${i}` }));
    api.respond('GET /api/code-lists/{uuid}', { ...list, codes: [above, below, ...others] });
    await startSession(page, api);
    await page.goto(`/codes/${list.uuid}`);
    const codes = page.getByTestId('codes').getByRole('listitem');
    await expect(codes).toHaveCount(8);
    await page.getByLabel('Search in the codes').fill('SAV');
    await expect(codes).toContainText(['Money', 'Savings']);
    await expect(codes).toHaveCount(2);
    await page.getByLabel('Search in the codes').fill('nothing');
    await expect(page.getByText('No codes match.')).toBeVisible();
  });

  test('fit into 360 pixels, with the codes of the list', async ({ page, api }) => {
    await page.setViewportSize({ width: 360, height: 720 });
    await show(page, api, [passage, { ...passage, uuid: uuid(72), quote: 'A long quote '.repeat(30) }]);
    await expect(page.getByTestId('passages').getByRole('listitem')).toHaveCount(2);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});

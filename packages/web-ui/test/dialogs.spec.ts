import type { Locator, Page } from '@playwright/test';
import { dialogs, type DialogCase } from './dialogs.ts';
import { expect, startSession, test } from './ring/ring.ts';
import type { ScriptedApi } from './ring/scripted-api.ts';

/** The dialog whose page the tab shows, closed and without a draft: its next rule need not load the page again. */
let shown: DialogCase | undefined;

for (const row of dialogs)
  test.describe(`dialog “${row.name}”`, () => {
    test.describe.configure({ mode: 'default' });
    test.beforeEach(async ({ page, api }) => {
      row.world?.(api);
      if (shown === row) return;
      await startSession(page, api);
      await page.goto(row.path);
    });
    test.afterEach(({ page }, { status, expectedStatus }) => {
      shown = status === expectedStatus && new URL(page.url()).pathname === row.path ? row : undefined;
    });

    test('closes by Escape and by its cancel button without a request, and the focus returns', async ({
      page,
      api,
    }) => {
      for (const close of [() => page.keyboard.press('Escape'), () => cancelOf(page, row).click()]) {
        const form = await open(page, row);
        await close();
        await expect(form).toHaveCount(0);
        await expect(row.opener(page)).toBeFocused();
      }
      expect(api.sent(row.route)).toEqual([]);
    });

    test('keeps the keyboard inside, and leads it to the submit button', async ({ page }) => {
      const form = await open(page, row);
      await row.fill?.(form);
      await expectKeyboardInside(page, form, row);
      await leave(page, row);
    });

    if (row.fill && row.field) textRules(row, row.fill, row.field);

    test('shows why the request failed, and stays open', async ({ page, api }) => {
      const form = await open(page, row);
      await row.fill?.(form);
      api.refuse(row.route, { code: 'service_unavailable', detail: 'The database does not respond.' });
      await submitOf(form, row).click();
      await expect(form.getByRole('alert')).toContainText('The database does not respond.');
      await expectTextKept(form, row);
      await leave(page, row);
    });

    test('shows that the response was lost, and stays open', async ({ page, api }) => {
      const form = await open(page, row);
      await row.fill?.(form);
      api.lose(row.route);
      await submitOf(form, row).click();
      await expect(form.getByRole('alert')).toContainText('Can’t connect');
      await expectTextKept(form, row);
      await leave(page, row);
    });

    test('sends once for two presses, stays open until the response arrives, and then closes', async ({
      page,
      api,
    }) => {
      const form = await open(page, row);
      await row.fill?.(form);
      respond(api, row);
      const release = api.hold(row.route);
      await submitOf(form, row).dblclick();
      await expect.poll(() => api.sent(row.route)).toHaveLength(1);
      await expect(cancelOf(page, row)).toBeDisabled();
      await page.keyboard.press('Escape');
      await expect(form).toBeVisible();
      release();
      await expect(form).toHaveCount(0);
      expect(api.sent(row.route)).toEqual([row.sends]);
    });
  });

function textRules(
  row: DialogCase,
  fill: NonNullable<DialogCase['fill']>,
  field: NonNullable<DialogCase['field']>,
): void {
  test('asks before typed text is discarded, and is empty after it was', async ({ page }) => {
    const form = await open(page, row);
    const before = await form.getByLabel(field.label, { exact: true }).inputValue();
    await fill(form);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Keep editing' }).click();
    await expectTextKept(form, row);
    await leave(page, row);
    const again = await open(page, row);
    await expect(again.getByLabel(field.label, { exact: true })).toHaveValue(before);
    await leave(page, row);
  });

  if (row.secret !== true)
    test('shows its text again after a reload', async ({ page }) => {
      await fill(await open(page, row));
      await page.reload();
      const form = await open(page, row);
      await expectTextKept(form, row);
      await leave(page, row);
    });

  const { refusedField } = row;
  if (refusedField !== undefined)
    test('shows a refusal beside its field, and keeps the text', async ({ page, api }) => {
      const form = await open(page, row);
      await fill(form);
      api.refuse(row.route, { code: 'invalid_body', errors: [{ path: refusedField, message: 'is not accepted' }] });
      await page.keyboard.press('Enter');
      await expect(form.getByRole('alert')).toContainText('Check the marked fields.');
      await expect(form.getByLabel(field.label, { exact: true })).toHaveAccessibleDescription('is not accepted');
      await expectTextKept(form, row);
      await leave(page, row);
    });
}

async function open(page: Page, row: DialogCase): Promise<Locator> {
  await (row.open?.(page) ?? row.opener(page).click());
  const form = page.getByRole('dialog').first();
  await expect(form).toBeVisible();
  await expect(form.locator(':focus')).toHaveCount(1);
  return form;
}

/** Cancels, and discards what was typed. */
async function leave(page: Page, row: DialogCase): Promise<void> {
  await cancelOf(page, row).click();
  const discard = page.getByRole('dialog', { name: 'Discard your changes?' }).getByRole('button', { name: 'Discard' });
  const closed = row.opener(page).and(page.locator(':focus'));
  await expect(discard.or(closed)).toBeVisible();
  if (await discard.isVisible()) await discard.click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
}

async function expectTextKept(form: Locator, { field }: DialogCase): Promise<void> {
  if (field) await expect(form.getByLabel(field.label, { exact: true })).toHaveValue(field.text);
}

/** Tab visits every control once, in the order of the page, and comes back to the first one. */
async function expectKeyboardInside(page: Page, form: Locator, row: DialogCase): Promise<void> {
  const submit = submitOf(form, row);
  const focused = form.locator(':focus');
  for (let presses = 0; presses < 60; presses++) {
    if (await submit.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
    await expect(focused, 'the keyboard leaves the dialog').toHaveCount(1);
  }
  throw new Error('60 presses of Tab do not lead to the submit button');
}

function submitOf(form: Locator, { submit }: DialogCase): Locator {
  return form.getByRole('button', { name: submit, exact: true });
}

function cancelOf(page: Page, { cancel = 'Cancel' }: DialogCase): Locator {
  return page.getByRole('dialog').first().getByRole('button', { name: cancel, exact: true });
}

function respond(api: ScriptedApi, { route, response }: DialogCase): void {
  // The row is typed by its route; the list of all rows is not.
  api.respond(route, response as never);
}

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { administrationDialogs } from './dialogs/administration.ts';
import type { DialogCase, DialogRequest } from './dialogs/case.ts';
import { everydayDialogs } from './dialogs/everyday.ts';
import { expect, startSession, test } from './ring/ring.ts';

const dialogs: readonly DialogCase[] = [...everydayDialogs, ...administrationDialogs];
const fields = ':is(input:not([type=file], [type=hidden]), textarea, select):enabled';
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
      const isSamePage = page.url().endsWith(row.path);
      shown = status === expectedStatus && isSamePage ? row : undefined;
    });

    test('closes by Escape and by its button without a request, and the focus returns', async ({ page, api }) => {
      for (const close of [() => page.keyboard.press('Escape'), () => cancelOf(page, row).click()]) {
        const dialog = await open(page, row);
        await expectButtonOnPhone(page, row);
        await close();
        await expect(dialog).toHaveCount(0);
        await expect(row.opener(page)).toBeFocused();
      }
      if (row.request) expect(api.sent(row.request.route)).toEqual([]);
    });

    test('keeps the keyboard inside', async ({ page }) => {
      const dialog = await open(page, row);
      await row.fill?.(dialog);
      await expectKeyboardInside(page, dialog, row);
      await leave(page, row);
    });

    if (row.fill && row.field) textRules(row, row.fill, row.field);
    if (row.request) requestRules(row, row.request);
  });

test('every dialog of the pages is in the table', () => {
  const folder = join(import.meta.dirname, '../src');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.tsx') && !/^(ui|naming|sharing)\//.test(path))
    .filter((path) =>
      /<(Dialog|FormDialog|NameDialog|DescribedDialog|ShareDialog|Confirm|Modal)\s/.test(
        readFileSync(join(folder, path), 'utf8'),
      ),
    );
  const covered = new Set(dialogs.map(({ source }) => source));
  expect(sources.filter((path) => !covered.has(path))).toEqual([]);
});

function requestRules(row: DialogCase, request: DialogRequest): void {
  const { route, submit } = request;
  const submitOf = (dialog: Locator): Locator => dialog.getByRole('button', { name: submit, exact: true });

  test('says why its button is disabled, and nothing when it is not', async ({ page }) => {
    const dialog = await open(page, row);
    const reason = dialog.getByTestId('unready');
    const isDisabled = (await dialog.locator('[type=submit]:disabled').count()) > 0;
    await expect(reason).toHaveText(isDisabled ? /\p{L}/u : []);
    await row.fill?.(dialog);
    await expect(submitOf(dialog)).toBeEnabled();
    await expect(reason).toHaveCount(0);
    await leave(page, row);
  });

  test('shows why the request failed, and stays open', async ({ page, api }) => {
    const dialog = await open(page, row);
    await row.fill?.(dialog);
    api.refuse(route, { code: 'service_unavailable', detail: 'The database does not respond.' });
    await submitOf(dialog).click();
    await expect(dialog.getByRole('alert')).toContainText('The database does not respond.');
    await expectTextKept(dialog, row);
    await leave(page, row);
  });

  test('shows that the response was lost, and stays open', async ({ page, api }) => {
    const dialog = await open(page, row);
    await row.fill?.(dialog);
    api.lose(route);
    await submitOf(dialog).click();
    await expect(dialog.getByRole('alert')).toContainText('Can’t connect');
    await expectTextKept(dialog, row);
    await leave(page, row);
  });

  const { refusedField, fill, field } = row;
  if (refusedField !== undefined && fill && field)
    test('shows a refusal beside its field, and keeps the text', async ({ page, api }) => {
      const dialog = await open(page, row);
      await fill(dialog);
      const size = page.viewportSize();
      // A part of a long dialog.
      await page.setViewportSize({ width: 1280, height: 420 });
      api.refuse(route, { code: 'invalid_body', errors: [{ path: refusedField, message: 'is not accepted' }] });
      await submitOf(dialog).click();
      await expect(dialog.getByRole('alert')).toContainText('Check the marked fields.');
      await expect(dialog.getByLabel(field.label, { exact: true })).toHaveAccessibleDescription(/is not accepted/);
      await expect(dialog.getByLabel(field.label, { exact: true })).toBeInViewport();
      if (size) await page.setViewportSize(size);
      await expectTextKept(dialog, row);
      await leave(page, row);
    });

  // The last rule, because some pages are left after success.
  test('sends once for two presses, stays open until the response arrives, and then closes', async ({ page, api }) => {
    const dialog = await open(page, row);
    await row.fill?.(dialog);
    // The row is typed by its route; the list of all rows is not.
    api.respond(route, request.response as never);
    const release = api.hold(route);
    await submitOf(dialog).dblclick();
    await expect.poll(() => api.sent(route)).toHaveLength(1);
    await expect(cancelOf(page, row)).toBeDisabled();
    await page.keyboard.press('Escape');
    await expect(dialog).toBeVisible();
    release();
    await expect(dialog).toHaveCount(0);
    expect(api.sent(route)).toHaveLength(1);
    if (request.sends !== undefined) expect(api.sent(route)).toEqual([request.sends]);
  });
}

function textRules(
  row: DialogCase,
  fill: NonNullable<DialogCase['fill']>,
  field: NonNullable<DialogCase['field']>,
): void {
  test('asks before typed text is discarded, and is as before when it was', async ({ page }) => {
    const dialog = await open(page, row);
    const before = await dialog.getByLabel(field.label, { exact: true }).inputValue();
    await fill(dialog);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Keep editing' }).click();
    await expectTextKept(dialog, row);
    await leave(page, row);
    const again = await open(page, row);
    await expect(again.getByLabel(field.label, { exact: true })).toHaveValue(before);
    await leave(page, row);
  });

  if (row.isStored !== false)
    test('shows its text again after a reload', async ({ page }) => {
      await fill(await open(page, row));
      await page.reload();
      const dialog = await open(page, row);
      await expectTextKept(dialog, row);
      await leave(page, row);
    });
}

async function open(page: Page, row: DialogCase): Promise<Locator> {
  await (row.open?.(page) ?? row.opener(page).click());
  const dialog = page.getByRole('dialog').first();
  await expect(dialog).toBeVisible();
  await expect(dialog.locator(':focus')).toHaveCount(1);
  // Who opens a form can type at once, or when its field has appeared: a space on the button that closes it would ask to
  // discard the text.
  const hasField = (await dialog.locator(fields).count()) > 0;
  if (row.field ?? hasField) await expect(dialog.locator(':focus')).not.toHaveAccessibleName('Close');
  return dialog;
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

async function expectTextKept(dialog: Locator, { field }: DialogCase): Promise<void> {
  if (field) await expect(dialog.getByLabel(field.label, { exact: true })).toHaveValue(field.text);
}

/** Tab leads through the dialog and back to where it began, and reaches its last button. */
async function expectKeyboardInside(page: Page, dialog: Locator, row: DialogCase): Promise<void> {
  const last = row.request
    ? dialog.getByRole('button', { name: row.request.submit, exact: true })
    : cancelOf(page, row);
  for (let presses = 0; presses < 60; presses++) {
    if (await last.evaluate((element) => element === document.activeElement)) break;
    await page.keyboard.press('Tab');
    await expect(dialog.locator(':focus'), 'the keyboard leaves the dialog').toHaveCount(1);
  }
  await expect(last).toBeFocused();
}

async function expectButtonOnPhone(page: Page, row: DialogCase): Promise<void> {
  const size = page.viewportSize();
  await page.setViewportSize({ width: 360, height: 740 });
  await expect(cancelOf(page, row)).toBeVisible();
  if (size) await page.setViewportSize(size);
}

function cancelOf(page: Page, { cancel, request }: DialogCase): Locator {
  const name = cancel ?? (request ? 'Cancel' : 'Close');
  return page.getByRole('dialog').first().getByRole('button', { name, exact: true });
}

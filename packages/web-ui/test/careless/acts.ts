import { expect, type Page } from '@playwright/test';
import type { ScriptedApi } from '../ring/scripted-api.ts';
import type { Place } from './places.ts';

type Person = { readonly page: Page; readonly api: ScriptedApi };

/** Something a careless person does with unsaved text on the screen. */
type Act = {
  readonly name: string;
  readonly run: (person: Person, place: Place) => Promise<void>;
  /** The page must be left or ask; with any other act it may do neither. */
  readonly leaves?: boolean;
  readonly suits?: (place: Place) => boolean;
};

const acts: readonly Act[] = [
  {
    name: 'scrolls away and back',
    suits: isInPage,
    run: async ({ page }) => {
      await page.mouse.move(400, 400);
      await page.mouse.wheel(0, 30_000);
      await page.mouse.wheel(0, -30_000);
    },
  },
  // Beside a dialog this is its overlay.
  { name: 'clicks elsewhere', run: ({ page }) => page.mouse.click(5, 400) },
  { name: 'presses Esc', run: ({ page }) => page.keyboard.press('Escape') },
  {
    name: 'follows a link',
    leaves: true,
    suits: (place) => isInPage(place) && hasSession(place),
    run: ({ page }) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Search' }).click(),
  },
  { name: 'goes back', leaves: true, run: ({ page }) => page.evaluate(() => history.back()) },
  { name: 'reloads', run: async ({ page }) => void (await page.reload()), suits: (place) => place.secret !== true },
  {
    name: 'saves without a network',
    suits: (place) => place.save !== undefined,
    run: async ({ page }, place) => {
      await page.context().setOffline(true);
      try {
        await place.save?.(page);
        await page
          .getByText(/Can’t connect/)
          .first()
          .waitFor();
      } finally {
        await page.context().setOffline(false);
      }
    },
  },
  {
    name: 'saves after the session ended',
    suits: (place) => place.secret !== true && hasSession(place),
    run: async ({ page, api }, place) => {
      api.endSession();
      await (place.save?.(page) ?? page.reload());
      await page.getByLabel('User name or e-mail address').fill('ada@example.org');
      await page.getByLabel('Password', { exact: true }).fill('Silver-Lantern-73');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.locator('#main').waitFor();
    },
  },
];

/** A number of acts for a place. Each place begins with a different act, so that a small number covers all of them. */
export function actsFor(place: Place, at: number, count: number): Act[] {
  const suited = acts.filter(({ suits }) => suits?.(place) ?? true);
  return Array.from({ length: Math.min(count, suited.length) }, (_, i) => suited[(at + i) % suited.length] as Act);
}

/** Types into a place, does the act, and finds the text again or was asked before it was lost. */
export async function actCarelessly({ page, api }: Person, place: Place, act: Act): Promise<void> {
  // A page that is none of the places: going back from the place leads to it.
  await page.goto('/bin');
  await page.locator('#main').waitFor();
  await moveTo(page, place.path);
  await open(page, place);
  await (place.choose?.(page) ?? place.field(page).fill(place.text));
  await act.run({ page, api }, place);
  if (await stay(page, place, act)) return expectTyped(page, place, 'after the question');
  if (new URL(page.url()).pathname !== place.path) await moveTo(page, place.path);
  await open(page, place);
  await expectTyped(page, place, 'without a question');
}

function isInPage(place: Place): boolean {
  return place.dialog !== true;
}

function hasSession(place: Place): boolean {
  return place.signedOut !== true;
}

/**
 * Moves to another page of the product without loading it, as a link does. The router counts its history entries; for
 * one without a number it cannot return to the page when the person stays.
 */
async function moveTo(page: Page, path: string): Promise<void> {
  await page.locator('main').waitFor();
  await page.evaluate((to) => {
    const { __TSR_index: index = 0 } = (history.state ?? {}) as { __TSR_index?: number };
    history.pushState({ __TSR_index: index + 1 }, '', to);
  }, path);
}

async function open(page: Page, place: Place): Promise<void> {
  await page.locator('main h1, main form').first().waitFor();
  const field = place.field(page);
  await expect(async () => {
    // A draft opens some places, whose dialog then covers the button.
    if (!(await field.isVisible())) await place.open(page);
    await field.waitFor({ timeout: 5_000 });
  }, `the field of ${place.name} is shown`).toPass();
}

/** @returns true when the page asked; the answer is to stay. */
async function stay(page: Page, place: Place, act: Act): Promise<boolean> {
  const button = page.getByRole('button', { name: /^(Stay|Keep editing)$/ });
  // Not by the address: it changes before the question is answered.
  if (act.leaves === true)
    await expect
      .poll(
        async () => (await button.isVisible()) || !(await place.field(page).isVisible()),
        'the page is left, or asks',
      )
      .toBe(true);
  // Otherwise a question comes in the same turn as the act.
  else await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  if (!(await button.isVisible())) return false;
  await button.click();
  await button.waitFor({ state: 'detached' });
  return true;
}

async function expectTyped(page: Page, place: Place, when: string): Promise<void> {
  await expect(place.field(page), `${place.name}: the text is lost ${when}`).toHaveValue(place.text);
}

import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import type { Place } from './careless-places.ts';
import { releaseCorrections } from './passages.ts';
import { until } from './until.ts';

export type Person = {
  readonly page: Page;
  /** Ends the session on the server, as after a long absence. */
  readonly endSession: () => Promise<void>;
  /** Signs in on the page that asks for it. */
  readonly signInAgain: () => Promise<void>;
};

/** Something a careless person does with unsaved text on the screen. */
export type Act = {
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
  {
    name: 'clicks elsewhere',
    // Beside the dialog this is its overlay.
    run: ({ page }) => page.mouse.click(5, 400),
  },
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
          .getByText(/Can’t connect|Offline: kept here/)
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
    run: async ({ page, endSession, signInAgain }, place) => {
      const form = page.getByLabel('Password', { exact: true });
      await endSession();
      try {
        await place.save?.(page);
      } catch (error) {
        // The push channel may show the sign-in form before the button is pressed.
        if (!(await form.isVisible())) throw error;
      }
      // A form that was not sent is closed by the push channel; a reload is at least as quick.
      await form.waitFor({ timeout: 2_000 }).catch(() => page.reload());
      await signInAgain();
    },
  },
];

/** A number of acts for a place. Each place begins with a different act, so that a small number covers all of them. */
export function actsFor(place: Place, at: number, count: number): Act[] {
  const suited = acts.filter(({ suits }) => suits?.(place) ?? true);
  return Array.from({ length: Math.min(count, suited.length) }, (_, i) => suited[(at + i) % suited.length] as Act);
}

/** Types into a place, does the act, and finds the text again or was asked before it was lost. */
export async function actCarelessly(person: Person, place: Place, act: Act): Promise<void> {
  const { page } = person;
  // A page that is none of the places: going back from the place leads to it.
  await page.goto('/bin');
  // After an act that failed without a session.
  const form = page.getByLabel('Password', { exact: true });
  await page.locator('#main').or(form).first().waitFor();
  if (!(await page.locator('#main').isVisible())) await person.signInAgain();
  await moveTo(page, place.path);
  await open(page, place);
  await (place.choose?.(page) ?? place.field(page).fill(place.text));
  await act.run(person, place);
  if (await answerQuestion(page, place, act)) return assertTyped(page, place, 'after the question');
  if (new URL(page.url()).pathname !== place.path) await moveTo(page, place.path);
  await open(page, place);
  await assertTyped(page, place, 'without a question');
}

/** Removes what the act left; the next one loads the page again. */
export async function forgetDrafts(page: Page): Promise<void> {
  await releaseCorrections(page);
  await page.evaluate(() => {
    for (const storage of [localStorage, sessionStorage])
      for (const key of Object.keys(storage)) if (key.startsWith('overtone-draft:')) storage.removeItem(key);
  });
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
  await until(
    `the field of ${place.name} is shown`,
    async () => {
      if (await field.isVisible()) return true;
      // A draft opens some places after a moment.
      await page.waitForTimeout(150);
      if (await field.isVisible()) return true;
      // A dialog that a draft has opened covers the button.
      page.setDefaultTimeout(5_000);
      await place.open(page).catch(() => undefined);
      page.setDefaultTimeout(60_000);
      // The code of a dialog is loaded on demand.
      await field.waitFor({ timeout: 3_000 }).catch(() => undefined);
      return field.isVisible();
    },
    60_000,
  );
}

/** @returns true when the page asked; the answer is to stay. */
async function answerQuestion(page: Page, place: Place, act: Act): Promise<boolean> {
  const stay = page.getByRole('button', { name: /^(Stay|Keep editing)$/ });
  // Not by the address: it changes before the question is answered.
  const hasLeft = async (): Promise<boolean> => !(await place.field(page).isVisible());
  if (act.leaves === true)
    await until('the page is left, or asks', async () => (await stay.isVisible()) || hasLeft(), 60_000);
  else await page.waitForTimeout(200);
  if (!(await stay.isVisible())) return false;
  await stay.click();
  await stay.waitFor({ state: 'detached' });
  return true;
}

async function assertTyped(page: Page, place: Place, when: string): Promise<void> {
  const typed = await (place.typed ? place.typed(page) : place.field(page).inputValue());
  assert.equal(typed, place.text, `${place.name}: the text is lost ${when}`);
}

import type { Locator, Page } from '@playwright/test';

/** Puts the caret to the end of a passage, or selects its text. */
export async function enterPassage(passage: Locator, where: 'end' | 'all' = 'end'): Promise<void> {
  await passage.locator('p').evaluate((text, place) => {
    text.closest<HTMLElement>('[role="textbox"]')?.focus();
    const selection = getSelection();
    selection?.selectAllChildren(text);
    if (place === 'end') selection?.collapseToEnd();
    // The editor reads the selection when the browser reports it.
    return new Promise((done) => setTimeout(done));
  }, where);
}

/** Types at the end of a passage and waits until it is saved. */
export async function correctPassage(page: Page, passage: Locator, text: string): Promise<void> {
  await enterPassage(passage);
  await page.keyboard.type(text);
  await passage.getByText(text.trim()).waitFor();
  await saved(page);
}

const corrections = /\/transcript\/operations$/;

/** Keeps corrections from reaching the server, so that only the browser has them. */
export async function holdCorrections(page: Page): Promise<void> {
  await page.route(corrections, (route) => route.abort('internetdisconnected'));
}

export function releaseCorrections(page: Page): Promise<void> {
  return page.unroute(corrections);
}

export function saved(page: Page): Promise<void> {
  return page.locator('[data-testid="save-state"][data-status="saved"]').waitFor();
}

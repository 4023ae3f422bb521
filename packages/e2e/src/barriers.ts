import axe from 'axe-core';
import type { Page } from 'playwright-core';

type Scheme = 'light' | 'dark';

const inScheme = async (page: Page, scheme: Scheme): Promise<string[]> => {
  // Nothing moves or fades meanwhile: what is half there has half its colour.
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor();
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run(document, { resultTypes: ['violations'] }),
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${scheme}, ${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`),
  );
};

const tries = 5;

/**
 * What on the page keeps somebody out: no name for a screen reader, too little contrast, not reached by keyboard. What
 * is there only while the page is still being filled is no barrier: the last of several looks counts.
 */
export const barriers = async (page: Page): Promise<string[]> => {
  let found: string[] = [];
  for (let n = 0; n < tries; n++) {
    found = [...(await inScheme(page, 'dark')), ...(await inScheme(page, 'light'))];
    if (found.length === 0) break;
    await page.waitForTimeout(1_000);
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  return found;
};

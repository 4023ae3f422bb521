import axe from 'axe-core';
import type { Page } from '@playwright/test';

/** Accessibility violations of what the page shows: missing names, low contrast, no keyboard access. */
export async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(
    (options) => (globalThis as unknown as { axe: typeof axe }).axe.run(document, options),
    { resultTypes: ['violations'] } satisfies axe.RunOptions,
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

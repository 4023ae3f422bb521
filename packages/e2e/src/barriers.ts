import axe from 'axe-core';
import { test, type Page } from '@playwright/test';

type Scheme = 'light' | 'dark';

const maxAttempts = 5;
/** The schemes differ in colours only. */
const contrastOnly: axe.RunOptions = { runOnly: ['color-contrast'] };

/** The widths in which pages are checked. */
export const widths = [1280, 360] as const;

/** Those of states that other checks reach on their way: the landing tier takes no time for their appearance. */
export function widthsInPassing(): readonly (typeof widths)[number][] {
  return isLandingTier() ? [1280] : widths;
}

function isLandingTier(): boolean {
  return test.info().project.name === 'landing';
}

/** Each width is checked in one colour scheme, because colours do not depend on the width. */
export function schemesAt(width: (typeof widths)[number]): readonly Scheme[] {
  return width === 360 ? ['light'] : ['dark'];
}

/**
 * Accessibility violations of the page: missing names for screen readers, low contrast, no keyboard access. Every rule is
 * checked in the first scheme, the contrast in each. The check is repeated, because a page that is still loading can
 * have temporary violations. The landing tier skips it.
 */
export async function barriers(page: Page, schemes: readonly Scheme[] = ['dark', 'light']): Promise<string[]> {
  if (isLandingTier()) return [];
  let found: string[] = [];
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    found = [];
    for (const [i, scheme] of schemes.entries())
      found.push(...(await inScheme(page, scheme, i === 0 ? {} : contrastOnly)));
    if (found.length === 0) break;
    await page.waitForTimeout(1_000);
  }
  await page.emulateMedia({ colorScheme: null });
  return found;
}

async function inScheme(page: Page, scheme: Scheme, rules: axe.RunOptions): Promise<string[]> {
  // Without animations: an element that fades in has reduced contrast.
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor();
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate(
    (options) => (globalThis as unknown as { axe: typeof axe }).axe.run(document, options),
    { resultTypes: ['violations'], ...rules } satisfies axe.RunOptions,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${scheme}, ${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`),
  );
}

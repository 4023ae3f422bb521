import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { chromium, type Browser, type Page } from '@playwright/test';
import { chromiumPath, quietArguments } from '@overtone/testkit/chromium';
import { admin } from './instance.ts';

/** A real Chromium whose network access is limited to the product. */
export function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath(), args: [...quietArguments, ...more] });
}

/** A page that records console errors, exceptions and policy violations. */
export type Watched = { page: Page; faults: string[]; snap: (name: string) => Promise<string> };

export async function openPage(
  browser: Browser,
  baseUrl: string,
  folder: string,
  size = { width: 1280, height: 800 },
): Promise<Watched> {
  const context = await browser.newContext({
    baseURL: baseUrl,
    viewport: size,
    acceptDownloads: true,
    locale: 'en-GB',
    // Animations cost most of the processor time of a page without a graphics card.
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const faults: string[] = [];
  page.on('console', (message) => {
    // What the browser logs of responses that pages expect: no session, a failed sign-in, a file without a run.
    const expected =
      (message.text().includes('401') && /\/api\/(users\/me|auth\/token)/.test(message.location().url)) ||
      (message.text().includes('404') && message.location().url.includes('/api/tasks/files/'));
    if (message.type() === 'error' && !expected) faults.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => faults.push(error.stack ?? error.message));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) =>
      console.error(`policy violation: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`),
    );
  });
  const snap = async (name: string): Promise<string> => {
    const path = join(folder, `${name}.png`);
    await page.screenshot({ path });
    return path;
  };
  return { page, faults, snap };
}

/** Drops a file on the page with the events of a user: enter, over, drop. */
export async function dropFile(page: Page, path: string, type: string): Promise<void> {
  const content = (await readFile(path)).toString('base64');
  await page.evaluate(
    ({ content, name, type }) => {
      const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([bytes], name, { type }));
      for (const event of ['dragenter', 'dragover', 'drop']) {
        document.body.dispatchEvent(new DragEvent(event, { dataTransfer, bubbles: true, cancelable: true }));
      }
    },
    { content, name: basename(path), type },
  );
}

/** Whether the content fits into the width of the window. */
export function fitsWidth(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
}

/** Opens the product and signs in on the sign-in page. */
export async function signInByHand(page: Page): Promise<void> {
  await page.goto('/');
  await page.getByLabel('User name or e-mail address').fill(admin.email);
  await page.getByLabel('Password', { exact: true }).fill(admin.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Library' }).waitFor();
}

/** Presses Save, and waits until nothing is left to save: the button is disabled while it saves, too. */
export async function saveForm(page: Page): Promise<void> {
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await save.click();
  await page.locator('button:disabled:not([data-loading])', { hasText: /^Save$/ }).waitFor();
}

/** Holds back the PUT requests to `url`. @returns sends them, and holds back no more */
export async function holdSaves(page: Page, url: string): Promise<() => void> {
  const released = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    if (route.request().method() === 'PUT') await released.promise;
    await route.continue();
  });
  return released.resolve;
}

/** Answers requests of the page with 503, as while a service is down, until `page.unroute`. */
export async function refuseRequests(page: Page, url: string): Promise<void> {
  const problem = { type: 'about:blank', title: 'Unavailable', status: 503, code: 'service_unavailable' };
  await page.route(url, (route) =>
    route.fulfill({ status: 503, contentType: 'application/problem+json', body: JSON.stringify(problem) }),
  );
}

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { barriers, schemesAt, widths } from './barriers.ts';
import { fitsWidth, launchBrowser } from './browser.ts';
import type { ScriptedContext } from './context.ts';
import { openHands, watchedStep, type Hands } from './hands.ts';
import { admin, overtone, type Instance } from './instance.ts';
import { forNightly, type Check, type Suite } from './suite.ts';
import { jobLimitMs, until } from './until.ts';

/** The models on the page Engines: imported by command, copied by hand, verified and removed on the page. */
export function modelsInTheBrowser({ scripted, screenshots }: ScriptedContext): Suite {
  let browser: Browser;
  let boss: Hands;
  let page: Page;
  let instance: Instance;
  let source: string;
  const step = watchedStep(() => [boss]);
  const nightly = forNightly(step);
  const row = (name: string) => page.locator(`[data-testid="installed-models"] tr[data-model="${name}"]`);
  const models = (...args: string[]) => overtone(['models', ...args, '--data', instance.data]);

  const checks: Check[] = [
    {
      rule: 'Chromium starts and the administrator signs in',
      run: async () => {
        ({ instance } = await scripted.get());
        source = await mkdtemp(join(tmpdir(), 'overtone-e2e-model-'));
        await writeFile(join(source, 'silero_vad.onnx'), Buffer.alloc(50_000, 'model'));
        browser = await launchBrowser();
        boss = await openHands(browser, instance.baseUrl, screenshots);
        page = boss.page;
        await boss.signIn(admin.email, admin.password, 'Library');
      },
    },
    step('without models the page says what suits the machine, and lists the catalogue', async () => {
      await page.goto('/admin');
      await page.getByText('No models are installed. PocketSphinx transcribes English.').waitFor();
      await page.getByText(/Models that suit the machine of the worker: /).waitFor();
      const entry = page.locator('[data-testid="catalogue-models"] tr[data-model="silero-vad-v6"]');
      await entry.getByText('MIT').waitFor();
      await entry.getByRole('button', { name: /^Download / }).waitFor();
    }),
    step('an imported model is listed as verified, and one that was copied by hand as not used', async () => {
      const imported = await models('import', source, '--name', 'imported-vad');
      assert.equal(imported.code, 0, imported.output);
      const folder = join(instance.data, 'models', 'vad', 'copied-vad');
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'silero_vad.onnx'), Buffer.alloc(50_000, 'model'));
      await page.reload();
      await row('imported-vad').getByText('Verified, imported').waitFor();
      await row('copied-vad')
        .getByText(/^Not used: not verified/)
        .waitFor();
    }),
    step('a model that was copied by hand is used after its verification on the page', async () => {
      await row('copied-vad').getByRole('button', { name: 'Verify' }).click();
      await row('copied-vad').getByText('Verified, imported').waitFor({ timeout: jobLimitMs });
    }),
    step('a model that was changed is shown with the reason, and so does the command', async () => {
      await writeFile(join(instance.data, 'models', 'vad', 'copied-vad', 'silero_vad.onnx'), 'changed');
      await page.reload();
      await row('copied-vad')
        .getByText(/^Not used: .* has 7 bytes, not 50000/)
        .waitFor();
      const verified = await models('verify', 'copied-vad');
      assert.equal(verified.code, 1);
      assert.match(verified.output, /7 bytes, not 50000/);
    }),
    nightly('the page has no accessibility violations in both color schemes and fits into 360 pixels', async () => {
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        await page.goto('/admin');
        await row('copied-vad').waitFor();
        assert.deepEqual(await barriers(page, schemesAt(width)), [], 'the page has accessibility violations');
        await until(`the page fits into ${width} pixels`, () => fitsWidth(page));
        await page.screenshot({ path: join(screenshots, `models-${width}.png`), fullPage: true });
      }
      await page.setViewportSize({ width: 1280, height: 800 });
    }),
    step('a model is removed after a question', async () => {
      for (const name of ['copied-vad', 'imported-vad']) {
        await row(name).getByRole('button', { name: 'Remove' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
        await row(name).waitFor({ state: 'detached' });
      }
      await page.getByText('No models are installed. PocketSphinx transcribes English.').waitFor();
    }),
  ];

  return {
    name: 'Speech models in Chromium',
    checks,
    close: async () => {
      await browser?.close();
      if (source) await rm(source, { recursive: true, force: true });
    },
  };
}

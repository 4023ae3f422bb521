import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Browser, Page } from '@playwright/test';
import { dropFile, fitsWidth, launchBrowser, openPage, signInByHand, type Watched } from './browser.ts';
import type { Context } from './context.ts';
import { spokenAt } from './recordings.ts';
import { forNightly, type Check, type Suite } from './suite.ts';
import { jobLimitMs, until } from './until.ts';
import { correctPassage, enterPassage, saved } from './passages.ts';

function position(page: Page): Promise<number> {
  return page.getByTestId('media').evaluate((media: HTMLMediaElement) => media.currentTime);
}

function word(page: Page, pattern: RegExp) {
  return page.locator('[data-w]').filter({ hasText: pattern }).first();
}

/** Records in the page every status that a card of this title shows; polling could miss a short stage. */
function recordStatuses(page: Page, title: string): Promise<void> {
  return page.evaluate((of) => {
    const seen = new Set<string>();
    const record = (): void => {
      const cards = [...document.querySelectorAll('[data-testid="file-card"]')];
      const status = cards.find((card) => card.textContent.includes(of))?.querySelector('[data-testid="file-status"]');
      const text = (status as HTMLElement | null | undefined)?.innerText.split('\n')[0];
      if (text) seen.add(text);
      document.body.dataset['seen'] = [...seen].join('|');
    };
    new MutationObserver(record).observe(document.body, { subtree: true, childList: true, characterData: true });
  }, title);
}

export function inTheBrowser({ instance, recordings, screenshots }: Context): Suite {
  let browser: Browser;
  let watched: Watched;
  let page: Page;
  let fileUrl = '';
  const step = (rule: string, run: () => Promise<void>, limitMs = 300_000): Check => ({
    rule,
    run: async () => {
      try {
        await run();
        assert.deepEqual(watched.faults, [], 'the browser reports errors');
      } catch (error) {
        const path = await watched.snap(`failed-${rule.replaceAll(/\W+/g, '-').slice(0, 60)}`).catch(() => 'none');
        throw new Error(`${String(error)} (screenshot: ${path})`, { cause: error });
      } finally {
        watched.faults.length = 0;
      }
    },
    limitMs,
  });
  const nightly = forNightly(step);

  const opening: Check[] = [
    {
      rule: 'Chromium starts',
      run: async () => {
        browser = await launchBrowser();
        watched = await openPage(browser, instance.baseUrl, screenshots);
        page = watched.page;
      },
    },
    step('a wrong password is rejected with a message that reveals nothing', async () => {
      await page.goto('/');
      await page.getByLabel('User name or e-mail address').fill('unknown@example.org');
      await page.getByLabel('Password', { exact: true }).fill('wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').waitFor();
    }),
    step('a user signs in', () => signInByHand(page)),
    step(
      "a recording dropped on the page goes through its stages before one's eyes",
      async () => {
        await recordStatuses(page, 'Quarterly meeting');
        await dropFile(page, recordings.mp3, 'audio/mpeg');
        await page.getByRole('button', { name: 'Upload and transcribe' }).click();
        const card = page.getByTestId('file-card').filter({ hasText: 'Quarterly meeting' }).first();
        await card.waitFor();
        const isCompleted = async () => (await card.getAttribute('data-status')) === 'completed';
        await until('the card says completed', isCompleted, 600_000);
        const seen = await page.evaluate(() => document.body.dataset['seen']?.split('|') ?? []);
        assert.ok(seen.length >= 3, `only saw ${seen.join(' | ')}`);
        await watched.snap('library');
      },
      620_000,
    ),
    step('the opened file shows two speakers and their words', async () => {
      await page.getByRole('link', { name: 'Quarterly meeting' }).first().click();
      await page.getByTestId('transcript').waitFor();
      fileUrl = page.url();
      await until('two speakers', async () => (await page.getByTestId('speaker').count()) === 2);
      await word(page, /^good/i).waitFor();
    }),
  ];

  const reading: Check[] = [
    step('a click on a word plays the recording from there and highlights the spoken words', async () => {
      const expected = spokenAt(recordings.meeting, 'windows');
      // At low speed, so that the recording does not end before a busy machine has checked.
      await page.getByTestId('media').evaluate((media: HTMLMediaElement) => (media.playbackRate = 0.1));
      const sought = page.getByTestId('media').evaluate(
        (media: HTMLMediaElement) =>
          new Promise<number>((done) => {
            media.addEventListener('seeking', () => done(media.currentTime), { once: true });
          }),
      );
      await word(page, /^windows/i).click();
      const at = await sought;
      assert.ok(Math.abs(at - expected) < 3, `plays at ${at} s instead of ${expected} s`);
      await until('the recording plays', async () => (await position(page)) > expected + 0.4);
      const first = await page.locator('[data-now]').innerText();
      await until('the highlight moves', async () => (await page.locator('[data-now]').innerText()) !== first);
      await page.getByRole('button', { name: 'Pause' }).click();
      const isPaused = () => page.getByTestId('media').evaluate((media: HTMLMediaElement) => media.paused);
      await until('pause stops it', isPaused);
      await page.getByTestId('media').evaluate((media: HTMLMediaElement) => (media.playbackRate = 1));
    }),
    step('keyboard shortcuts play, pause and jump', async () => {
      await page.locator('#main').focus();
      await page.keyboard.press('Home');
      const from = await position(page);
      await page.keyboard.press('j');
      await until('ten seconds back', async () => (await position(page)) < from - 5);
      await page.keyboard.press('k');
      await page.getByRole('button', { name: 'Pause' }).waitFor();
      await page.keyboard.press('k');
      await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog').getByText('Play or pause', { exact: true }).waitFor();
      await page.keyboard.press('Escape');
    }),
    step('a speaker name is shown at every passage', async () => {
      await page
        .getByTestId('speaker')
        .first()
        .getByRole('button', { name: /^Rename/ })
        .click();
      await page.getByRole('textbox', { name: /^Name of/ }).fill('Ada Lovelace');
      await page.keyboard.press('Enter');
      await page.getByTestId('segment-speaker').filter({ hasText: 'Ada Lovelace' }).first().waitFor();
      await page.reload();
      await page.getByTestId('segment-speaker').filter({ hasText: 'Ada Lovelace' }).first().waitFor();
    }),
    step('an edited passage is saved automatically', async () => {
      await correctPassage(page, page.getByTestId('segment').first(), ' Remarkably corrected.');
      await page.reload();
      await page.getByTestId('segment').first().getByText('Remarkably').waitFor();
    }),
    step('edits are undone one after the other, also after a reload', async () => {
      const passage = page.getByTestId('segment').first();
      for (const added of [' Firstly.', ' Secondly.']) await correctPassage(page, passage, added);
      await page.getByRole('button', { name: 'Undo your last correction' }).click();
      await passage.getByText('Secondly.').waitFor({ state: 'detached' });
      await passage.getByText('Firstly.').waitFor();
      await page.reload();
      await passage.getByText('Firstly.').waitFor();
      await page.getByRole('button', { name: 'Undo your last correction' }).click();
      await passage.getByText('Firstly.').waitFor({ state: 'detached' });
      await passage.getByText('Remarkably').waitFor();
    }),
    step('a passage is split, given to another speaker and merged by keys alone', async () => {
      const passages = page.getByTestId('segment');
      const [count, text] = [await passages.count(), await passages.first().locator('p').innerText()];
      await enterPassage(passages.first());
      // Over the full stop, to the start of the last word.
      for (let presses = 0; presses < 2; presses += 1) await page.keyboard.press('Control+ArrowLeft');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Alt+2');
      await saved(page);
      assert.equal(await passages.count(), count + 1);
      const names = await Promise.all([0, 1].map((at) => passages.nth(at).getAttribute('aria-label')));
      assert.notEqual(names[0]?.split(',')[0], names[1]?.split(',')[0]);
      await page.keyboard.press('Home');
      await page.keyboard.press('Backspace');
      await saved(page);
      assert.equal(await passages.count(), count);
      assert.equal(await passages.first().locator('p').innerText(), text);
    }),
    step('a split and a merge are undone and redone by keys after a reload', async () => {
      const passages = page.getByTestId('segment');
      const textOf = async (): Promise<string> =>
        (await passages.first().locator('[data-w]').allInnerTexts()).join(' ');
      const text = await textOf();
      const [first = ''] = text.split(' ');
      await enterPassage(passages.first());
      await page.keyboard.press('Control+Home');
      await page.keyboard.press('Control+ArrowRight');
      await page.keyboard.press('Enter');
      await saved(page);
      assert.equal(await textOf(), first);
      await page.keyboard.press('Backspace');
      await saved(page);
      assert.equal(await textOf(), text);
      await page.reload();
      await until('the passage is whole', async () => (await textOf()) === text);
      await saved(page);
      for (const [key, shown] of [
        ['Control+z', first],
        ['Control+z', text],
        ['Control+Shift+z', first],
        ['Control+Shift+z', text],
      ] as const) {
        await page.keyboard.press(key);
        await until(`${key} shows “${shown}”`, async () => (await textOf()) === shown);
      }
    }),
    step('selected words get another speaker by a key, and a passage starts later by a key', async () => {
      const passages = page.getByTestId('segment');
      const textOf = async (): Promise<string> =>
        (await passages.first().locator('[data-w]').allInnerTexts()).join(' ');
      const nameOf = async (): Promise<string> =>
        (await passages.first().getAttribute('aria-label'))?.split(',')[0] ?? '';
      const text = await textOf();
      const name = await nameOf();
      await enterPassage(passages.first());
      await page.keyboard.press('Control+Home');
      await page.keyboard.press('Control+Shift+ArrowRight');
      await page.keyboard.press('Alt+1');
      await saved(page);
      const wasFirst = (await nameOf()) === name;
      if (wasFirst) await page.keyboard.press('Alt+2');
      await saved(page);
      assert.equal(await textOf(), text.split(' ')[0]);
      assert.notEqual(await nameOf(), name);
      const undo = page.getByRole('button', { name: 'Undo your last correction' });
      if (wasFirst) {
        await undo.click();
        await until('it has the speaker before', async () => (await nameOf()) === name);
      }
      await undo.click();
      await until('the passage is whole', async () => (await textOf()) === text);
      await enterPassage(passages.first());
      const moved = page.waitForResponse(/\/transcript\/operations$/);
      await page.keyboard.press('Alt+ArrowDown');
      const { segments } = (await (await moved).json()) as { segments: { start_time: number }[] };
      assert.ok((segments[0]?.start_time ?? 0) > 0);
      await saved(page);
      await page.keyboard.press('Control+z');
      await saved(page);
    }),
    step('a tag is added to the file', async () => {
      await page.getByRole('button', { name: 'Add tag' }).click();
      await page
        .getByRole('combobox', { name: 'New tag' })
        .or(page.getByRole('textbox', { name: 'New tag' }))
        .fill('planning');
      await page.keyboard.press('Enter');
      await page.getByTestId('tags').getByText('planning').waitFor();
    }),
    step('the transcript is saved as subtitles', async () => {
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByLabel('Format').selectOption('Subtitles, SRT');
      await page.getByTestId('preview').getByText('-->').waitFor();
      const coming = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download' }).click();
      const text = await readFile(await (await coming).path(), 'utf8');
      assert.match(text, /-->/);
      assert.match(text, /Ada Lovelace/);
    }),
  ];

  const finding: Check[] = [
    step('a keyword search opens the recording at the spoken word', async () => {
      await page.getByRole('link', { name: 'Search' }).click();
      // The previous page has a search box, too.
      await page.getByRole('heading', { name: 'Search', level: 1 }).waitFor();
      await page.getByRole('combobox').first().fill('windows');
      await page.keyboard.press('Enter');
      const hit = page
        .locator('mark')
        .filter({ hasText: /windows/i })
        .first();
      await hit.waitFor();
      await watched.snap('search');
      await hit.click();
      await page.waitForURL(/\/files\/.*[?&]t=/);
      const expected = spokenAt(recordings.meeting, 'windows');
      const at = Number(new URL(page.url()).searchParams.get('t'));
      assert.ok(Math.abs(at - expected) <= 1, `jumps to ${at} s instead of ${expected} s`);
      await until('the player is at the word', async () => Math.abs((await position(page)) - expected) < 3);
    }),
    nightly('a semantic search finds a paraphrase', async () => {
      await page.getByRole('link', { name: 'Search' }).click();
      // The previous page has a search box, too.
      await page.getByRole('heading', { name: 'Search', level: 1 }).waitFor();
      await page.getByRole('combobox').first().fill('due date');
      await page.keyboard.press('Enter');
      const again = page.getByTestId('missing-leg').getByRole('button', { name: 'Try again' });
      const said = page.getByText(/deadline/i).first();
      await until(
        'the file is found',
        async () => {
          // While the worker is busy the search has no semantic results, and the page shows this.
          if (await again.isVisible()) await again.click();
          return said.isVisible();
        },
        jobLimitMs,
      );
    }),
    nightly('the dark color scheme is applied', async () => {
      await page.goto(fileUrl);
      await page.getByTestId('transcript').waitFor();
      await watched.snap('transcript');
      await page.getByRole('button', { name: /^Account of/ }).click();
      await page.getByRole('menu').getByText('Dark').click();
      await page.keyboard.press('Escape');
      await until('the background is dark', async () => {
        const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const brightness = (background.match(/\d+/g) ?? []).slice(0, 3).reduce((sum, match) => sum + Number(match), 0);
        return brightness < 200;
      });
      await watched.snap('transcript-dark');
    }),
    nightly('at 360 pixels the page fits and every control is reachable', async () => {
      await page.setViewportSize({ width: 360, height: 740 });
      for (const path of ['/', fileUrl, '/search?q=windows', '/account', '/admin']) {
        await page.goto(path);
        await page.locator('#main h1, #main [role="search"]').first().waitFor();
        await until(`${path} fits into the window`, () => fitsWidth(page));
      }
      await page.goto(fileUrl);
      await page.getByTestId('segment').first().waitFor();
      assert.ok(await page.getByRole('button', { name: 'Play', exact: true }).isVisible());
      await watched.snap('transcript-narrow');
      await page.setViewportSize({ width: 1280, height: 800 });
    }),
    step('two speakers are merged into one', async () => {
      await page.goto(fileUrl);
      // The summary moves the speakers down, and a menu whose button is out of sight is hidden.
      await page.getByTestId('summary-body').waitFor();
      await page
        .getByTestId('speaker')
        .nth(1)
        .getByRole('button', { name: /^Actions for/ })
        .click();
      await page.getByRole('menuitem').first().click();
      await until('one speaker is left', async () => (await page.getByTestId('speaker').count()) === 1);
    }),
    step('after sign-out every page requires a sign-in', async () => {
      await page.getByRole('button', { name: /^Account of/ }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      await page.goto(fileUrl);
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      // Requests that were running when the session ended are rejected.
      watched.faults.splice(0, Infinity, ...watched.faults.filter((fault) => !fault.includes('401')));
    }),
  ];

  return {
    name: 'The main job in Chromium',
    checks: [...opening, ...reading, ...finding],
    close: async () => {
      await browser?.close();
    },
  };
}

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Browser, Locator, Page } from '@playwright/test';
import { barriers, schemesAt, widths } from './barriers.ts';
import { fitsWidth, launchBrowser } from './browser.ts';
import { signIn, type Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { openHands, watchedStep, type Hands } from './hands.ts';
import { admin } from './instance.ts';
import { createCopy, uploadWithRetry } from './scripted.ts';
import { asService } from './service-access.ts';
import { forNightly, type Check, type Suite } from './suite.ts';
import { jobLimitMs, until } from './until.ts';

const password = 'Searching-Horse-8-Battery';
const spoken = {
  roof: 'The solar panels on the school roof need another inverter before the annual inspection.',
  garden: 'The annual garden party takes place behind the school in September.',
};

/** The search page and Administration > Search: suggestions, correction, facets, saved searches, reindex and repair. */
export function searchInTheBrowser({ scripted, recordings, screenshots }: ScriptedContext): Suite {
  let browser: Browser;
  let boss: Hands;
  let person: Hands;
  let page: Page;
  let client: Client;
  let roof: string;
  let garden: string;
  const id = randomUUID().slice(0, 8);
  const email = `search-${id}@example.com`;
  const titles = { roof: `Roof ${id}`, garden: `Garden ${id}` };
  const step = watchedStep(() => [boss, person].filter((hands) => hands !== undefined));
  const nightly = forNightly(step);
  const field = (): Locator => page.getByRole('combobox', { name: 'Search what was said' });
  const results = (): Locator => page.getByTestId('search-result');
  const found = (count: number) => until(`${count} are found`, async () => (await results().count()) === count);
  const press = (shown: Page, name: string | RegExp) => shown.getByRole('button', { name, exact: true }).click();
  const search = async (text: string): Promise<void> => {
    await field().fill(text);
    await field().press('Enter');
  };

  const recorded = async (title: string, text: string, speaker: string, number: number): Promise<string> => {
    const file = await uploadWithRetry(client, await createCopy(recordings.brief.path, recordings.folder, number));
    const { transcript_segments: segments, speakers } = await client.completed(file);
    for (const { uuid } of segments)
      await client.send('PUT', `/api/files/${file}/transcript/segments/${uuid}`, { text });
    for (const { uuid } of speakers) await client.send('PUT', `/api/speakers/${uuid}`, { display_name: speaker });
    await client.send('PUT', `/api/files/${file}`, { title });
    return file;
  };

  const checks: Check[] = [
    {
      rule: 'Chromium starts, and two recordings can be found',
      run: async () => {
        const { instance } = await scripted.get();
        const root = await signIn(instance.baseUrl, admin.email, admin.password);
        await root.send('POST', '/api/admin/users', {
          email,
          password,
          full_name: `Searcher ${id}`,
          must_change_password: false,
        });
        client = await signIn(instance.baseUrl, email, password);
        await client.send('PUT', '/api/user-settings/auto-label', { enabled: false });
        roof = await recorded(titles.roof, spoken.roof, 'Anna Schmidt', 14_401);
        garden = await recorded(titles.garden, spoken.garden, 'Bertha', 14_402);
        await client.send('POST', `/api/tags/files/${roof}/tags`, { name: 'Buildings' });
        const collection = await client.send<{ uuid: string }>('POST', '/api/collections', { name: 'Estate' });
        await client.send('POST', `/api/collections/${collection.uuid}/media`, { media_file_ids: [garden] });
        await until(
          'both are found as they are now',
          async () => {
            const { results: files } = await client.search('annual tag:buildings speaker:"Anna Schmidt"', 'keyword');
            const { total_files: total } = await client.search('annual speaker:Bertha', 'keyword');
            return files[0]?.title === titles.roof && total === 1;
          },
          jobLimitMs,
        );
        // New words are known some seconds later, see `vocabularyCacheMs`.
        await until(
          'a typing error is corrected',
          async () => {
            return (await client.search('invertr', 'keyword')).correction !== null;
          },
          jobLimitMs,
        );
        browser = await launchBrowser();
        boss = await openHands(browser, instance.baseUrl, screenshots);
        person = await openHands(browser, instance.baseUrl, screenshots);
        page = person.page;
        await boss.signIn(admin.email, admin.password, 'Library');
        await person.signIn(email, password, 'Library');
      },
    },
    step('a word is completed with the keyboard, and the completed search runs', async () => {
      await page.goto('/search');
      await field().pressSequentially('invert');
      const option = page.getByRole('option', { name: /^inverter/ });
      await option.waitFor();
      assert.equal(await field().getAttribute('aria-expanded'), 'true');
      await field().press('ArrowDown');
      await until('the option is announced', async () => {
        const active = await field().getAttribute('aria-activedescendant');
        return active !== null && active === (await option.getAttribute('id'));
      });
      await field().press('Enter');
      assert.equal(await field().inputValue(), 'inverter');
      await found(1);
      assert.equal(await field().getAttribute('aria-expanded'), 'false');
    }),
    nightly('names complete an operator, Escape closes the suggestions, and Enter searches for the text', async () => {
      await field().fill('');
      await field().pressSequentially('annual speaker:an');
      await page.getByRole('option', { name: /^Anna Schmidt/ }).waitFor();
      await field().press('ArrowDown');
      await field().press('Enter');
      assert.equal(await field().inputValue(), 'annual speaker:"Anna Schmidt" ');
      await found(1);
      await field().fill('annu');
      await page.getByRole('option', { name: /^annual/ }).waitFor();
      await field().press('Escape');
      await page.getByRole('option').first().waitFor({ state: 'hidden' });
      await search('annual');
      await found(2);
    }),
    step('a typing error is corrected, and the page says so and offers the original', async () => {
      await search('invertr');
      const note = page.getByTestId('search-correction');
      await note.getByText('“invertr” occurs in none of your recordings. Showing results for “inverter”.').waitFor();
      await found(1);
      await press(page, 'Search for “invertr”');
      await page.getByTestId('search-summary').getByText('No matches for “invertr”.').waitFor();
    }),
    step('a facet narrows the results and can be taken back, and nothing found offers to remove filters', async () => {
      await search('annual');
      await found(2);
      const facets = page.getByTestId('facets');
      await facets.getByRole('button', { name: 'Bertha 1' }).click();
      await found(1);
      assert.equal(await results().getAttribute('data-uuid'), garden);
      assert.match(page.url(), /speaker/);
      await facets.getByRole('button', { name: /^Bertha/, pressed: true }).click();
      await found(2);
      await facets.getByRole('button', { name: 'Estate 1' }).click();
      await found(1);
      assert.match(page.url(), /collection/);
      await facets.getByRole('button', { name: 'Estate 1', pressed: true }).click();
      await found(2);
      await facets.getByRole('button', { name: 'Buildings 1' }).click();
      await found(1);
      await search('garden');
      await press(page, 'Remove all filters');
      await found(1);
    }),
    nightly('filters that come into effect are shown, and those of a year match the number of its facet', async () => {
      await page.goto('/search?q=annual');
      await found(2);
      const from = page.getByLabel('From', { exact: true });
      assert.equal(await from.count(), 0);
      const year = new Date().getFullYear();
      await page
        .getByTestId('facets')
        .getByRole('button', { name: `${year} 2` })
        .click();
      await from.waitFor();
      assert.equal(await from.inputValue(), `${year}-01-01`);
      await found(2);
      await press(page, 'Filters');
      await from.waitFor({ state: 'hidden' });
      await search('garden');
      await found(1);
      assert.equal(await from.count(), 0, 'the filters stay closed while they are the same');
    }),
    step('a hit opens the recording at its second', async () => {
      const hit = results().getByTestId('search-hit').first();
      const start = Number(await hit.getAttribute('data-start'));
      await hit.click();
      await page.waitForURL(new RegExp(`/files/${garden}`));
      assert.equal(Number(new URL(page.url()).searchParams.get('t')), start);
      await page.goBack();
      await found(1);
    }),
    nightly('each hit of a recording opens it at its passage, also after it was open before', async () => {
      const cueAt = (i: number): string => {
        const time = (second: number) => `00:0${Math.floor(second / 60)}:${String(second % 60).padStart(2, '0')}.000`;
        const word = [30, 70].includes(i) ? 'beacon' : 'ferry';
        return `${time(i * 5)} --> ${time(i * 5 + 4)}\nPassage number ${i} is about the ${word} and nothing else at all.`;
      };
      const form = new FormData();
      const cues = Array.from({ length: 90 }, (_, i) => cueAt(i));
      form.set('file', new Blob([['WEBVTT', ...cues].join('\n\n')]), 'Island.vtt');
      await client.ok('POST', '/api/transcripts/import', { body: form });
      await until(
        'both passages are found',
        async () => {
          const { results: files, total_results: total } = await client.search('beacon', 'keyword');
          return files[0]?.title === 'Island' && total === 2;
        },
        jobLimitMs,
      );
      await page.goto('/search?q=beacon&mode=keyword');
      for (const number of [30, 70, 30]) {
        await found(1);
        await page
          .getByTestId('search-hit')
          .filter({ hasText: `Passage number ${number} ` })
          .click();
        const passage = page.locator('[data-index]').filter({ hasText: `Passage number ${number} ` });
        await until(`passage ${number} is visible`, async () => {
          const box = await passage.boundingBox();
          return box !== null && box.y > 0 && box.y + box.height < (page.viewportSize()?.height ?? 0);
        });
        await page.goBack();
      }
      await found(1);
    }),
    nightly('the values of an address are read as text, also numbers, lists and quotes', async () => {
      for (const text of ['"annual garden"', 'true', '[1]', '5']) {
        await page.goto(`/search?q=${encodeURIComponent(text)}&page=true&collection={}&exact=5&mode=[1]`);
        await until(`${text} is searched`, async () => (await field().inputValue()) === text);
        if (text.includes(' ')) await found(1);
      }
      for (const address of ['q=true&t=x', 'q=5&t=[1]', 'q={}&play=7&t=-1']) {
        await page.goto(`/files/${garden}?${address}`);
        await page.getByRole('heading', { name: titles.garden }).waitFor();
      }
      await page.goto('/search?q=annual');
      await found(2);
    }),
    nightly('a page after the last one shows the last one', async () => {
      await page.goto('/search?q=annual&page=99');
      await found(2);
      await until('the address is that of the first page', async () => !page.url().includes('page='));
    }),
    nightly('the longest name of a speaker fits into 360 pixels', async () => {
      const { speakers } = await client.file(garden);
      const rename = async (displayName: string): Promise<void> => {
        for (const { uuid } of speakers)
          await client.send('PUT', `/api/speakers/${uuid}`, { display_name: displayName });
      };
      const size = page.viewportSize();
      await rename('B'.repeat(200));
      await page.setViewportSize({ width: 360, height: 800 });
      await page.goto(`/files/${garden}`);
      await page.getByTestId('segment-speaker').first().waitFor();
      await until('the page fits', () => fitsWidth(page));
      await page.screenshot({ path: join(screenshots, 'long-speaker-name-360.png'), fullPage: true });
      await rename('Bertha');
      if (size) await page.setViewportSize(size);
      await page.goto('/search?q=annual');
      await found(2);
    }),
    nightly('the number of further passages opens the recording with the matched word marked', async () => {
      const turns = Array.from(
        { length: 7 },
        (_, i) => `${i % 2 ? 'Ann' : 'Ben'}: Our visit number ${i} went to the lighthouse behind the harbour.`,
      );
      const form = new FormData();
      form.set('file', new Blob([turns.join('\n\n')]), 'Coast.txt');
      const { uuid } = await client.ok<{ uuid: string }>('POST', '/api/transcripts/import', { body: form });
      await until(
        'it is found',
        async () => (await client.search('lighthouse', 'keyword')).total_files === 1,
        jobLimitMs,
      );
      await search('lighthouse');
      await found(1);
      await results().getByRole('link', { name: 'and 4 more passages in this recording' }).click();
      await page.waitForURL(new RegExp(`/files/${uuid}`));
      const find = page.getByRole('searchbox', { name: 'Find in this transcript' });
      await until('the word is marked', async () => (await find.inputValue()) === 'lighthouse');
      await page.goBack();
      await found(1);
    }),
    nightly('a search is saved, renamed, run and deleted, and no other account sees it', async () => {
      await search('annual');
      await found(2);
      await page
        .getByTestId('facets')
        .getByRole('button', { name: /^Buildings/ })
        .click();
      await found(1);
      await press(page, 'Save search');
      await page.getByRole('textbox', { name: 'Name' }).fill('Yearly');
      await press(page, 'Save');
      await page.getByText('Search saved.').waitFor();
      await page.goto('/search');
      await press(page, 'Saved searches');
      await press(page, 'Actions for Yearly');
      await page.getByRole('menuitem', { name: 'Rename' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Every year');
      await press(page, 'Save');
      await page.locator('[data-testid="saved-search"][data-name="Every year"]').getByRole('link').click();
      await found(1);
      assert.equal(await field().inputValue(), 'annual');
      await boss.page.goto('/search');
      await press(boss.page, 'Saved searches');
      await boss.page.getByText('You have no saved searches.').waitFor();
      await press(page, 'Saved searches');
      await press(page, 'Actions for Every year');
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page
        .getByRole('dialog', { name: 'Delete this saved search?' })
        .getByRole('button', { name: 'Delete' })
        .click();
      await page.getByText('You have no saved searches.').waitFor();
      await page.keyboard.press('Escape');
    }),
    step('a search with nothing to search for says what to write', async () => {
      await search('speaker:');
      await page.getByText('Write a name after speaker:').waitFor();
      await search('-');
      await page.getByText('Type a word to search for.').waitFor();
    }),
    step(
      'a wrong operator is explained instead of shown as a failure of the server',
      async () => {
        await search('annual before:2026-02-31');
        await page.getByRole('alert').getByText('This search can’t be run').waitFor();
        await page.getByText('write before:2026-03-31').waitFor();
        // The page would send the search again when the library changes.
        await page.goto('/search');
      },
      /status of 400/,
    ),
    step('an administrator sees what a reindex of one recording would change, and runs it', async () => {
      await boss.page.goto('/admin/search');
      const section = boss.page.getByTestId('reindex');
      await section.getByLabel('What to index again').selectOption('One recording');
      await section.getByRole('combobox', { name: 'Recording' }).fill(titles.roof);
      await boss.page.getByRole('option', { name: titles.roof }).click();
      await press(boss.page, 'Show what would change');
      await section.getByTestId('reindex-preview').getByText('1 recording is up to date').waitFor();
      await press(boss.page, 'Start reindex');
      await section.getByText(/Last reindex completed just now: 1 of 1 recording\./).waitFor();
    }),
    nightly('a check finds a recording that is missing in the index, and a repair brings it back', async () => {
      const { instance } = await scripted.get();
      await asService(instance, 'search-indexer', (query) =>
        query('delete from index_state where file_id = $1', [roof]),
      );
      assert.equal((await client.search('inverter', 'keyword')).results.length, 0);
      await press(boss.page, 'Check consistency');
      const result = boss.page.getByTestId('consistency-result');
      await result.getByText('Database and index differ.').waitFor();
      await result.getByRole('link', { name: titles.roof }).waitFor();
      await boss.page.screenshot({ path: join(screenshots, 'search-differences.png'), fullPage: true });
      await press(boss.page, /^Repair \d+ recordings?$/);
      await result.getByText('Database and index agree.').waitFor();
      assert.equal((await client.search('inverter', 'keyword')).results.length, 1);
    }),
    nightly('the pages have no accessibility violations and fit into 360 pixels, light and dark', async () => {
      await client.send('POST', '/api/search/saved', { name: 'Every year', search: { q: 'annual' } });
      const typing = async (): Promise<void> => {
        await page.goto('/search?q=anual');
        await page.getByTestId('facets').waitFor();
        await page.getByTestId('search-help').locator('summary').click();
        await field().fill('ann');
        await page.getByRole('option').first().waitFor();
      };
      const saved = async (): Promise<void> => {
        await page.goto('/search');
        await press(page, 'Saved searches');
        await page.getByTestId('saved-search').waitFor();
      };
      const administration = async (): Promise<void> => {
        await boss.page.goto('/admin/search');
        await press(boss.page, 'Show what would change');
        await boss.page.getByTestId('reindex-preview').waitFor();
        await press(boss.page, 'Check consistency');
        await boss.page.getByTestId('consistency-result').waitFor();
      };
      const views = [
        ['search-typing', page, typing],
        ['search-saved', page, saved],
        ['search-admin', boss.page, administration],
      ] as const;
      for (const width of widths)
        for (const [name, shown, open] of views) {
          await shown.setViewportSize({ width, height: 800 });
          await open();
          assert.deepEqual(
            await barriers(shown, schemesAt(width)),
            [],
            `${name} has accessibility violations (${width})`,
          );
          await until(`${name} fits into ${width} pixels`, () => fitsWidth(shown));
          for (const colorScheme of ['light', 'dark'] as const) {
            await shown.emulateMedia({ colorScheme });
            await shown.screenshot({ path: join(screenshots, `${name}-${colorScheme}-${width}.png`), fullPage: true });
          }
        }
    }),
    nightly(
      'notices of an account are removed when it signs out',
      async () => {
        await page.setViewportSize({ width: 1280, height: 800 });
        await page.goto('/search?q=garden');
        await found(1);
        await press(page, 'Save search');
        await page.getByRole('textbox', { name: 'Name' }).fill('Gardens');
        await press(page, 'Save');
        const notice = page.getByText('Search saved.');
        await notice.waitFor();
        await press(page, /^Account of/);
        await page.getByRole('menuitem', { name: 'Sign out' }).click();
        await page.getByRole('button', { name: 'Sign in' }).waitFor();
        assert.equal(await notice.count(), 0);
      },
      /\b401\b/,
    ),
  ];

  return {
    name: 'Search in Chromium',
    checks,
    close: async () => {
      await browser?.close();
    },
  };
}

import assert from 'node:assert/strict';
import type { Browser, Page } from '@playwright/test';
import { barriers, widthsInPassing } from './barriers.ts';
import { fitsWidth, launchBrowser, refuseRequests } from './browser.ts';
import { signIn, type Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { openHands, watchedStep, type Hands } from './hands.ts';
import { admin, type Instance } from './instance.ts';
import { createCopy, uploadWithRetry } from './scripted.ts';
import { forNightly, type Suite } from './suite.ts';
import { jobLimitMs, until } from './until.ts';

const password = 'Another-Battery-2026';
const numbers = [9_401, 9_402, 9_403];
const titles = numbers.map((number) => `copy-${number}`);
/** The longest name of a collection, in one word. */
const longWord = 'x'.repeat(120);
const wide = { width: 1280, height: 800 };
const narrow = { width: 360, height: 740 };

/** What the browser prints for a collection that is not there any more, and for a refused request of a test. */
const missing = /\b404\b.*\/api\/(collections|files)/;
const refusedOnce = /\b503\b/;

/** Collections: made, filled, shared, searched, filtered and deleted by one person, and seen by another one. */
export function collectionsInTheBrowser({ scripted, recordings, screenshots }: ScriptedContext): Suite {
  let browser: Browser;
  let owner: Hands;
  let reader: Hands;
  let page: Page;
  let instance: Instance;
  let api: Client;
  let readerApi: Client;
  let collection = '';
  const person = { email: '', name: 'Cora Collect', label: '' };
  const step = watchedStep(() => [owner, reader]);
  const nightly = forNightly(step);
  const dialog = () => page.getByRole('dialog');
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const confirm = (name: string | RegExp) => dialog().getByRole('button', { name }).click();
  const listed = (hands: Hands) => hands.page.getByTestId('collection-files').getByRole('listitem');

  async function checkState(name: string, hands = owner): Promise<void> {
    for (const width of widthsInPassing()) {
      const size = width === wide.width ? wide : narrow;
      await hands.page.setViewportSize(size);
      assert.ok(await fitsWidth(hands.page), `${name} is wider than ${size.width} pixels`);
      assert.deepEqual(
        (await barriers(hands.page)).filter((barrier) => !/, region: /.test(barrier)),
        [],
      );
      await hands.snap(`collections-${name}-${size.width}`);
    }
  }

  return {
    name: 'Collections in Chromium',
    checks: [
      {
        rule: 'three recordings are transcribed, and two persons sign in',
        limitMs: 300_000,
        run: async () => {
          ({ instance } = await scripted.get());
          const root = await signIn(instance.baseUrl, admin.email, admin.password);
          const suffix = Date.now();
          person.email = `cora-${suffix}@example.org`;
          person.label = `${person.name} (${person.email})`;
          const ownerEmail = `olga-${suffix}@example.org`;
          for (const [email, full_name] of [
            [person.email, person.name],
            [ownerEmail, 'Olga Owner'],
          ])
            await root.send('POST', '/api/admin/users', { email, password, full_name, must_change_password: false });
          api = await signIn(instance.baseUrl, ownerEmail, password);
          readerApi = await signIn(instance.baseUrl, person.email, password);
          for (const number of numbers)
            await api.completed(
              await uploadWithRetry(api, await createCopy(recordings.brief.path, recordings.folder, number)),
            );
          browser = await launchBrowser();
          owner = await openHands(browser, instance.baseUrl, screenshots);
          reader = await openHands(browser, instance.baseUrl, screenshots);
          page = owner.page;
          await owner.signIn(ownerEmail, password, 'Library');
          await reader.signIn(person.email, password, 'Library');
        },
      },
      step('a page without collections says what they are for', async () => {
        await page.getByRole('link', { name: 'Collections' }).click();
        await page.getByText('No collections yet.').waitFor();
        await checkState('none');
      }),
      step(
        'a failed list is not shown as an empty one, and can be loaded again',
        async () => {
          await refuseRequests(page, '**/api/collections?*');
          await page.reload();
          await page.getByText('The collections couldn’t be loaded').waitFor();
          assert.equal(await page.getByText('No collections yet.').count(), 0);
          await checkState('failed');
          await page.unroute('**/api/collections?*');
          await press('Try again');
          await page.getByText('No collections yet.').waitFor();
        },
        refusedOnce,
      ),
      step('a collection is created and filled with recordings found by their titles', async () => {
        await press('Create collection');
        await dialog().getByLabel('Name').fill('Board meetings');
        await dialog().getByLabel('Description').fill('Everything of this year');
        await confirm('Create');
        await page.getByRole('heading', { name: 'Board meetings', level: 1 }).waitFor();
        collection = page.url().split('/').at(-1) ?? '';
        await page.getByText('No recordings in this collection yet.').waitFor();
        await press('Add recordings');
        await dialog().getByRole('searchbox', { name: 'Search by title' }).fill(titles[0]!);
        await until('the others are not offered', async () => (await dialog().getByRole('checkbox').count()) === 1);
        await dialog().getByRole('checkbox', { name: titles[0]! }).check();
        await checkState('adding');
        await confirm('Add 1 recording');
        await listed(owner).filter({ hasText: titles[0]! }).waitFor();
        await checkState('one');
      }),
      nightly(
        'a double click opens a dialog once, sends a form once and leaves the focus in the new field',
        async () => {
          const focused = () => page.locator(':focus');
          await page.goto('/collections');
          await page.getByRole('button', { name: 'Create collection', exact: true }).dblclick();
          await dialog().getByLabel('Name').waitFor();
          await until('the field has the focus', async () => (await focused().getAttribute('data-autofocus')) !== null);
          await page.keyboard.type('Clicked twice');
          await dialog().getByRole('button', { name: 'Create', exact: true }).dblclick();
          await page.getByRole('heading', { name: 'Clicked twice', level: 1 }).waitFor();
          await page.getByRole('button', { name: 'Delete', exact: true }).dblclick();
          await dialog().waitFor();
          await page.waitForTimeout(300);
          await confirm(/^Delete$/);
          await page.getByText('“Clicked twice” has been deleted.').waitFor();
          await page.goto(`/search?q=${numbers[0]}`);
          await page.getByRole('button', { name: 'Save search', exact: true }).dblclick();
          await dialog().getByLabel('Name').fill('Saved once');
          await page.keyboard.press('Enter');
          await page.getByText('Search saved.').waitFor();
          await page.goto('/');
          await page.getByRole('link', { name: titles[0]! }).first().click();
          const speaker = page.getByTestId('speaker').first();
          await speaker.getByRole('button', { name: /^Rename/ }).dblclick();
          await speaker.getByRole('textbox').waitFor();
          assert.match((await focused().getAttribute('aria-label')) ?? '', /^Name of/);
          await page.keyboard.press('Escape');
          await speaker.getByRole('textbox').waitFor({ state: 'detached' });
        },
        missing,
      ),
      nightly(
        'a name without blanks is broken, so that the page fits and the dialog can be closed',
        async () => {
          const { uuid } = await api.send<{ uuid: string }>('POST', '/api/collections', { name: longWord });
          await page.goto('/collections');
          await page.getByRole('link', { name: longWord }).waitFor();
          await checkState('long-list');
          await page.goto(`/search?q=${longWord}&mode=keyword`);
          await page.getByTestId('search-summary').waitFor();
          await checkState('long-search');
          await page.goto(`/collections/${uuid}`);
          await page.setViewportSize(narrow);
          await press('Delete');
          const close = await dialog().getByRole('button', { name: 'Close' }).boundingBox();
          assert.ok(close && close.x + close.width <= narrow.width, 'the cross is in view');
          await checkState('long-dialog');
          await confirm(/^Delete$/);
          await page.getByText('has been deleted.').waitFor();
          await checkState('long-notice');
        },
        missing,
      ),
      step(
        'a second collection of the name is refused with the reason',
        async () => {
          await page.goto('/collections');
          await press('Create collection');
          await dialog().getByLabel('Name').fill('board MEETINGS');
          await confirm('Create');
          await dialog().getByText('There is a collection named').waitFor();
          await dialog().getByRole('button', { name: 'Cancel' }).click();
          await press('Discard');
        },
        /\b409\b/,
      ),
      nightly('selected recordings are added from the library, and one from its page', async () => {
        await page.goto('/');
        await page.getByRole('checkbox', { name: `Select ${titles[1]}` }).check();
        await press('Add to collection 1 recording');
        await dialog().getByRole('combobox', { name: 'Collection' }).click();
        await page.getByRole('option', { name: 'Board meetings' }).click();
        await confirm(/^Add$/);
        await page.getByText('Added 1 recording.').waitFor();
        await page.getByRole('link', { name: titles[2]! }).first().click();
        await page.getByTestId('collections-line').waitFor();
        await press('Add to collection');
        await dialog().getByText('A new one', { exact: true }).click();
        await dialog().getByLabel('Name of the new collection').fill('Interviews');
        await confirm(/^Add$/);
        await page.getByTestId('collections-line').getByRole('link', { name: 'Interviews' }).waitFor();
        await checkState('file-page');
      }),
      nightly('the library and the search show only the recordings of the collection', async () => {
        await page.goto(`/collections/${collection}`);
        await page.getByRole('link', { name: 'Show in the library' }).click();
        await page.getByTestId('file-list').waitFor();
        await until('two recordings are left', async () => (await page.getByTestId('file-card').count()) === 2);
        await press('Filters, 1 set');
        const filter = page.getByRole('combobox', { name: 'Collection' });
        await until('the filter is named', async () => (await filter.inputValue()) === 'Board meetings');
        await press('Clear filters');
        await until('all recordings are back', async () => (await page.getByTestId('file-card').count()) === 3);
        assert.equal((await api.search(`${numbers[2]}`, 'keyword')).total_files, 1);
        await page.goto(`/search?q=${numbers[2]}&mode=keyword&collection=${collection}`);
        await page.getByText(`No matches for “${numbers[2]}”.`).waitFor();
        await page.goto(`/search?q=${numbers[1]}&mode=keyword&collection=${collection}`);
        await until('one is found', async () => (await page.getByTestId('search-result').count()) === 1);
        await checkState('search');
      }),
      nightly('a shared collection gives its recordings to a person, who cannot change it', async () => {
        await page.goto(`/collections/${collection}`);
        await press('Share');
        await dialog().getByRole('combobox', { name: 'Person' }).fill(person.email.slice(0, 10));
        await page.getByRole('option', { name: person.label }).click();
        await dialog().getByRole('button', { name: 'Share', exact: true }).click();
        await page.getByTestId('shares').getByText(person.name).waitFor();
        await checkState('sharing');
        await reader.page.goto('/collections');
        await reader.page.getByTestId('collections').getByText('Owner: Olga Owner').waitFor();
        await checkState('shared-list', reader);
        await reader.page.getByRole('link', { name: 'Board meetings' }).click();
        await until('both recordings are listed', async () => (await listed(reader).count()) === 2);
        assert.equal(await reader.page.getByRole('button', { name: /^(Share|Edit|Delete|Add|Remove)/ }).count(), 0);
        await until(
          'search follows',
          async () => (await readerApi.search(`${numbers[0]}`, 'keyword')).total_files === 1,
          jobLimitMs,
        );
        await listed(reader).getByRole('link', { name: titles[0]! }).click();
        await reader.page.getByRole('heading', { name: titles[0]!, level: 1 }).waitFor();
      }),
      nightly('an editor may describe the collection and take recordings out of it', async () => {
        await dialog()
          .getByRole('combobox', { name: `Permission of ${person.name}` })
          .selectOption('editor');
        await reader.page.goto(`/collections/${collection}`);
        await until('the permission is there', async () => {
          await reader.page.reload();
          await listed(reader).first().waitFor();
          return (await reader.page.getByRole('button', { name: 'Edit', exact: true }).count()) === 1;
        });
        assert.equal(await reader.page.getByRole('button', { name: 'Delete', exact: true }).count(), 0);
        await reader.page.getByRole('button', { name: `Remove ${titles[0]} from the collection` }).click();
        await reader.page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
        await until('one recording is left', async () => (await listed(reader).count()) === 1);
        await reader.page.getByRole('button', { name: 'Edit', exact: true }).click();
        await reader.page.getByRole('dialog').getByLabel('Description').fill('Described by Cora');
        await reader.page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
        await reader.page.getByText('Described by Cora').waitFor();
      }),
      nightly(
        'the collection and its recordings are hidden from the person when it is no longer shared',
        async () => {
          await dialog()
            .getByRole('button', { name: `Stop sharing with ${person.name}` })
            .click();
          await dialog().getByText('Only you and administrators can see this collection.').waitFor();
          await page.keyboard.press('Escape');
          await reader.page.goto(`/collections/${collection}`);
          await reader.page.getByRole('heading', { name: 'Page not found' }).waitFor();
          await until(
            'search follows',
            async () => (await readerApi.search(`${numbers[1]}`, 'keyword')).total_files === 0,
            jobLimitMs,
          );
          const { total } = await readerApi.ok<{ total: number }>('GET', '/api/files');
          assert.equal(total, 0);
        },
        missing,
      ),
      nightly(
        'a deleted collection keeps its recordings',
        async () => {
          await press('Delete');
          await confirm(/^Delete$/);
          await page.getByText('“Board meetings” has been deleted.').waitFor();
          await page.getByTestId('collections').getByText('Interviews').waitFor();
          assert.equal(await page.getByRole('link', { name: 'Board meetings' }).count(), 0);
          const { total } = await api.ok<{ total: number }>('GET', '/api/files');
          assert.equal(total, 3);
          await checkState('list');
        },
        missing,
      ),
    ],
    close: async () => browser?.close(),
  };
}

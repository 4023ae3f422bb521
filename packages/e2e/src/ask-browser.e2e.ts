import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Browser, Page } from '@playwright/test';
import { startLanguageModelServer, type LanguageModelServer } from '@overtone/testkit/language-model';
import { barriers, widthsInPassing } from './barriers.ts';
import { fitsWidth, launchBrowser, refuseRequests } from './browser.ts';
import { signIn, type Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { openHands, watchedStep, type Hands } from './hands.ts';
import { admin } from './instance.ts';
import { forNightly, type Suite } from './suite.ts';
import { jobLimitMs, until } from './until.ts';

const password = 'Another-Battery-2026';
const wide = { width: 1280, height: 800 };
const narrow = { width: 360, height: 740 };
const question = 'Where does the heliotrope office move to?';
const sentence = 'We decided to move the heliotrope office to Lisbon in October.';
const system = '/api/admin/llm-settings';

/** What the browser prints for a request that a test lets fail. */
const refusedOnce = /\b503\b/;

/** Questions about recordings: without and with a language model, their sources, sharing, export, panels and failures. */
export function askInTheBrowser({ scripted, screenshots }: ScriptedContext): Suite {
  let browser: Browser;
  let owner: Hands;
  let reader: Hands;
  let page: Page;
  let root: Client;
  let api: Client;
  let model: LanguageModelServer;
  let planning = '';
  let conversation = '';
  const person = { email: '', name: 'Rita Reader', label: '' };
  const step = watchedStep(() => [owner, reader]);
  const nightly = forNightly(step);
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const messages = (hands = owner) => hands.page.getByTestId('ask-message');
  const openMenu = async (action: string): Promise<void> => {
    await press('Actions for the conversation');
    await page.getByRole('menuitem', { name: action, exact: true }).click();
  };
  const ask = async (text: string): Promise<void> => {
    await page.getByLabel('Question', { exact: true }).fill(text);
    await press('Ask');
    await page.getByTestId('ask-pending').waitFor({ state: 'detached' });
  };

  async function checkState(name: string, hands = owner): Promise<void> {
    for (const width of widthsInPassing()) {
      const size = width === wide.width ? wide : narrow;
      await hands.page.setViewportSize(size);
      await until(`${name} fits into ${size.width} pixels`, () => fitsWidth(hands.page));
      // In both color schemes.
      assert.deepEqual(
        (await barriers(hands.page)).filter((barrier) => !/, region: /.test(barrier)),
        [],
      );
      await hands.snap(`ask-${name}-${size.width}`);
      await hands.page.emulateMedia({ colorScheme: 'dark' });
      await hands.snap(`ask-${name}-dark-${size.width}`);
      await hands.page.emulateMedia({ colorScheme: null });
    }
  }

  async function importTranscript(title: string, lines: readonly string[]): Promise<string> {
    const srt = lines.map((line, i) => `${i + 1}\n00:00:${10 + i * 10},000 --> 00:00:${18 + i * 10},000\n${line}\n`);
    const form = new FormData();
    form.set('file', new Blob([srt.join('\n')]), `${title}.srt`);
    const { uuid } = await api.ok<{ uuid: string }>('POST', '/api/transcripts/import', { body: form });
    return uuid;
  }

  async function useModel(): Promise<void> {
    const { providers } = await root.ok<{ providers: { uuid: string }[] }>('GET', system);
    for (const { uuid } of providers) await root.call('DELETE', `${system}/config/${uuid}`);
    await root.send('POST', system, {
      name: 'House model',
      kind: 'openai-compatible',
      base_url: model.urls.openai,
      model: 'scripted-model',
      context_tokens: null,
      max_parallel: 4,
      timeout_seconds: 30,
    });
  }

  return {
    name: 'Ask in Chromium',
    checks: [
      {
        rule: 'two transcripts are imported, and two persons sign in',
        limitMs: 300_000,
        run: async () => {
          const { instance } = await scripted.get();
          root = await signIn(instance.baseUrl, admin.email, admin.password);
          model = await startLanguageModelServer({ contextTokens: 16_384, answer: () => sentence });
          const suffix = Date.now();
          person.email = `rita-${suffix}@example.org`;
          person.label = `${person.name} (${person.email})`;
          const ownerEmail = `asker-${suffix}@example.org`;
          for (const [email, full_name] of [
            [person.email, person.name],
            [ownerEmail, 'Alma Asker'],
          ])
            await root.send('POST', '/api/admin/users', { email, password, full_name, must_change_password: false });
          api = await signIn(instance.baseUrl, ownerEmail, password);
          planning = await importTranscript('Planning', ['Anna: Good morning.', `Ben: ${sentence}`]);
          await importTranscript('Budget', ['Anna: The heliotrope rent is twelve thousand euros.']);
          await until(
            'both are found',
            async () => (await api.search('heliotrope', 'keyword')).total_files === 2,
            jobLimitMs,
          );
          browser = await launchBrowser();
          owner = await openHands(browser, instance.baseUrl, screenshots);
          reader = await openHands(browser, instance.baseUrl, screenshots);
          page = owner.page;
          await owner.signIn(ownerEmail, password, 'Library');
          await reader.signIn(person.email, password, 'Library');
        },
      },
      step('a page without conversations says what it is for', async () => {
        await page.getByRole('link', { name: 'Ask', exact: true }).click();
        await page.getByText('No conversations yet.').waitFor();
        await page.getByText('Ask what your recordings say.').waitFor();
        await checkState('none');
      }),
      step(
        'a failed list is not shown as an empty one',
        async () => {
          await refuseRequests(page, '**/api/ask/conversations?*');
          await page.reload();
          await page.getByText('The conversations couldn’t be loaded').waitFor();
          assert.equal(await page.getByText('No conversations yet.').count(), 0);
          await checkState('failed-list');
          await page.unroute('**/api/ask/conversations?*');
          await press('Try again');
          await page.getByText('No conversations yet.').waitFor();
        },
        refusedOnce,
      ),
      step('without a language model the answer is a sentence of the recording, and says so', async () => {
        await ask(question);
        await messages().getByText('Quotes found in your recordings').waitFor();
        await messages().getByText(sentence).first().waitFor();
        conversation = new URL(page.url()).searchParams.get('conversation') ?? '';
        assert.notEqual(conversation, '');
        await page.getByTestId('conversations').getByRole('link', { name: question }).waitFor();
        await checkState('extractive');
      }),
      step('a source opens the recording at its second', async () => {
        await messages().getByTestId('citation').first().click();
        await page.getByRole('heading', { name: 'Planning', level: 1 }).waitFor();
        const { pathname, searchParams } = new URL(page.url());
        assert.equal(pathname, `/files/${planning}`);
        assert.equal(searchParams.get('t'), '20');
        await page.goto(`/ask?conversation=${conversation}`);
      }),
      step('with a language model the answer is streamed as text and cites its source', async () => {
        await useModel();
        model.script({ reaction: 'answer', text: `${sentence} <img src=x onerror=alert(1)>`, pieceMs: 1_500 });
        await page.getByLabel('Question', { exact: true }).fill(question);
        await page.keyboard.press('Enter');
        await page.getByTestId('ask-pending').getByText('Writing the answer').waitFor();
        await page.getByTestId('ask-pending').getByText('We decided').waitFor();
        await messages().nth(1).getByText('Written by scripted-model').waitFor();
        assert.equal(await page.locator('img[src="x"]').count(), 0);
        await messages().nth(1).getByRole('link', { name: 'Source 1: Planning, 0:20' }).waitFor();
        await checkState('model');
      }),
      step('what the recordings do not say is declined, and a count comes from the index', async () => {
        model.script('NOT_IN_RECORDINGS');
        await ask('Who painted the heliotrope office?');
        await messages().nth(2).getByText('The recordings don’t say.').waitFor();
        await ask('How many meetings mention heliotrope?');
        await messages().nth(3).getByText('2 recordings mention “heliotrope”.').waitFor();
        await messages().nth(3).getByText('Counted in the search index.').waitFor();
        await checkState('declined-and-counted');
      }),
      step('a failure of the language model says what to do, and can be answered without it', async () => {
        model.script({ reaction: 'refuse', status: 401 });
        await ask('When does the heliotrope office move?');
        await messages().nth(4).getByText('The language model refused the key.').waitFor();
        await checkState('failed');
        await press('Answer without the language model');
        await messages().nth(4).getByText('Quotes found in your recordings').waitFor();
        await useModel();
      }),
      nightly('a shared conversation shows its reader only what the reader may read', async () => {
        await openMenu('Share');
        await page.getByRole('dialog').getByRole('combobox', { name: 'Person' }).fill(person.email);
        await page.getByRole('option', { name: person.label }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Share', exact: true }).click();
        await page.getByTestId('shares').getByText(person.name).waitFor();
        await checkState('share');
        await page.keyboard.press('Escape');
        await reader.page.getByRole('link', { name: 'Ask', exact: true }).click();
        await reader.page.getByTestId('conversations').getByRole('link', { name: question }).click();
        await reader.page.getByTestId('withheld').first().waitFor();
        assert.equal(await reader.page.getByText('Lisbon').count(), 0);
        assert.equal(await reader.page.getByRole('textbox', { name: 'Question' }).count(), 0);
        await checkState('withheld', reader);
      }),
      nightly('a conversation is exported', async () => {
        const [download] = await Promise.all([page.waitForEvent('download'), openMenu('Export as Markdown')]);
        const text = await readFile(await download.path(), 'utf8');
        assert.match(text, /Planning, 00:00:20: Ben: “We decided to move the heliotrope office/);
      }),
      nightly('the page of a recording answers about this recording only', async () => {
        await page.goto(`/files/${planning}`);
        await page
          .locator('summary')
          .filter({ hasText: /^\s*Ask$/ })
          .click();
        const panel = page.getByTestId('ask-panel');
        await panel.getByText('Ask what was said in this recording.').waitFor();
        await ask('How many meetings mention heliotrope?');
        await panel.getByText('1 recording mentions “heliotrope”.').waitFor();
        await checkState('panel');
        await panel.getByRole('link', { name: 'Open on the Ask page' }).click();
        await page.getByRole('heading', { name: 'How many meetings mention heliotrope?', level: 2 }).first().waitFor();
      }),
      nightly('the page of a collection answers about its recordings only', async () => {
        const { uuid } = await api.send<{ uuid: string }>('POST', '/api/collections', { name: 'Moves' });
        await api.send('POST', `/api/collections/${uuid}/media`, { media_file_ids: [planning] });
        await page.goto(`/collections/${uuid}`);
        await ask('How often is heliotrope mentioned?');
        await page.getByTestId('ask-panel').getByText('“heliotrope” is mentioned once, in 1 recording.').waitFor();
        await checkState('collection');
      }),
      nightly('a deleted conversation is removed for everyone', async () => {
        await page.goto(`/ask?conversation=${conversation}`);
        await openMenu('Delete');
        await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
        await page.getByText('Conversation deleted.').waitFor();
        await page.getByTestId('conversations').getByRole('link', { name: question }).waitFor({ state: 'detached' });
        assert.equal((await api.call('GET', `/api/ask/conversations/${conversation}`)).status, 404);
      }),
    ],
    close: async () => {
      const { providers } = (await root?.ok<{ providers: { uuid: string }[] }>('GET', system)) ?? { providers: [] };
      for (const { uuid } of providers) await root.call('DELETE', `${system}/config/${uuid}`);
      await model?.stop();
      await browser?.close();
    },
  };
}

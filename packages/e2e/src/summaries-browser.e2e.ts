import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import type { SummaryStatus } from '@overtone/contracts';
import { startLanguageModelServer, type LanguageModelServer, type ModelCall } from '@overtone/testkit/language-model';
import { barriers, schemesAt, widthsInPassing } from './barriers.ts';
import { fitsWidth, launchBrowser } from './browser.ts';
import { signIn, type Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { openHands, watchedStep, type Hands } from './hands.ts';
import { admin } from './instance.ts';
import { createCopy, uploadWithRetry } from './scripted.ts';
import { asService } from './service-access.ts';
import { forNightly, type Check, type Suite } from './suite.ts';
import { jobLimitMs, until } from './until.ts';

const key = 'sk-scripted';
const hostile = 'The <b>plan</b> was agreed. <img src=x onerror="document.title=1">';
const noStatements = { brief: [], key_decisions: [], action_items: [], topics: [], follow_ups: [] };
const windowTokens = 4_096;

/** The numbers of the passages in a request. */
function numbersIn({ prompt }: ModelCall): number[] {
  return [...prompt.matchAll(/^\[(\d+)\] /gm)].map(([, number]) => Number(number));
}

function answerWith(call: ModelCall): object {
  const numbers = numbersIn(call);
  const [last = 0] = numbers.slice(-1);
  return {
    ...noStatements,
    brief: [{ text: hostile, n: [last] }],
    key_decisions: [{ text: 'Start in May.', n: numbers.slice(0, 1) }],
    action_items: [{ text: 'Write to Ann.', owner: 'Bob', due_date: 'Friday', n: [last] }],
    topics: [{ title: 'Plans', n: [0, last] }],
  };
}

/** The version that the page shows is requested again while it is withheld (409), completed or deleted (404). */
const changedVersion = /status of 40[49] .*\/summary(\?version=\d+)?$/;

/** SRT of two hours and a half, for which a small window needs several sections. */
function longTranscript(): FormData {
  const at = (seconds: number) => new Date(seconds * 1_000).toISOString().slice(11, 23).replace('.', ',');
  const cues = Array.from(
    { length: 300 },
    (_, i) =>
      `${i + 1}\n${at(i * 30)} --> ${at(i * 30 + 20)}\nAnn: part ${i} of the talk about houses and their roofs\n`,
  );
  const form = new FormData();
  form.set('file', new Blob([cues.join('\n')]), 'talk.srt');
  return form;
}

/** The summary of a recording, from the one without a language model through every state of the panel. */
export function summariesInTheBrowser({ scripted, recordings, screenshots }: ScriptedContext): Suite {
  let browser: Browser;
  let boss: Hands;
  let page: Page;
  let client: Client;
  let server: LanguageModelServer;
  let file: string;
  const step = watchedStep(() => [boss]);
  const nightly = forNightly(step);
  const part = (name: string) => page.getByTestId(`summary-${name}`);
  const press = (button: string) => page.getByRole('button', { name: button, exact: true }).click();
  const statusOf = (id = file) => client.ok<SummaryStatus>('GET', `/api/files/${id}/summary-status`);
  const reached = (wanted: SummaryStatus['status'], id = file) =>
    until(`the summary is ${wanted}`, async () => (await statusOf(id)).status === wanted, 120_000);
  const order = (id = file) => client.send('POST', `/api/files/${id}/summarize`, { force_regenerate: true });
  const choose = async (action: string): Promise<void> => {
    await press('Actions for the summary');
    await page.getByRole('menuitem', { name: action, exact: true }).click();
  };
  const open = async (id = file): Promise<void> => {
    await page.goto(`/files/${id}`);
    const panel = page.locator('details').filter({ has: page.getByText('Summary', { exact: true }) });
    await panel.waitFor();
    // On a narrow screen the panels are closed.
    if ((await panel.getAttribute('open')) === null) await panel.locator('summary').click();
    await page.getByTestId('summary').waitFor();
  };
  /** The state in both color schemes, wide and narrow. */
  const looksRight = async (state: string, ready: string, id = file): Promise<void> => {
    for (const width of widthsInPassing()) {
      await page.setViewportSize({ width, height: 800 });
      await open(id);
      await part(ready).waitFor();
      assert.deepEqual(await barriers(page, schemesAt(width)), [], `${state} has accessibility violations`);
      await until(`${state} fits into ${width} pixels`, () => fitsWidth(page));
      await page.screenshot({ path: join(screenshots, `summary-${state}-${width}.png`), fullPage: true });
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  };

  const checks: Check[] = [
    {
      rule: 'Chromium starts, and a recording gets a summary without a language model',
      run: async () => {
        const { instance } = await scripted.get();
        server = await startLanguageModelServer({ key, contextTokens: 16_384, answer: answerWith });
        client = await signIn(instance.baseUrl, admin.email, admin.password);
        file = await uploadWithRetry(client, await createCopy(recordings.brief.path, recordings.folder, 9_613));
        await client.completed(file);
        await reached('completed');
        browser = await launchBrowser();
        boss = await openHands(browser, instance.baseUrl, screenshots);
        page = boss.page;
        await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
        await boss.signIn(admin.email, admin.password, 'Library');
      },
    },
    step('the panel says that it was made without a language model', async () => {
      await open();
      await page
        .getByTestId('summary')
        .getByText(/Automatic extract/)
        .waitFor();
      await looksRight('without-model', 'origin');
      await choose('Create again');
      await part('destination')
        .filter({ hasText: /nothing is sent anywhere/ })
        .waitFor();
      await press('Cancel');
    }),
    step('the text appears while it is written, and the dialog says where the transcript is sent', async () => {
      await client.send('POST', '/api/admin/llm-settings', {
        name: 'House model',
        kind: 'openai-compatible',
        base_url: server.urls.openai,
        model: 'scripted-model',
        context_tokens: null,
        max_parallel: 4,
        timeout_seconds: 120,
        api_key: key,
      });
      await page.reload();
      await choose('Create again');
      await part('destination')
        .filter({ hasText: new RegExp(new URL(server.url).host) })
        .waitFor();
      await page.getByLabel('Prompt', { exact: true }).selectOption({ label: 'Meeting · built-in' });
      await page.getByLabel('Language of the summary').selectOption({ label: 'German' });
      assert.deepEqual(await barriers(page), [], 'the dialog has accessibility violations');
      const decisions = Array.from({ length: 20 }, (_, i) => ({ text: `Decision ${i} of the meeting.`, n: [0] }));
      const text = JSON.stringify({ ...noStatements, brief: [{ text: hostile, n: [0] }], key_decisions: decisions });
      server.script({ reaction: 'answer', text, pieceMs: 2_000 });
      await press('Create summary');
      await part('draft').filter({ hasText: 'The <b>plan</b> was' }).waitFor();
      await looksRight('processing', 'processing');
      const [call] = server.calls.slice(-1);
      assert.match(call?.system ?? '', /Write the minutes of this meeting/);
      assert.match(call?.system ?? '', /German/);
      await client.call('DELETE', `/api/files/${file}/summary?version=${(await statusOf()).version}`);
    }),
    step('statements are shown as text, with links that jump to their second', async () => {
      await order();
      await part('body').getByText(hostile).waitFor();
      await page
        .getByTestId('summary')
        .getByText(/House model, scripted-model/)
        .waitFor();
      await looksRight('completed', 'body');
      const link = part('body').getByRole('link').first();
      const second = Number(new URL((await link.getAttribute('href')) ?? '', 'http://x').searchParams.get('t'));
      await link.click();
      await until('the recording is at the second', async () => {
        const now = await page.getByTestId('media').evaluate((media) => (media as HTMLMediaElement).currentTime);
        return now >= second - 0.1;
      });
      assert.equal(await page.locator('[data-testid="summary"] img, [data-testid="summary"] b').count(), 0);
    }),
    nightly('an earlier version is chosen, and the summary is copied', async () => {
      await page.getByLabel('Version of the summary').selectOption({ index: 1 });
      await page
        .getByTestId('summary')
        .getByText(/Automatic extract/)
        .waitFor();
      await page.getByLabel('Version of the summary').selectOption({ index: 0 });
      await part('body').getByText(hostile).waitFor();
      await choose('Copy summary');
      await page.getByText('Summary copied.').waitFor();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      assert.match(copied, /Key decisions\n- Start in May\./);
      assert.match(copied, /Write to Ann\..*Owner: Bob; Due: Friday/);
    }),
    nightly('the transcript is exported with its summary', async () => {
      await press('Export');
      await page.getByLabel('Format').selectOption('Plain text');
      await page.getByRole('checkbox', { name: 'Summary' }).check();
      const [download] = await Promise.all([page.waitForEvent('download'), press('Download')]);
      assert.match(await readFile(await download.path(), 'utf8'), /Start in May\./);
    }),
    nightly('an edit of the transcript marks it out of date while the page is open', async () => {
      const { transcript_segments: segments } = await client.file(file);
      await client.send('PUT', `/api/files/${file}/transcript/segments/${segments[0]?.uuid}`, {
        text: 'please call 415 555 2671 about the plan',
      });
      await part('outdated').waitFor({ timeout: jobLimitMs });
      await looksRight('outdated', 'outdated');
    }),
    step('a refused key is named with what to do, the earlier version stays, and a retry succeeds', async () => {
      server.answer(() => ({ reaction: 'refuse', status: 401, message: 'no' }));
      await order();
      await part('failed')
        .getByText(/refused the key.*Ask an administrator/)
        .waitFor();
      await part('failed')
        .getByText(/House model, scripted-model/)
        .waitFor();
      await part('body').getByText(hostile).waitFor();
      await looksRight('failed', 'failed');
      server.answer(answerWith);
      await press('Try again');
      await reached('completed');
      await part('failed').waitFor({ state: 'detached' });
    }),
    nightly('a summary that waits says so', async () => {
      await client.send('POST', '/api/admin/queues/nlp/pause', { reason: 'e2e' });
      try {
        await order();
        await part('waiting').getByText('The summary is waiting for its turn.').waitFor();
        await looksRight('waiting', 'waiting');
      } finally {
        await client.ok('POST', '/api/admin/queues/nlp/resume');
      }
      await reached('completed');
    }),
    nightly(
      'a summary is withheld when more is masked than when it was made',
      async () => {
        const { instance } = await scripted.get();
        const withhold = (isWithheld: boolean) =>
          asService(instance, 'insights', (query) =>
            query('update insight_summary set withheld = $2 where media_file_id = $1', [file, isWithheld]),
          );
        await withhold(true);
        await looksRight('withheld', 'withheld');
        assert.ok(!(await page.content()).includes('Start in May.'));
        await withhold(false);
        await open();
        await part('body').waitFor();
        // It was made of text that is masked now: the page loses it without a reload.
        await client.send('PUT', '/api/admin/redaction-policy', { masked_kinds: ['phone'] });
        await part('body').waitFor({ state: 'detached', timeout: jobLimitMs });
        await client.send('PUT', '/api/admin/redaction-policy', { masked_kinds: [] });
      },
      changedVersion,
    ),
    nightly(
      'an incomplete summary names the missing part',
      async () => {
        const { providers } = await client.ok<{ providers: { uuid: string }[] }>('GET', '/api/admin/llm-settings');
        await client.send('PUT', `/api/admin/llm-settings/config/${providers[0]?.uuid}`, {
          name: 'House model',
          kind: 'openai-compatible',
          base_url: server.urls.openai,
          model: 'scripted-model',
          context_tokens: windowTokens,
          max_parallel: 4,
          timeout_seconds: 120,
        });
        server.answer((call) => (numbersIn(call).includes(60) ? { reaction: 'broken-json' } : answerWith(call)));
        const talk = await client.ok<{ uuid: string }>('POST', '/api/transcripts/import', { body: longTranscript() });
        await order(talk.uuid);
        await reached('partial', talk.uuid);
        await open(talk.uuid);
        await part('partial')
          .getByText(/passages? (is|are) missing.*can’t be used/)
          .waitFor();
        await looksRight('partial', 'partial', talk.uuid);
        server.answer(answerWith);
        await press('Try again');
        await reached('completed', talk.uuid);
        await part('partial').waitFor({ state: 'detached' });
      },
      changedVersion,
    ),
    nightly(
      'a deleted summary is removed, and another one can be created',
      async () => {
        await client.call('DELETE', `/api/files/${file}/summary`);
        await open();
        await part('none').filter({ hasText: 'There is no summary yet.' }).waitFor();
        await looksRight('none', 'none');
        await press('Create summary');
        await page.getByRole('dialog').getByRole('button', { name: 'Create summary', exact: true }).click();
        await part('body').getByText(hostile).waitFor();
        await choose('Delete this version');
        await press('Delete the summary');
        await part('none').waitFor();
      },
      changedVersion,
    ),
  ];

  return {
    name: 'Summaries in Chromium',
    checks,
    close: async () => {
      await reset(client).catch(() => undefined);
      await server?.stop().catch(() => undefined);
      await browser?.close();
    },
  };
}

async function reset(client: Client | undefined): Promise<void> {
  if (!client) return;
  await client.call('POST', '/api/admin/queues/nlp/resume');
  await client.send('PUT', '/api/admin/redaction-policy', { masked_kinds: [] });
  const { providers } = await client.ok<{ providers: { uuid: string }[] }>('GET', '/api/admin/llm-settings');
  for (const { uuid } of providers) await client.call('DELETE', `/api/admin/llm-settings/config/${uuid}`);
}

import assert from 'node:assert/strict';
import type { Browser, Page } from '@playwright/test';
import { barriers } from './barriers.ts';
import { fitsWidth, launchBrowser } from './browser.ts';
import { signIn, type Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { openHands, watchedStep, type Hands } from './hands.ts';
import { admin } from './instance.ts';
import { forNightly, type Check, type Suite } from './suite.ts';
import { jobLimitMs, until } from './until.ts';

const slow = { timeout: jobLimitMs };
const srt =
  '1\n00:00:01,000 --> 00:00:02,500\nAda: Good morning, zebrafinch.\n\n2\n00:00:03,000 --> 00:00:04,000\nBob: <script>alert(1)</script>\n';
/** What may be lost when a tab dies while it records. */
const lostSeconds = 5;

/** Imports of transcripts, and recordings that are made in the browser, also in one that dies. */
export function transcriptImportInTheBrowser({ scripted, recordings, screenshots }: ScriptedContext): Suite {
  let browser: Browser;
  let ada: Hands;
  let page: Page;
  let baseUrl: string;
  let client: Client;
  const step = watchedStep(() => [ada]);
  const nightly = forNightly(step);
  const transcript = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
  const choose = (name: string, text: string) =>
    page.getByTestId('transcript-input').setInputFiles(transcript(name, text));
  const openAdd = async (entry: string): Promise<void> => {
    await page.getByRole('button', { name: 'More ways to add' }).click();
    await page.getByRole('menuitem', { name: entry }).click();
  };
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const uuidOfPage = (): string => /\/files\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? '';
  const snapAt = async (name: string): Promise<void> => {
    await page.setViewportSize({ width: 360, height: 740 });
    await ada.snap(`${name}-360`);
    assert.ok(await fitsWidth(page), `${name} is wider than 360 px`);
    assert.deepEqual(await barriers(page), [], `${name} has accessibility violations`);
    await page.setViewportSize({ width: 1280, height: 800 });
    await ada.snap(`${name}-1280`);
  };

  const imports: Check[] = [
    {
      rule: 'Chromium with a recorded voice as its microphone starts, and the user signs in',
      run: async () => {
        const { instance } = await scripted.get();
        baseUrl = instance.baseUrl;
        client = await signIn(baseUrl, admin.email, admin.password);
        browser = await launchBrowser([
          '--use-fake-device-for-media-stream',
          '--use-fake-ui-for-media-stream',
          `--use-file-for-fake-audio-capture=${recordings.brief.path}`,
        ]);
        ada = await openHands(browser, baseUrl, screenshots);
        page = ada.page;
        await ada.signIn(admin.email, admin.password, 'Library');
      },
    },
    nightly('the dialog has no accessibility violations before a file is chosen', async () => {
      await openAdd('Import a transcript');
      assert.deepEqual(await barriers(page), []);
      await press('Cancel');
    }),
    step(
      'a broken transcript is refused with its line, and cannot be imported',
      async () => {
        await openAdd('Import a transcript');
        await choose('broken.srt', srt.replace('00:00:03,000', '00:00:0x'));
        await page.getByText('This file can’t be imported').waitFor();
        await page.getByText(/^Line 6: /).waitFor();
        await until('the button is disabled', () =>
          page.getByRole('button', { name: 'Import', exact: true }).isDisabled(),
        );
      },
      /\b400\b/,
    ),
    step('a transcript is shown before it is imported, and becomes a file without a player', async () => {
      await choose('talk.srt', srt);
      const preview = page.getByTestId('import-preview');
      await preview.getByText('SRT · 2 passages · 2 speakers · 4 s').waitFor();
      await preview.getByText('<script>alert(1)</script>').waitFor();
      await snapAt('import-preview');
      await page.getByLabel('Title', { exact: true }).fill('An imported talk');
      await press('Import');
      await page.getByRole('heading', { name: 'An imported talk' }).waitFor();
      await page.getByText('Good morning, zebrafinch.').waitFor();
      await page.getByTestId('import-note').getByText('nothing to play').waitFor();
      assert.equal(await page.getByTestId('player').count(), 0);
      await snapAt('imported-file');
    }),
    step('search finds the text of an imported transcript', async () => {
      await page.goto('/search?q=zebrafinch');
      await until(
        'the transcript is found',
        async () => {
          await page.reload();
          const found = page.getByText('An imported talk').first();
          // The results arrive after the page.
          return await found.waitFor({ timeout: 5_000 }).then(
            () => true,
            () => false,
          );
        },
        jobLimitMs,
      );
    }),
    step('an import onto a file can be undone', async () => {
      await page.getByText('An imported talk').first().click();
      await page.getByText('Good morning, zebrafinch.').waitFor();
      await page.getByRole('button', { name: 'Actions for An imported talk' }).click();
      await page.getByRole('menuitem', { name: 'Import transcript' }).click();
      await choose('other.vtt', 'WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ada>Good evening.\n');
      await page.getByTestId('import-preview').waitFor();
      await press('Import');
      await page.getByText('Good evening.').waitFor();
      await press('Undo');
      await page.getByText('Good morning, zebrafinch.').waitFor();
    }),
    nightly('words that two people spoke at once are underlined twice, and a legend says so', async () => {
      const words = ['Yes', 'no', 'maybe'].map((word, i) => ({ word, start: i, end: i + 0.9, confidence: 0.9 }));
      const marked = words.map((word, i) => (i === 1 ? { ...word, overlap: true } : word));
      const segment = { start_time: 0, end_time: 3, speaker: 'Ada', text: 'Yes no maybe', words: marked };
      await page.goto('/');
      await openAdd('Import a transcript');
      await choose('overlap.json', JSON.stringify({ title: 'Two at once', segments: [segment] }));
      await page.getByTestId('import-preview').waitFor();
      await press('Import');
      await page.getByRole('heading', { name: 'Two at once' }).waitFor();
      await page.getByTestId('overlap-legend').getByText('spoken while two people spoke at once').waitFor();
      assert.deepEqual(await page.getByTestId('transcript').locator('[data-overlap]').allInnerTexts(), ['no']);
      assert.deepEqual(await barriers(page), []);
      await snapAt('overlap');
    }),
    nightly('a recording with a pause becomes a file that plays and seeks', async () => {
      await page.goto('/');
      await openAdd('Record');
      await page.getByLabel('Title', { exact: true }).fill('A recorded talk');
      await snapAt('record-form');
      const startedAt = Date.now();
      await press('Start recording');
      await page.getByTestId('recording').waitFor();
      await until(
        'the level moves',
        async () => Number(await page.getByTestId('level').getAttribute('aria-valuenow')) > 0,
      );
      await page.waitForTimeout(3_000);
      await press('Pause');
      const pausedAt = Date.now();
      await page.waitForTimeout(2_500);
      await snapAt('recording-paused');
      const resumedAt = Date.now();
      await press('Resume');
      await page.waitForTimeout(3_000);
      await press('Stop and save');
      const longest = (Date.now() - startedAt - (resumedAt - pausedAt)) / 1000;
      await page.getByRole('heading', { name: 'A recorded talk' }).waitFor(slow);
      const file = await client.completed(uuidOfPage());
      assert.ok(
        file.duration !== null && file.duration > 4.5 && file.duration < longest + 0.5,
        `${file.duration} s, and at most ${longest} s were recorded`,
      );
      const seeked = await page.getByTestId('media').evaluate(async (element) => {
        const media = element as HTMLMediaElement;
        const at = (name: string) => new Promise((resolve) => media.addEventListener(name, resolve, { once: true }));
        if (media.readyState < 1) await at('loadedmetadata');
        const done = at('seeked');
        media.currentTime = 4;
        await done;
        return [media.duration, media.currentTime];
      });
      assert.ok(Math.abs((seeked[0] ?? 0) - file.duration) < 1, `the browser has ${seeked[0]} s of ${file.duration} s`);
      assert.equal(seeked[1], 4);
    }),
    nightly('a recording is discarded only after a question', async () => {
      await page.goto('/');
      await openAdd('Record');
      await press('Start recording');
      await page.getByTestId('recording').waitFor();
      await press('Discard');
      await press('Continue recording');
      assert.equal(await page.getByTestId('recording').getAttribute('data-step'), 'recording');
      await press('Discard');
      const question = page.getByRole('dialog', { name: 'Discard this recording?' });
      await question.getByRole('button', { name: 'Discard', exact: true }).click();
      await page.getByTestId('record-dialog').waitFor({ state: 'detached' });
      await until('the server has discarded it', async () => (await openRecordings(client)) === 0);
    }),
    nightly('a dialog that is closed while the browser asks for the microphone records nothing', async () => {
      await page.goto('/');
      await page.evaluate(() => {
        const media = navigator.mediaDevices;
        const open = media.getUserMedia.bind(media);
        media.getUserMedia = async (constraints) => {
          await new Promise((resolve) => setTimeout(resolve, 1_500));
          const stream = await open(constraints);
          Object.assign(window, { openedStream: stream });
          return stream;
        };
      });
      await openAdd('Record');
      await press('Start recording');
      await press('Cancel');
      await until('the microphone is closed', () =>
        page.evaluate(() => {
          const { openedStream: stream } = window as { openedStream?: MediaStream };
          return stream?.getTracks().every((track) => track.readyState === 'ended') ?? false;
        }),
      );
      await until('the server keeps nothing', async () => (await openRecordings(client)) === 0);
    }),
    nightly('of a recording in a tab that dies all but the last five seconds can be kept', async () => {
      const { page: other } = await openTab(page);
      await other.getByRole('button', { name: 'More ways to add' }).click();
      await other.getByRole('menuitem', { name: 'Record' }).click();
      await other.getByLabel('Title', { exact: true }).fill('A lost tab');
      await other.getByRole('button', { name: 'Start recording' }).click();
      await other.getByTestId('recording').waitFor();
      const started = Date.now();
      await other.waitForTimeout(8_000);
      const recorded = (Date.now() - started) / 1000;
      await other.close({ runBeforeUnload: false });
      await page.goto('/');
      await page.getByText('Unfinished recording: A lost tab').waitFor(slow);
      await snapAt('unfinished-recording');
      await press('Keep what arrived');
      await page.getByRole('heading', { name: 'A lost tab' }).waitFor(slow);
      const file = await client.completed(uuidOfPage());
      assert.ok((file.duration ?? 0) >= recorded - lostSeconds, `${file.duration} of ${recorded} s`);
    }),
  ];

  return {
    name: 'Imports and recordings in a browser',
    checks: imports,
    close: async () => {
      await browser?.close();
    },
  };
}

async function openRecordings(client: Client): Promise<number> {
  return (await client.ok<{ items: object[] }>('GET', '/api/files/recordings')).items.length;
}

async function openTab(page: Page): Promise<{ page: Page }> {
  const other = await page.context().newPage();
  await other.goto('/');
  await other.getByRole('heading', { name: 'Library' }).waitFor();
  return { page: other };
}

import type { Locator, Page } from '@playwright/test';
import type { FileDetail } from '@overtone/contracts';
import { example, uuid } from './ring/example.ts';
import { expect, push, startSession, test } from './ring/ring.ts';
import type { ScriptedApi } from './ring/scripted-api.ts';
import { countClosed, holdFrames, runPendingOnClose } from './transcript/closing-moment.ts';
import { storeTranscript, transcriptPath, type StoredTranscript } from './transcript/stored-transcript.ts';

// What is scheduled for an editor (frames, timers, sizes, ticks of the player, scrolling) must not reach a closed one: it
// throws, which the ring reports as an error of the page.
const fileId = uuid(60);
const texts = Array.from({ length: 200 }, (_, i) => `Passage ${i} of a long day of speech`);
const operations = 'POST /api/files/{uuid}/transcript/operations';

type Visit = {
  readonly page: Page;
  readonly api: ScriptedApi;
  readonly transcript: StoredTranscript;
  /** The fields of the file, as the next response has them. */
  readonly file: Partial<FileDetail>;
};
type Way = {
  readonly file?: Partial<FileDetail>;
  readonly go: (visit: Visit) => Promise<void> | void;
  readonly arrive: (page: Page) => Promise<void>;
  /** A document that stays is not opened again: its caret and its undo stay as well. */
  readonly closes?: true;
};

/** The states of a file between the first passages and the end of its transcription. */
const unfinished = { language: null, status: 'processing', stage: 'transcribe' } as const;
const finished = { language: 'de', status: 'completed', stage: null } as const;

const ways: Record<string, Way> = {
  'the page is left by a link': {
    go: ({ page }) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Search' }).click(),
    arrive: (page) => page.getByRole('heading', { name: 'Search' }).waitFor(),
    closes: true,
  },
  'another recording is opened': {
    go: ({ page, api }) => {
      api.respond('GET /api/files/{uuid}', ({ params }) =>
        example('GET /api/files/{uuid}', { uuid: params['uuid'] ?? '', title: 'Another', status: 'completed' }),
      );
      return page.evaluate((path) => history.pushState({}, '', path), `/files/${uuid(61)}`);
    },
    arrive: (page) => page.getByRole('heading', { name: 'Another', level: 1 }).waitFor(),
    closes: true,
  },
  'the recording is deleted': {
    go: ({ api }) => {
      api.refuse('GET /api/files/{uuid}', { code: 'not_found' });
      push({ type: 'file_deleted', seq: 2, data: { file_id: fileId } });
    },
    arrive: (page) => expect(page.getByTestId('transcript')).toHaveCount(0),
    closes: true,
  },
  'it is transcribed again': {
    go: ({ api, file }) => {
      Object.assign(file, unfinished, { total_segments: 0, transcript_version: 9 });
      api.respond('GET /api/files/{uuid}/segments', example('GET /api/files/{uuid}/segments'));
      push({ type: 'transcript_updated', seq: 2, data: { file_id: fileId, transcript_version: 9 } });
    },
    arrive: (page) => expect(page.getByTestId('transcript')).toHaveCount(0),
    closes: true,
  },
  'another version of its transcript is restored': {
    go: ({ transcript }) => {
      transcript.editElsewhere(0, 'Restored');
      push({ type: 'transcript_updated', seq: 2, data: { file_id: fileId, transcript_version: 2 } });
    },
    arrive: (page) => expect(textOf(page, 0)).toHaveText('Restored'),
  },
  'it can only be read any more': {
    go: ({ file }) => {
      file.my_permission = 'viewer';
      changed();
    },
    arrive: (page) => page.getByTestId('view-only').waitFor(),
  },
  'its language is found': {
    file: { ...finished, language: null },
    go: ({ file }) => {
      file.language = 'de';
      changed();
    },
    arrive: (page) => expect(page.locator('[data-testid="transcript"] [lang="de"]')).toBeVisible(),
  },
  'its language is found and it can be corrected': {
    file: unfinished,
    go: ({ file }) => {
      Object.assign(file, finished);
      changed();
    },
    arrive: (page) => expect(page.getByRole('textbox', { name: 'Transcript' })).toBeVisible(),
  },
  'its language is found with new passages': {
    file: unfinished,
    go: ({ transcript, file }) => {
      Object.assign(file, finished);
      transcript.editElsewhere(0, 'Restored');
      push({ type: 'transcript_updated', seq: 2, data: { file_id: fileId, transcript_version: 2 } });
    },
    arrive: (page) => expect(textOf(page, 0)).toHaveText('Restored'),
  },
};

/** What the editor does at that moment. */
const moments: Record<string, (visit: Visit) => Promise<void>> = {
  'that scrolls': async ({ page }) => {
    const find = page.getByRole('searchbox', { name: 'Find in this transcript' });
    await find.fill('Passage 150');
    await expect(page.getByTestId('find-count')).toHaveText('1 found');
    await holdFrames(page);
    await find.press('Enter');
    await expect(page.locator('[data-hit="current"]').first()).toBeAttached();
  },
  'at rest': () => Promise.resolve(),
  'in which an input method composes text': async ({ page, transcript }) => {
    await textOf(page, 0).click();
    const browser = await page.context().newCDPSession(page);
    await browser.send('Input.imeSetComposition', { text: 'か', selectionStart: 1, selectionEnd: 1 });
    await browser.detach();
    await expect.poll(() => transcript.texts()[0]).toContain('か');
    await expect(page.getByTestId('save-state')).toHaveText('Saved');
    // What is in the window now cannot be drawn yet.
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight / 2));
  },
};

for (const [name, { file = {}, go, arrive, closes }] of Object.entries(ways))
  for (const [moment, begin] of Object.entries(moments).slice(0, closes ? undefined : 1))
    test(`an editor ${moment} causes no error when ${name}`, async ({ page, api }) => {
      const visit = await open(page, api, { ...file });
      await begin(visit);
      await go(visit);
      await arrive(page);
      await page.evaluate(() => scrollTo(0, 0));
      expect(await countClosed(page)).toBe(closes ? 1 : 0);
    });

test('a change that is taken back while it is saved is forgotten with the page', async ({ page, api }) => {
  await open(page, api, {});
  const release = api.hold(operations);
  await textOf(page, 0).click();
  await page.keyboard.press('End');
  await page.keyboard.type(' in Oslo');
  await expect.poll(() => api.requests(operations).length).toBe(1);
  await page.keyboard.type(' today');
  await page.keyboard.press('Control+z');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Search' }).click();
  await page.getByRole('heading', { name: 'Search' }).waitFor();
  const saved = page.waitForResponse((response) => response.url().endsWith('/transcript/operations'));
  release();
  await saved;
  await page.goBack();
  await expect(textOf(page, 0)).toContainText('in Oslo');
  // It would disappear after some seconds.
  expect(await page.getByRole('alert').allTextContents()).toEqual([]);
});

async function open(page: Page, api: ScriptedApi, file: Partial<FileDetail>): Promise<Visit> {
  const transcript = storeTranscript(texts, { file });
  transcript.serve(api);
  const stop = await runPendingOnClose(page);
  await startSession(page, api);
  await page.goto(transcriptPath);
  await textOf(page, 0).waitFor();
  // The pages of later tests are loaded without it.
  await stop.dispose();
  return { page, api, transcript, file };
}

function changed(): void {
  push({ type: 'file_updated', seq: 2, data: { file_id: fileId, status: 'completed' } });
}

function textOf(page: Page, index: number): Locator {
  return page.locator(`[data-seg="${index}"] p`);
}

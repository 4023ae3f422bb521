import type { Locator, Page } from '@playwright/test';
import type { FileDetail } from '@overtone/contracts';
import { example, uuid } from './ring/example.ts';
import { expect, push, startSession, test } from './ring/ring.ts';
import type { ScriptedApi } from './ring/scripted-api.ts';
import { storeTranscript, transcriptPath, type StoredTranscript } from './transcript/stored-transcript.ts';

const operations = 'POST /api/files/{uuid}/transcript/operations';

const speech = [
  'Good morning everybody',
  'Let us begin with the budget',
  'It is smaller than last year',
  'Why is that',
];

test.describe('the transcript is one document', () => {
  test('saves what is typed automatically, as one operation', async ({ page, api }) => {
    const transcript = await open(page, api);
    await caretAtEnd(page, 1);
    await page.keyboard.type(' of March');
    await expectSaved(page);
    expect(transcript.texts()[1]).toBe('Let us begin with the budget of March');
    expect(transcript.texts()).toHaveLength(4);
    await expectCaret(page, 'Let us begin with the budget of March', '');
  });

  test('splits at Enter, merges at Backspace and Delete, and keeps the caret between both parts', async ({
    page,
    api,
  }) => {
    const transcript = await open(page, api);
    await caretAtEnd(page, 1);
    for (let i = 0; i < 'the budget'.length; i += 1) await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await expectSaved(page);
    expect(transcript.texts().slice(1, 3)).toEqual(['Let us begin with', 'the budget']);
    await expectCaret(page, '', 'the budget');
    await page.keyboard.press('Backspace');
    await expectSaved(page);
    expect(transcript.texts()).toEqual(speech);
    await expectCaret(page, 'Let us begin with ', 'the budget');
    await page.keyboard.press('End');
    await page.keyboard.press('Delete');
    await expectSaved(page);
    expect(transcript.texts()[1]).toBe(`${speech[1]} ${speech[2]}`);
  });

  test('can be emptied, typed again and undone, also after a reload', async ({ page, api }) => {
    const transcript = await open(page, api);
    await caretAtEnd(page, 1);
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await expectSaved(page);
    expect(transcript.texts()).toEqual([]);
    await expect(page.getByTestId('emptied')).toBeVisible();
    await page.keyboard.type('New text');
    await expectSaved(page);
    expect(transcript.texts()).toEqual(['New text']);
    await page.keyboard.press('Control+z');
    await expect.poll(() => transcript.texts()).toEqual([]);
    await page.keyboard.press('Control+z');
    await expect.poll(() => transcript.texts()).toEqual(speech);
    await expect(page.getByTestId('emptied')).toHaveCount(0);
    await caretAtEnd(page, 1);
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await expectSaved(page);
    api.respond(
      'GET /api/files/{uuid}/transcript/operations',
      example('GET /api/files/{uuid}/transcript/operations', { revision: 3, can_undo: true }),
    );
    await page.reload();
    await page.getByTestId('emptied').waitFor();
    await page.getByRole('button', { name: 'Undo your last correction' }).click();
    await expect.poll(() => transcript.texts()).toEqual(speech);
    await expect(page.getByTestId('segment')).toHaveCount(4);
  });

  test('moves the caret from one passage to the next, and types where it is', async ({ page, api }) => {
    const transcript = await open(page, api);
    await caretAtEnd(page, 0);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.type('Now ');
    await expectSaved(page);
    expect(transcript.texts().slice(0, 2)).toEqual([speech[0], `Now ${speech[1]}`]);
  });

  test('moves the caret back to the end of the passage before, and down to the next one', async ({ page, api }) => {
    await open(page, api);
    await caretAtEnd(page, 1);
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowLeft');
    await expectCaret(page, 'Good morning everybody', '');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await expectCaret(page, '', 'Let us begin with the budget');
  });

  test('keeps the placeholder of a masked part, and a passage that is withheld', async ({ page, api }) => {
    const transcript = await open(page, api, storeTranscript(speech, { masked: 1, withheld: 2 }));
    await caretAtEnd(page, 1);
    for (let i = 0; i < 'Let us begin with the budget'.length; i += 1) await page.keyboard.press('Backspace');
    await expectSaved(page);
    expect(transcript.texts()[1]).toBe('Let [phone]');
    await caretAtEnd(page, 3);
    await page.keyboard.press('Home');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('And ');
    await expectSaved(page);
    expect(transcript.texts()).toEqual([speech[0], 'Let [phone]', '[withheld]', 'And Why is that']);
  });

  test('merges at the border of two groups of passages, and takes it back', async ({ page, api }) => {
    const texts = Array.from({ length: 60 }, (_, i) => `Number ${i} of the agenda`);
    const transcript = await open(page, api, storeTranscript(texts));
    await textOf(page, 24).scrollIntoViewIfNeeded();
    await caretAtEnd(page, 24);
    await page.keyboard.press('Delete');
    await expectSaved(page);
    expect(transcript.texts().slice(23, 26)).toEqual([texts[23], `${texts[24]} ${texts[25]}`, texts[26]]);
    await expectCaret(page, `${texts[24]} `, texts[25] ?? '');
    await page.keyboard.press('Control+z');
    await expect.poll(transcript.texts).toEqual(texts);
  });

  test('replaces a selection over several passages by what is typed', async ({ page, api }) => {
    const transcript = await open(page, api);
    await caretAtEnd(page, 0);
    for (let i = 0; i < ' everybody'.length; i += 1) await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+End');
    await page.keyboard.type('.');
    await expectSaved(page);
    expect(transcript.texts()).toEqual(['Good morning.', ...speech.slice(2)]);
  });

  test('gives half a passage another speaker by a key', async ({ page, api }) => {
    const transcript = await open(page, api);
    await caretAtEnd(page, 1);
    for (let i = 0; i < 'the budget'.length; i += 1) await page.keyboard.press('Shift+ArrowLeft');
    await page.keyboard.press('Alt+2');
    await expectSaved(page);
    expect(transcript.texts().slice(1, 3)).toEqual(['Let us begin with', 'the budget']);
    expect(transcript.speakers().slice(0, 4)).toEqual(['Ada', 'Ada', 'Grace', 'Ada']);
  });

  test('moves the start of a passage by a key', async ({ page, api }) => {
    const transcript = await open(page, api);
    await caretAtEnd(page, 1);
    await page.keyboard.press('Alt+ArrowDown');
    await page.keyboard.press('Alt+ArrowDown');
    await expectSaved(page);
    expect(transcript.passages()[1]?.start_time).toBeCloseTo(4.2);
  });

  test('moves the start of a passage by a second by a key', async ({ page, api }) => {
    const transcript = await open(page, api);
    await caretAtEnd(page, 1);
    await page.keyboard.press('Alt+PageDown');
    await page.keyboard.press('Alt+ArrowUp');
    await expectSaved(page);
    expect(transcript.passages()[1]?.start_time).toBeCloseTo(4.9);
  });

  test('puts the caret to the word that is playing, and plays from the caret, by keys in the text', async ({
    page,
    api,
  }) => {
    await open(page, api);
    await page.keyboard.press('e');
    await page.keyboard.press('F9');
    await page.keyboard.press('Alt+e');
    await expectCaret(page, 'Let ', 'us begin with the budget');
    await page.keyboard.press('End');
    await page.keyboard.press('Alt+p');
    await page.keyboard.press('Home');
    await page.keyboard.press('Alt+e');
    await expectCaret(page, 'Let us begin with the ', 'budget');
  });

  test('goes to found words from the text, and types over them', async ({ page, api }) => {
    const transcript = await open(page, api);
    await caretAtEnd(page, 3);
    await page.keyboard.press('Control+f');
    await page.keyboard.type('the bud');
    await page.keyboard.press('Enter');
    await expect(page.getByTestId('find-count')).toHaveText('1 of 1');
    await page.keyboard.press('Escape');
    await page.keyboard.type('a plan');
    await expectSaved(page);
    expect(transcript.texts()[1]).toBe('Let us begin with a plan');
  });

  test('inserts and deletes passages', async ({ page, api }) => {
    const transcript = await open(page, api);
    await caretAtEnd(page, 3);
    await page.keyboard.press('Enter');
    await page.keyboard.type('Who knows');
    await expectSaved(page);
    expect(transcript.texts()).toEqual([...speech, 'Who knows']);
    await page.keyboard.press('Control+Shift+Backspace');
    await expectSaved(page);
    expect(transcript.texts()).toEqual(speech);
  });

  test('undoes and redoes by keys, over a reload', async ({ page, api }) => {
    const transcript = await open(page, api);
    for (const word of [' one', ' two']) {
      await caretAtEnd(page, 0);
      await page.keyboard.type(word);
      await expectSaved(page);
    }
    await page.reload();
    await expect(rows(page)).toHaveCount(4);
    await caretAtEnd(page, 0);
    for (const [key, text] of [
      ['Control+z', `${speech[0]} one`],
      ['Control+z', speech[0]],
      ['Control+Shift+z', `${speech[0]} one`],
      ['Control+y', `${speech[0]} one two`],
    ] as const) {
      await page.keyboard.press(key);
      await expect(textOf(page, 0)).toHaveText(text ?? '');
      expect(transcript.texts()[0]).toBe(text);
    }
  });

  test('undoes a deletion that is being saved, with the times of what was deleted', async ({ page, api }) => {
    const transcript = await open(page, api);
    const before = transcript.passages().map(({ uuid, start_time: start }) => [uuid, start]);
    const release = api.hold(operations);
    await caretAtEnd(page, 1);
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await expect.poll(() => api.sent(operations)).toHaveLength(1);
    await page.keyboard.press('Control+z');
    release();
    await expect.poll(() => transcript.passages().map(({ uuid, start_time: start }) => [uuid, start])).toEqual(before);
    await expect(rows(page)).toHaveCount(4);
    await expectSaved(page);
    expect(api.sent(operations)).toHaveLength(1);
  });

  test('redoes what was undone before it was saved', async ({ page, api }) => {
    const transcript = await open(page, api);
    await caretAtEnd(page, 0);
    await page.keyboard.type(' at last');
    await page.keyboard.press('Control+z');
    await expect(textOf(page, 0)).toHaveText(speech[0] ?? '');
    await expectSaved(page);
    await page.keyboard.press('Control+Shift+z');
    await expect(textOf(page, 0)).toHaveText(`${speech[0]} at last`);
    await expectSaved(page);
    expect(transcript.texts()[0]).toBe(`${speech[0]} at last`);
  });

  test('pastes paragraphs as passages of the speaker before them', async ({ page, api }) => {
    const transcript = await open(page, api);
    await caretAtEnd(page, 3);
    await page.evaluate(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', ' then\n\nSecond\n\nThird');
      const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
      document.activeElement?.dispatchEvent(event);
    });
    await expectSaved(page);
    expect(transcript.texts().slice(3)).toEqual(['Why is that then', 'Second', 'Third']);
    expect(transcript.speakers().slice(3)).toEqual(['Grace', 'Grace', 'Grace']);
  });

  test('pastes the cells of a table as words', async ({ page, api }) => {
    const transcript = await open(page, api);
    await caretAtEnd(page, 3);
    await page.evaluate(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/html', '<table><tr><td>Budget</td><td>1,200</td></tr></table>');
      const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
      document.activeElement?.dispatchEvent(event);
    });
    await expectSaved(page);
    expect(transcript.texts().slice(3).join(' ')).toMatch(/Budget 1,200$/);
  });
});

test.describe('what is typed in the transcript is never lost', () => {
  test('is kept here without a connection, shown after a reload, and saved once the connection is back', async ({
    page,
    api,
  }) => {
    const transcript = await open(page, api);
    api.lose(operations);
    await caretAtEnd(page, 0);
    await page.keyboard.type(' in Oslo');
    await expect(state(page)).toHaveText('Offline: kept here');
    await page.reload();
    await expect(textOf(page, 0)).toHaveText('Good morning everybody in Oslo');
    transcript.serve(api);
    await expectSaved(page);
    expect(transcript.texts()[0]).toBe('Good morning everybody in Oslo');
  });

  test('is saved once when the response of the first request is lost', async ({ page, api }) => {
    const transcript = await open(page, api);
    api.lose(operations);
    await caretAtEnd(page, 0);
    await page.keyboard.type(' in Oslo');
    await expect(state(page)).toHaveText('Offline: kept here');
    const [first] = api.sent(operations) as { uuid: string }[];
    transcript.serve(api);
    await expectSaved(page);
    expect((api.sent(operations) as { uuid: string }[]).every(({ uuid }) => uuid === first?.uuid)).toBe(true);
    expect(transcript.texts()).toEqual(['Good morning everybody in Oslo', ...speech.slice(1)]);
  });

  test('is shown beside the text of another person who was faster, and can be kept', async ({ page, api }) => {
    const transcript = await open(page, api);
    transcript.editElsewhere(0, 'Good evening');
    api.refuse(operations, { code: 'stale_version' });
    await caretAtEnd(page, 0);
    await page.keyboard.type(' in Oslo');
    const conflict = page.getByTestId('conflict');
    await expect(conflict).toContainText('Good morning everybody in Oslo');
    await expect(textOf(page, 0)).toHaveText('Good evening');
    transcript.serve(api);
    await conflict.getByRole('button', { name: 'Keep mine' }).click();
    await expect(conflict).toHaveCount(0);
    await expectSaved(page);
    expect(transcript.texts()[0]).toBe('Good morning everybody in Oslo');
  });

  test('that the server refused names no other person, and can be sent again', async ({ page, api }) => {
    const transcript = await open(page, api);
    api.refuse(operations, { code: 'segment_times_invalid' });
    await caretAtEnd(page, 0);
    await page.keyboard.press('Alt+2');
    const conflict = page.getByTestId('conflict');
    await expect(conflict).toContainText('Your speaker, not saved: Grace');
    await expect(conflict).toContainText('The correction at 0:00 wasn’t saved');
    await expect(conflict).not.toContainText(/someone|their/i);
    await page.reload();
    transcript.serve(api);
    await conflict.getByRole('button', { name: 'Try again' }).click();
    await expect(conflict).toHaveCount(0);
    await expectSaved(page);
    expect(transcript.speakers()[0]).toBe('Grace');
    expect(transcript.texts()[0]).toBe('Good morning everybody');
  });

  test('says that nothing is undone while there is no connection', async ({ page, api }) => {
    const transcript = await open(page, api);
    api.lose(operations);
    await caretAtEnd(page, 0);
    await page.keyboard.type(' in Oslo');
    await expect(state(page)).toHaveText('Offline: kept here');
    await page.reload();
    await expect(textOf(page, 0)).toHaveText('Good morning everybody in Oslo');
    await caretAtEnd(page, 0);
    await page.keyboard.press('Control+z');
    await expect(page.getByRole('alert').filter({ hasText: 'This couldn’t be undone' })).toContainText('Can’t connect');
    transcript.serve(api);
    await expectSaved(page);
    expect(transcript.texts()[0]).toBe('Good morning everybody in Oslo');
  });

  test('is merged with what another person changed in the same sentence, and typing continues where it was', async ({
    page,
    api,
  }) => {
    const transcript = await open(page, api);
    transcript.editElsewhere(0, 'A very good morning everybody');
    api.refuse(operations, { code: 'stale_version' });
    await caretAtEnd(page, 0);
    await page.keyboard.type(' in Oslo');
    await expect(textOf(page, 0)).toHaveText('A very good morning everybody in Oslo');
    transcript.serve(api);
    await page.keyboard.type(' today');
    await expect.poll(() => transcript.texts()[0]).toBe('A very good morning everybody in Oslo today');
    await expectSaved(page);
    await expect(page.getByTestId('conflict')).toHaveCount(0);
  });

  test('is kept when the right to edit was withdrawn', async ({ page, api }) => {
    await open(page, api);
    api.refuse(operations, { code: 'permission_required' });
    await caretAtEnd(page, 0);
    await page.keyboard.type(' in Oslo');
    await expect(page.getByTestId('conflict')).toContainText('Good morning everybody in Oslo');
    await page.reload();
    await expect(page.getByTestId('conflict')).toContainText('Good morning everybody in Oslo');
  });

  test('can be copied, not sent again, by a person who may no longer edit', async ({ page, api }) => {
    await open(page, api);
    api.refuse(operations, { code: 'permission_required' });
    await caretAtEnd(page, 0);
    await page.keyboard.type(' in Oslo');
    const conflict = page.getByTestId('conflict');
    await expect(conflict).toContainText('The correction at 0:00 wasn’t saved');
    await expect(conflict.getByRole('button', { name: 'Try again' })).toBeVisible();
    storeTranscript(speech, { permission: 'viewer' }).serve(api);
    await page.reload();
    const kept = page.getByTestId('kept-drafts');
    await expect(kept).toContainText('Good morning everybody in Oslo');
    await expect(conflict).toHaveCount(0);
    await kept.getByRole('button', { name: 'Discard' }).click();
    await expect(kept).toHaveCount(0);
  });

  test('that the server refused is not sent again over what another person has changed since', async ({
    page,
    api,
  }) => {
    const { transcript, conflict } = await openRefused(page, api);
    transcript.editElsewhere(0, 'Good evening');
    push({ type: 'transcript_updated', seq: 2, data: { file_id: uuid(60), transcript_version: 2 } });
    await expect(textOf(page, 0)).toHaveText('Good evening');
    await expect(conflict).toContainText('The passage at 0:00 was changed');
    await expect(conflict.getByRole('button', { name: 'Try again' })).toHaveCount(0);
    await expect(conflict.getByRole('button', { name: 'Keep mine' })).toBeVisible();
  });

  test('that the server refused stays shown while the recording cannot be corrected', async ({ page, api }) => {
    const { file, conflict } = await openRefused(page, api);
    Object.assign(file, { status: 'processing', stage: 'transcribe' });
    push({ type: 'file_updated', seq: 2, data: { file_id: uuid(60), status: 'processing' } });
    await expect(state(page)).toHaveCount(0);
    await expect(conflict).toContainText('Good morning everybody in Oslo');
  });

  test('that was discarded after the right to edit had ended does not come back', async ({ page, api }) => {
    const { file, conflict } = await openRefused(page, api);
    file.my_permission = 'viewer';
    push({ type: 'file_updated', seq: 2, data: { file_id: uuid(60), status: 'completed' } });
    const kept = page.getByTestId('kept-drafts');
    await kept.getByRole('button', { name: 'Discard' }).click();
    await expect(kept).toHaveCount(0);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Search' }).click();
    await page.getByRole('heading', { name: 'Search' }).waitFor();
    await page.goBack();
    await page.getByTestId('view-only').waitFor();
    await expect(kept).toHaveCount(0);
    await expect(conflict).toHaveCount(0);
  });

  test('is sent when the person follows a link before it was saved', async ({ page, api }) => {
    const transcript = await open(page, api);
    const release = api.hold(operations);
    await caretAtEnd(page, 0);
    await page.keyboard.type(' in Oslo');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Search' }).click();
    await page.getByRole('heading', { name: 'Search' }).waitFor();
    release();
    await expect.poll(() => transcript.texts()[0]).toBe('Good morning everybody in Oslo');
    await page.goBack();
    await expect(textOf(page, 0)).toHaveText('Good morning everybody in Oslo');
    await expectSaved(page);
  });
});

test.describe('uncertain words', () => {
  const confidence = (word: string): number | null => (word === 'budget' ? 0.2 : word === 'last' ? 0.5 : 0.9);

  test('are marked in three steps, counted, and reached by keys in both directions', async ({ page, api }) => {
    await open(page, api, storeTranscript(speech, { confidence }));
    await expect(page.locator('[data-seg] [data-unsure="strong"]')).toHaveText(['budget']);
    await expect(page.locator('[data-seg] [data-unsure="some"]')).toHaveText(['last']);
    await expect(page.getByTestId('legend')).toContainText('2 words may be wrong (11 %)');
    await caretAtEnd(page, 0);
    for (const [key, word] of [
      ['Alt+u', 'budget'],
      ['Alt+u', 'last'],
      ['Alt+Shift+u', 'budget'],
    ] as const) {
      await page.keyboard.press(key);
      expect(await selectedText(page)).toBe(word);
    }
    await page.keyboard.press('Escape');
    await page.keyboard.press('u');
    expect(await selectedText(page)).toBe('last');
  });

  test('are accepted by a key, saved, and can be accepted no more', async ({ page, api }) => {
    const transcript = await open(page, api, storeTranscript(speech, { confidence }));
    await caretAtEnd(page, 0);
    await page.keyboard.press('Alt+u');
    await page.keyboard.press('Alt+a');
    expect(await selectedText(page)).toBe('last');
    await expectSaved(page);
    await expect(page.locator('[data-seg] [data-unsure]')).toHaveText(['last']);
    await expect(page.getByTestId('legend')).toContainText('1 word may be wrong');
    expect(transcript.texts()).toEqual(speech);
    expect(transcript.passages()[1]?.words.map((word) => word.confidence)).toEqual([0.9, 0.9, 0.9, 0.9, 0.9, null]);
    await page.getByRole('button', { name: 'Accept' }).click();
    await expectSaved(page);
    await expect(page.getByTestId('legend')).toHaveCount(0);
    expect(transcript.passages()[1]?.version).toBe(2);
  });

  test('are replaced by what is typed over them', async ({ page, api }) => {
    const transcript = await open(page, api, storeTranscript(speech, { confidence }));
    await page.getByRole('button', { name: 'Next uncertain word' }).click();
    await page.keyboard.type('plan');
    await expectSaved(page);
    expect(transcript.texts()[1]).toBe('Let us begin with the plan');
    await expect(page.getByTestId('legend')).toContainText('1 word may be wrong');
  });
});

test.describe('a long transcript', () => {
  test('has only the text near the window in the page, and types at its end', async ({ page, api }) => {
    const transcript = await open(
      page,
      api,
      storeTranscript(Array.from({ length: 2_000 }, (_, i) => `Passage ${i} of a long day of speech`)),
    );
    expect(await page.getByTestId('segment').count()).toBeLessThan(120);
    await caretAtEnd(page, 0);
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' at last');
    await expectSaved(page);
    expect(transcript.texts().at(-1)).toBe('Passage 1999 of a long day of speech at last');
    expect(await page.getByTestId('segment').count()).toBeLessThan(120);
  });
});

test('the caret that goes to the word that is playing is in view, also far away', async ({ page, api }) => {
  await open(page, api, storeTranscript(Array.from({ length: 400 }, (_, i) => `Passage ${i} of a long day of speech`)));
  await page.keyboard.press('e');
  for (let i = 0; i < 100; i += 1) await page.keyboard.press('F9');
  await page.keyboard.press('Alt+e');
  await expect(textOf(page, 125)).toBeInViewport();
  await expectCaret(page, '', 'Passage 125 of a long day of speech');
});

test.describe('on a phone', () => {
  test('a reader sees five passages of three lines at once', async ({ page, api }) => {
    await page.setViewportSize({ width: 360, height: 740 });
    const text = 'Passage of three lines because that is about the length of a sentence in speech';
    storeTranscript(
      Array.from({ length: 30 }, () => text),
      { permission: 'viewer' },
    ).serve(api);
    await startSession(page, api);
    await page.goto(transcriptPath);
    await textOf(page, 12).evaluate((element) => element.scrollIntoView({ block: 'center' }));
    // What the header, the tools above the text and the player leave of the window.
    await expect.poll(() => countVisible(page, { top: 148, bottom: 632 })).toBeGreaterThanOrEqual(5);
    await page.evaluate(() => scrollTo(0, 0));
    await expect(page.getByText('You can view this transcript.')).toBeVisible();
  });
});

/** How many passages are completely between two lines of the window. */
function countVisible(page: Page, { top, bottom }: { top: number; bottom: number }): Promise<number> {
  return rows(page).evaluateAll(
    (elements, [from, to]) =>
      elements.filter((element) => {
        const box = element.getBoundingClientRect();
        return box.top >= from && box.bottom <= to;
      }).length,
    [top, bottom] as const,
  );
}

async function open(page: Page, api: ScriptedApi, transcript = storeTranscript(speech)): Promise<StoredTranscript> {
  transcript.serve(api);
  await startSession(page, api);
  await page.goto(transcriptPath);
  await expectSaved(page);
  return transcript;
}

/** A page with a correction that the server has refused. `file`: the fields of the next response. */
async function openRefused(page: Page, api: ScriptedApi) {
  const file: Partial<FileDetail> = {};
  const transcript = await open(page, api, storeTranscript(speech, { file }));
  api.refuse(operations, { code: 'segment_times_invalid' });
  await caretAtEnd(page, 0);
  await page.keyboard.type(' in Oslo');
  const conflict = page.getByTestId('conflict');
  await expect(conflict.getByRole('button', { name: 'Try again' })).toBeVisible();
  return { transcript, file, conflict };
}

function rows(page: Page): Locator {
  return page.getByTestId('segment');
}

function textOf(page: Page, index: number): Locator {
  return page.locator(`[data-seg="${index}"] p`);
}

/** Clicks behind the last word. */
async function caretAtEnd(page: Page, index: number): Promise<void> {
  await textOf(page, index).click();
  await page.keyboard.press('End');
}

function selectedText(page: Page): Promise<string> {
  return page.evaluate(() => getSelection()?.toString() ?? '');
}

function state(page: Page): Locator {
  return page.getByTestId('save-state');
}

function expectSaved(page: Page): Promise<void> {
  return expect(state(page)).toHaveText('Saved');
}

/** What stands before and after the caret in its passage. */
async function expectCaret(page: Page, before: string, after: string): Promise<void> {
  const parts = await page.evaluate(() => {
    const caret = getSelection();
    const text = caret?.anchorNode?.parentElement?.closest('p') ?? (caret?.anchorNode as Element | null);
    if (!caret?.anchorNode || !text) return null;
    const range = document.createRange();
    range.selectNodeContents(text);
    range.setEnd(caret.anchorNode, caret.anchorOffset);
    return [range.toString(), (text.textContent ?? '').slice(range.toString().length)];
  });
  expect(parts).toEqual([before, after]);
}

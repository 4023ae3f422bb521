import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import type { Page } from './page-time.ts';
import { listen, skipTo, type Keys, type PlayerKeys } from './typist.keys.ts';
import { textOf, type Passage, type PlantedError } from './typist.transcript.ts';

/**
 * Its player takes an element that is not ready for one that is at the start, and seeks again after 50 ms: a key that comes
 * before goes to the start of the recording.
 */
const player: PlayerKeys = { play: 'Escape', back: 'F1', forth: 'F2', seconds: 1.5, readyState: 4, rest: 80 };
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
};

/** Serves the built pages of oTranscribe. Requests that a test intercepts would not let the browser seek in a recording. */
export async function servePages(folder: string): Promise<{ address: string; close: () => void }> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const path = join(folder, pathname === '/' ? 'index.html' : pathname);
    readFile(path).then(
      (body) =>
        response.writeHead(200, { 'content-type': types[extname(path)] ?? 'application/octet-stream' }).end(body),
      () => response.writeHead(404).end(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Opens a recording and a transcript in oTranscribe. */
export async function openOtranscribe(
  page: Page,
  { sound, given }: { readonly sound: string; readonly given: readonly Passage[] },
): Promise<void> {
  await page.goto('/', { waitUntil: 'domcontentloaded' });
  await page.locator('.start.ready').click();
  await page.locator('.file-input-outer input[type="file"]').setInputFiles(sound);
  await page.waitForFunction(() => (document.querySelector('audio')?.readyState ?? 0) === 4);
  const text = given
    .map((passage) => `<p>${stampOf(passage.start)} ${passage.speaker}: ${textOf(passage)}</p>`)
    .join('');
  const file = JSON.stringify({ text, media: '', 'media-source': '', 'media-time': '' });
  await page
    .locator('#local-file-import')
    .setInputFiles({ name: 'speech.otr', mimeType: 'application/json', buffer: Buffer.from(file) });
  await page.locator('#textbox .timestamp').first().waitFor();
}

/** Paragraphs with a time, a name and a text: there are no passages and no speakers. */
export async function correctInOtranscribe(
  keys: Keys,
  right: readonly Passage[],
  errors: readonly PlantedError[],
): Promise<void> {
  for (let tabs = 0; tabs < 50 && !(await isInText(keys.page)); tabs += 1) await keys.press('caret', 'Tab');
  await keys.press('caret', 'Control+Home');
  for (const error of errors) await correct(keys, right, error);
}

async function correct(keys: Keys, right: readonly Passage[], { kind, at, word }: PlantedError): Promise<void> {
  const { press, page } = keys;
  const passage = right[at] as Passage;
  const next = right[at + 1] as Passage;
  await skipTo(keys, kind === 'late' ? passage.start : (passage.words[word] ?? next).start, player);
  await listen(keys, player);
  if (kind === 'merge') {
    // Its time and its name first: a merged time cannot be deleted any more.
    await goToParagraph(keys, at + 1);
    await press('text', 'Delete');
    const rest = textOf({ words: passage.words.slice(word) });
    for (let words = 0; words < 4 && (await lineAt(page)).text !== rest; words += 1)
      await press('text', 'Control+Delete');
    await press('text', 'Backspace');
    if ((await lineAt(page)).text !== lineOf(passage)) await press('text', 'Space');
    return;
  }
  await goToParagraph(keys, at);
  if (kind === 'late') {
    await press('text', 'Delete');
    return stamp(keys, passage.start);
  }
  await goToEndOf(keys, kind === 'word' ? word : word - 1);
  if (kind === 'word') {
    await press('text', 'Control+Backspace');
    return keys.type(passage.words[word]?.word ?? '');
  }
  await press('text', 'Enter');
  await stamp(keys, next.start);
  await keys.type(`${next.speaker}: `);
}

async function stamp(keys: Keys, seconds: number): Promise<void> {
  await skipTo(keys, seconds, player);
  await keys.press('text', 'Control+j');
}

/** The keys keep the column, so that the start of the line is one more. */
async function goToParagraph({ press, page }: Keys, at: number): Promise<void> {
  let forth = true;
  for (let tries = 0; tries < 60; tries += 1) {
    const by = at - (await lineAt(page)).index;
    if (by === 0) return press('caret', 'Home');
    // Back from behind the place a line at a time: a paragraph could be one too many again.
    forth &&= by > 0;
    if (forth) await press('caret', 'Control+ArrowDown');
    else await press('caret', by > 0 ? 'ArrowDown' : 'ArrowUp');
  }
  throw new Error(`the caret does not get to the paragraph ${at}: ${JSON.stringify(await lineAt(page))}`);
}

/** From the start of a paragraph; a word near its end from there. */
async function goToEndOf({ press, page }: Keys, word: number): Promise<void> {
  const { count } = await lineAt(page);
  if (word > count / 2) await press('caret', 'End');
  while ((await lineAt(page)).before <= word) await press('caret', 'Control+ArrowRight');
  if ((await lineAt(page)).before === word + 1) return;
  while ((await lineAt(page)).before > word + 1) await press('caret', 'Control+ArrowLeft');
  await press('caret', 'ArrowLeft');
}

function lineOf({ speaker, words }: Passage): string {
  return `${speaker}: ${textOf({ words })}`;
}

export type Line = { readonly time: number; readonly text: string };

/** The paragraphs as they stand in the editor. */
export function linesIn(page: Page): Promise<Line[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('#textbox p')].map((paragraph) => {
      const stamp = paragraph.querySelector<HTMLElement>('.timestamp');
      const text = (paragraph.textContent ?? '').replace(stamp?.textContent ?? '', '');
      return { time: Number(stamp?.dataset['timestamp'] ?? Number.NaN), text: text.replaceAll(/\s+/gu, ' ').trim() };
    }),
  );
}

/** Whether each paragraph has its text, and a time that is right within a second. */
export function isRight(lines: readonly Line[], right: readonly Passage[]): boolean {
  return (
    lines.length === right.length &&
    right.every((passage, i) => lines[i]?.text === lineOf(passage) && Math.abs(lines[i].time - passage.start) < 1)
  );
}

function isInText(page: Page): Promise<boolean> {
  return page.evaluate(() => document.activeElement?.id === 'textbox');
}

/** The paragraph of the caret, and how many of its spoken words are before it. */
function lineAt(page: Page): Promise<{ index: number; before: number; count: number; text: string }> {
  return page.evaluate(() => {
    const selection = getSelection();
    const node = selection?.focusNode;
    const element = node instanceof Element ? node : node?.parentElement;
    const paragraph = element?.closest('#textbox p');
    if (!selection || !node || !paragraph) throw new Error('the caret is in no paragraph');
    const range = document.createRange();
    range.setStart(paragraph, 0);
    range.setEnd(node, selection.focusOffset);
    const words = (part: string): number =>
      (part.split(': ')[1] ?? '').split(/\s+/u).filter((one) => one !== '').length;
    const stamp = paragraph.querySelector('.timestamp')?.textContent ?? '';
    return {
      index: [...document.querySelectorAll('#textbox p')].indexOf(paragraph),
      before: words(range.toString()),
      count: words(paragraph.textContent ?? ''),
      text: (paragraph.textContent ?? '').replace(stamp, '').replaceAll(/\s+/gu, ' ').trim(),
    };
  });
}

function stampOf(seconds: number): string {
  const digits = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const shown = `${digits(seconds / 60)}:${digits(seconds % 60)}`;
  return `<span class="timestamp" data-timestamp="${seconds}" contentEditable="false">${shown}</span>`;
}

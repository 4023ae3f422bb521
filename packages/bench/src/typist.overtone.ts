import assert from 'node:assert/strict';
import { saved } from '@overtone/e2e/passages';
import type { Page } from './page-time.ts';
import { goToEndOf, listen, skipTo, type Keys, type PlayerKeys } from './typist.keys.ts';
import type { Passage, PlantedError } from './typist.transcript.ts';

const player: PlayerKeys = { play: 'Tab', back: 'F7', forth: 'F9', seconds: 5, readyState: 1, rest: 0 };

type Work = {
  readonly right: readonly Passage[];
  readonly errors: readonly PlantedError[];
  /** In the order of their keys. */
  readonly speakers: readonly string[];
};

/** Corrects the transcript in the page of the product, which has just been opened. */
export async function correctInOvertone(keys: Keys, work: Work): Promise<void> {
  await keys.press('caret', 'e');
  for (const error of work.errors) await correct(keys, work, error);
  await saved(keys.page);
}

async function correct(keys: Keys, { right, speakers }: Work, { kind, at, word, late }: PlantedError): Promise<void> {
  const { press, page } = keys;
  const passage = right[at] as Passage;
  const next = right[at + 1] as Passage;
  await skipTo(keys, kind === 'late' ? passage.end : (passage.words[word] ?? next).start, player);
  await listen(keys, player);
  await press('caret', 'Alt+e');
  if (kind === 'merge') {
    await goToPassage(keys, at + 1);
    await press('caret', 'Home');
    return press('text', 'Backspace');
  }
  await goToPassage(keys, at);
  if (kind === 'late') {
    await press('text', 'Alt+PageUp', Math.floor(late));
    await press('text', 'Alt+ArrowUp', Math.round((late % 1) * 10));
    // A moved passage is played.
    return press('sound', 'Tab');
  }
  await goToEndOf(keys, kind === 'word' ? word : word - 1, () => lineAt(page));
  if (kind === 'word') {
    await press('text', 'Control+Backspace');
    return keys.type(passage.words[word]?.word ?? '');
  }
  await press('text', 'Enter');
  if (kind === 'speaker') await press('text', `Alt+${speakers.indexOf(next.speaker) + 1}`);
}

async function goToPassage({ press, page }: Keys, at: number): Promise<void> {
  for (let tries = 0; tries < 8; tries += 1) {
    const { index } = await lineAt(page);
    if (index === at) return;
    for (const key of index < at ? ['End', 'ArrowRight'] : ['Home', 'ArrowLeft']) await press('caret', key);
  }
  assert.fail(`the caret does not get to the passage ${at}`);
}

/** The passage of the caret, and the word before which it stands. */
function lineAt(page: Page): Promise<{ index: number; before: number; count: number }> {
  return page.evaluate(() => {
    const selection = getSelection();
    const node = selection?.focusNode;
    const element = node instanceof Element ? node : node?.parentElement;
    const row = element?.closest('[data-seg]');
    const text = row?.querySelector('p');
    if (!selection || !node || !text) throw new Error('the caret is in no passage');
    const range = document.createRange();
    range.setStart(text, 0);
    range.setEnd(node, selection.focusOffset);
    const words = (part: string): number => part.split(/\s+/).filter((one) => one !== '').length;
    return {
      index: Number(row?.getAttribute('data-seg')),
      before: words(range.toString()),
      count: words(text.textContent ?? ''),
    };
  });
}

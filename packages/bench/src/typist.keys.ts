import { setTimeout as sleep } from 'node:timers/promises';
import { measureTaskTime, type Page } from './page-time.ts';

/** What a stroke is for: to hear a place, to get the caret there, or to correct it. */
export type Purpose = 'sound' | 'caret' | 'text';
export type Keys = {
  readonly page: Page;
  /** One stroke, with the keys that are held down: "Control+Shift+ArrowRight" is one. */
  readonly press: (purpose: Purpose, key: string, times?: number) => Promise<void>;
  readonly type: (text: string) => Promise<void>;
  readonly counts: Readonly<Record<Purpose, number>>;
  /** Time of the page's thread for each stroke, with layout and painting. */
  readonly times: readonly number[];
};

/** A person who has nothing but a keyboard. */
export async function createKeys(page: Page): Promise<Keys> {
  const taskTime = await measureTaskTime(page);
  const counts = { sound: 0, caret: 0, text: 0 };
  const times: number[] = [];
  const press = async (purpose: Purpose, key: string, repeated = 1): Promise<void> => {
    for (let i = 0; i < repeated; i += 1) {
      counts[purpose] += 1;
      times.push(await taskTime(() => page.keyboard.press(key)));
    }
  };
  const type = async (text: string): Promise<void> => {
    for (const letter of text) await press('text', letter === ' ' ? 'Space' : letter);
  };
  return { page, press, type, counts, times };
}

/** The keys of a player. `readyState`: of the media element, below which they do not work. `rest`: milliseconds of it before a key. */
export type PlayerKeys = {
  readonly play: string;
  readonly back: string;
  readonly forth: string;
  readonly seconds: number;
  readonly readyState: number;
  readonly rest: number;
};

/** The position of the player, once it no longer changes. */
async function soundAt(page: Page, { readyState, rest }: PlayerKeys): Promise<number> {
  let before = Number.NaN;
  for (;;) {
    await page.waitForFunction((wanted) => {
      const media = document.querySelector<HTMLMediaElement>('audio, video');
      return media?.seeking === false && media.readyState >= wanted;
    }, readyState);
    const at = await page.evaluate(() => document.querySelector<HTMLMediaElement>('audio, video')?.currentTime ?? 0);
    if (at === before || rest === 0) return at;
    before = at;
    await sleep(rest);
  }
}

/** Skips to within half a step of a place. */
export async function skipTo({ press, page }: Keys, seconds: number, player: PlayerKeys): Promise<void> {
  for (let tries = 0; tries < 2_000; tries += 1) {
    const steps = Math.round((seconds - (await soundAt(page, player))) / player.seconds);
    if (steps === 0) return;
    await press('sound', steps > 0 ? player.forth : player.back);
  }
  throw new Error(`the sound does not get to ${seconds} s`);
}

/** Plays a moment from where the sound is. A person who still has sound playing presses the key again. */
export async function listen({ page, press }: Keys, player: PlayerKeys): Promise<void> {
  await soundAt(page, player);
  await press('sound', player.play);
  await untilPaused(page, false, player);
  for (let tries = 0; tries < 5; tries += 1) {
    await press('sound', player.play);
    if (await untilPaused(page, true, player)) return;
  }
  throw new Error('the sound does not stop');
}

/** Whether it plays, or does not, within a second in which its keys work. */
async function untilPaused(page: Page, paused: boolean, { readyState }: PlayerKeys): Promise<boolean> {
  for (let tries = 0; tries < 10; tries += 1) {
    const media = await page.evaluate(() => {
      const element = document.querySelector<HTMLMediaElement>('audio, video');
      return { paused: element?.paused, readyState: element?.readyState ?? 0 };
    });
    if (media.paused === paused && media.readyState >= readyState) return true;
    await sleep(100);
  }
  return false;
}

type Line = { readonly count: number; readonly before: number };

/** The shortest way to the end of a word in the passage of the caret, which may have several lines. */
export async function goToEndOf({ press }: Keys, word: number, read: () => Promise<Line>): Promise<void> {
  const { before, count } = await read();
  const ends = [
    { key: null, strokes: Math.abs(word + 1 - before) },
    { key: 'Home', strokes: word + 2 },
    { key: 'End', strokes: count - word + 1 },
  ];
  const key = ends.toSorted((left, right) => left.strokes - right.strokes)[0]?.key ?? null;
  if (key !== null) await press('caret', key);
  const from = key === null ? before : (await read()).before;
  if (from <= word) return press('caret', 'Control+ArrowRight', word + 1 - from);
  if (from === word + 1 && key === 'End') return;
  // A word back goes to its start; the end of the one before it is a letter further.
  await press('caret', 'Control+ArrowLeft', from - word - 1);
  await press('caret', 'ArrowLeft');
}

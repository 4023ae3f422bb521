import { launchBrowser, openPage, signInByHand } from '@overtone/e2e/browser';
import { signIn } from '@overtone/e2e/client';
import { admin } from '@overtone/e2e/instance';
import { openByClick, passagesPerHour, storeSpeech } from '@overtone/e2e/long-speech';
import { enterPassage, saved } from '@overtone/e2e/passages';
import { allProcesses, memoryOf } from '@overtone/e2e/processes';
import { until } from '@overtone/e2e/until';
import { treeOf } from '@overtone/e2e/victims';
import { mebibytes, quantile, type Bench } from './bench.ts';
import { measureTaskTime, nextFrame, type Page } from './page-time.ts';

type Figures = {
  readonly openMs: number;
  /** Time of the page's thread for each key stroke, with layout and painting. */
  readonly keyMs: readonly number[];
  /** Tasks of more than 50 ms while typing, scrolling and searching. */
  readonly longTasks: readonly number[];
  readonly memoryBytes: number;
};

const goals = { openMs: 1_000, keyMs: 16, memoryBytes: 300 * 1024 ** 2 };
const shortHours = 0.1;
const typed = 'and so the hearing was adjourned until the next morning ';

/** The page of a transcript of ten hours, beside the same page with six minutes. */
export const editorBench: Bench = {
  name: 'editor',
  about: 'ten hours of speech in the editor beside six minutes: opening, key strokes, long tasks, memory of the tab',
  run: async function* ({ size, instance, folder }) {
    const running = await instance();
    const api = await signIn(running.baseUrl, admin.email, admin.password);
    const measure = async (hours: number, title: string): Promise<Figures> => {
      const uuid = await storeSpeech(running, api, { title, hours });
      // A browser of its own, whose memory nothing else has used.
      const browser = await launchBrowser(['--enable-precise-memory-info']);
      try {
        const { page } = await openPage(browser, running.baseUrl, folder);
        await signInByHand(page);
        return await measurePage(page, { uuid, last: Math.round(hours * passagesPerHour) - 1 });
      } finally {
        await browser.close();
        await api.call('DELETE', `/api/files/${uuid}`);
      }
    };
    const short = await measure(shortHours, 'Six minutes');
    const hours = Math.max(1, 10 * size);
    const long = await measure(hours, 'A long day of hearings');

    const compare = (
      name: string,
      of: (figures: Figures) => number,
      goal: number,
      show: (value: number) => string,
    ) => ({
      name: `${hours} hours: ${name}`,
      ours: show(of(long)),
      peer: `${show(of(short))} (six minutes)`,
      ratio: of(long) / of(short),
      goal: `<= ${show(goal)}`,
      met: of(long) <= goal,
    });
    const milliseconds = (value: number): string => `${value.toFixed(1)} ms`;
    yield compare('click to the first words', ({ openMs }) => openMs, goals.openMs, milliseconds);
    yield compare('key stroke, median', ({ keyMs }) => quantile(keyMs, 0.5), goals.keyMs, milliseconds);
    yield compare('key stroke, slowest of twenty', ({ keyMs }) => quantile(keyMs, 0.95), goals.keyMs, milliseconds);
    yield {
      name: `${hours} hours: tasks over 50 ms while typing and scrolling`,
      ours: `${long.longTasks.length}${long.longTasks.length > 0 ? `, ${Math.round(Math.max(...long.longTasks))} ms` : ''}`,
      peer: `${short.longTasks.length} (six minutes)`,
      goal: '0',
      met: long.longTasks.length === 0,
    };
    yield compare('memory of the tab', ({ memoryBytes }) => memoryBytes, goals.memoryBytes, mebibytes);
  },
};

async function measurePage(page: Page, { uuid, last }: { uuid: string; last: number }): Promise<Figures> {
  const times: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    await page.goto('/');
    times.push(await openByClick(page, uuid));
  }
  // All passages are loaded when the end can be reached.
  await until(
    'the end is shown',
    async () => {
      await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
      return (await page.locator(`[data-seg="${last}"]`).count()) === 1;
    },
    120_000,
  );
  await page.evaluate(() => scrollTo(0, 0));
  await page.locator('[data-seg="1"]').waitFor();
  await observeLongTasks(page);
  const keyMs: number[] = [];
  const taskTime = await measureTaskTime(page);
  await enterPassage(page.locator('[data-seg="1"]'));
  for (const key of typed) keyMs.push(await taskTime(() => page.keyboard.press(key === ' ' ? 'Space' : key)));
  await saved(page);
  for (let i = 0; i < 40; i += 1) {
    await page.mouse.wheel(0, 700);
    await nextFrame(page);
  }
  const longTasks = await page.evaluate(() => (globalThis as unknown as { longTasks: number[] }).longTasks);
  return { openMs: quantile(times, 0.5), keyMs, longTasks, memoryBytes: tabMemory() };
}

function observeLongTasks(page: Page): Promise<void> {
  return page.evaluate(() => {
    const longTasks: number[] = [];
    Object.assign(globalThis, { longTasks });
    new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: 'longtask',
    });
  });
}

/** Proportional share of the memory of the largest renderer. */
function tabMemory(): number {
  const own = new Set(treeOf(process.pid));
  const renderers = allProcesses().filter(({ pid, command }) => own.has(pid) && command.includes('--type=renderer'));
  return Math.max(...renderers.map(({ pid }) => memoryOf(pid).pss));
}

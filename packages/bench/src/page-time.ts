import type { Watched } from '@overtone/e2e/browser';

export type Page = Watched['page'];
type Session = Awaited<ReturnType<ReturnType<Page['context']>['newCDPSession']>>;

/** Milliseconds of processor time that the page's thread needed for `work`, until what was done is painted. */
export type TaskTime = (work: () => Promise<void>) => Promise<number>;

export async function measureTaskTime(page: Page): Promise<TaskTime> {
  const session = await page.context().newCDPSession(page);
  // Processor time of the thread: wall time would count what else the machine does.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async (work) => {
    const before = await busyMs(session);
    await work();
    await nextFrame(page);
    return (await busyMs(session)) - before;
  };
}

async function busyMs(session: Session): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000;
}

export function nextFrame(page: Page): Promise<void> {
  return page.evaluate(
    () => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
  );
}

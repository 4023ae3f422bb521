import type { Disposable, Page } from '@playwright/test';

type Pending = {
  /** How many editors were closed. */
  closed: number;
  hold: () => void;
};
type Scheduling = Window & { pending: Pending };

/**
 * Lets everything that waits in the page run at the moment when an editor is closed, before anything else can: a browser
 * may do so, and seldom does. @returns stops it for pages that are loaded later
 */
export function runPendingOnClose(page: Page): Promise<Disposable> {
  return page.addInitScript(() => {
    const startTimer = window.setTimeout.bind(window);
    const stopTimer = window.clearTimeout.bind(window);
    const requestFrame = window.requestAnimationFrame.bind(window);
    const cancelFrame = window.cancelAnimationFrame.bind(window);
    const timers = new Map<number, () => void>();
    const frames = new Map<number, FrameRequestCallback>();
    const observers = new Set<() => void>();
    let isHeld = false;
    let held = -1;
    const pending: Pending = { closed: 0, hold: () => void (isHeld = true) };
    Object.assign(window, { pending });

    window.setTimeout = ((work: unknown, ms = 0, ...args: unknown[]) => {
      // Longer ones are those of the connection and of the caches.
      if (typeof work !== 'function' || ms > 200) return startTimer(work as () => void, ms, ...args);
      const run = (): void => {
        timers.delete(id);
        (work as (...values: unknown[]) => void)(...args);
      };
      const id = startTimer(run, ms);
      timers.set(id, run);
      return id;
    }) as typeof window.setTimeout;
    window.clearTimeout = ((id: number) => {
      timers.delete(id);
      stopTimer(id);
    }) as typeof window.clearTimeout;
    window.requestAnimationFrame = (draw) => {
      const run = (now: number): void => {
        frames.delete(id);
        draw(now);
      };
      const id = isHeld ? (held -= 1) : requestFrame(run);
      frames.set(id, run);
      return id;
    };
    window.cancelAnimationFrame = (id) => {
      frames.delete(id);
      cancelFrame(id);
    };
    window.ResizeObserver = class extends window.ResizeObserver {
      readonly run: () => void;
      constructor(work: ResizeObserverCallback) {
        super(work);
        this.run = () => work([], this);
      }
      override observe(target: Element): void {
        if (target.classList.contains('ProseMirror')) observers.add(this.run);
        super.observe(target);
      }
      override disconnect(): void {
        observers.delete(this.run);
        super.disconnect();
      }
    };

    const attempt = (work: () => void): void => {
      try {
        work();
      } catch (error) {
        reportError(error);
      }
    };
    const runPending = (): void => {
      isHeld = false;
      for (const name of ['scroll', 'resize', 'wheel', 'touchmove', 'online']) dispatchEvent(new Event(name));
      for (const media of document.querySelectorAll('audio, video'))
        for (const name of ['timeupdate', 'seeked', 'pause']) media.dispatchEvent(new Event(name));
      for (const run of observers) attempt(run);
      for (const [id, run] of Array.from(timers)) {
        stopTimer(id);
        attempt(run);
      }
      for (const [id, run] of Array.from(frames)) {
        cancelFrame(id);
        attempt(() => run(performance.now()));
      }
    };
    // oxlint-disable-next-line typescript/unbound-method -- it is called with its node
    const { removeChild } = Node.prototype;
    Node.prototype.removeChild = function remove<T extends Node>(this: Node, child: T): T {
      if (child instanceof Element && child.classList.contains('ProseMirror')) {
        pending.closed += 1;
        queueMicrotask(runPending);
      }
      return removeChild.call(this, child) as T;
    };
  });
}

/** Draws no frame any more until an editor is closed. */
export function holdFrames(page: Page): Promise<void> {
  return page.evaluate(() => (window as unknown as Scheduling).pending.hold());
}

export function countClosed(page: Page): Promise<number> {
  return page.evaluate(() => (window as unknown as Scheduling).pending.closed);
}

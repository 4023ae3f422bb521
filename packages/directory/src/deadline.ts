import { DirectoryFailure } from './failures.ts';

/** The time that a question may take, all its steps together. */
export interface Deadline {
  readonly remainingMs: () => number;
  /** A shorter one inside this one. */
  readonly within: (ms: number) => Deadline;
}

/** A deadline from now on; it counts real time, whatever the wall clock does. */
export function deadlineIn(ms: number): Deadline {
  const end = performance.now() + ms;
  const remainingMs = () => Math.max(0, end - performance.now());
  return { remainingMs, within: (shorter) => deadlineIn(Math.min(shorter, remainingMs())) };
}

// Timers of the same length share a list; those of this moment should.
const ROUND_MS = 20;

/** Calls back at the deadline. @returns a function that cancels the timer. */
export function onOver(deadline: Deadline, over: (failure: DirectoryFailure) => void, what: string): () => void {
  const timer = setTimeout(
    () => over(new DirectoryFailure('timeout', `No answer in time: ${what}`)),
    Math.ceil(deadline.remainingMs() / ROUND_MS) * ROUND_MS,
  );
  return () => clearTimeout(timer);
}

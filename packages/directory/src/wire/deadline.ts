import { DirectoryFailure } from './failures.ts';

/** The time limit of an operation with all its steps. */
export type Deadline = {
  readonly remainingMs: () => number;
  /** A shorter deadline within this one. */
  readonly within: (ms: number) => Deadline;
};

/** A deadline that starts now; it uses the monotonic clock. */
export function deadlineIn(ms: number): Deadline {
  const end = performance.now() + ms;
  const remainingMs = () => Math.max(0, end - performance.now());
  return { remainingMs, within: (shorter) => deadlineIn(Math.min(shorter, remainingMs())) };
}

// Node keeps timers of equal length in one list, so lengths are rounded.
const roundMs = 20;

/** Calls a function at the deadline. @returns a function that cancels the timer. */
export function onOver(deadline: Deadline, over: (failure: DirectoryFailure) => void, what: string): () => void {
  const timer = setTimeout(
    () => over(new DirectoryFailure('timeout', `No answer in time: ${what}`)),
    Math.ceil(deadline.remainingMs() / roundMs) * roundMs,
  );
  return () => clearTimeout(timer);
}

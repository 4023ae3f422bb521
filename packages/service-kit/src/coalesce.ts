/**
 * Lets a value through at most every `everyMs`; the last one always gets through. Not a library, because p-throttle emits
 * every value, later, and lodash's throttle is larger than this and reads the clock for each value.
 */
export function coalesce<A extends unknown[]>(everyMs: number, emit: (...args: A) => void) {
  let timer: NodeJS.Timeout | undefined;
  let waiting: A | undefined;
  const fire = () => {
    timer = undefined;
    if (!waiting) return;
    const args = waiting;
    waiting = undefined;
    emit(...args);
    timer = setTimeout(fire, everyMs);
  };
  return {
    push: (...args: A): void => {
      waiting = args;
      if (!timer) fire();
    },
    /** Emits what waits, now. */
    flush: (): void => {
      clearTimeout(timer);
      timer = undefined;
      if (waiting) emit(...waiting);
      waiting = undefined;
    },
  };
}

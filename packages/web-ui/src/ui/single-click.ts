import { useRef } from 'react';

const doubleClickMs = 500;

/** Ignores the second click of a double click: a button is disabled only when the page renders again. */
export function useSingleClick(run: () => void): () => void {
  const lastRunAt = useRef(-Infinity);
  return () => {
    const now = performance.now();
    if (now - lastRunAt.current < doubleClickMs) return;
    lastRunAt.current = now;
    run();
  };
}

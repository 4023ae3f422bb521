/** A signal that aborts when nothing has happened for a time; `touch` begins the time again. */
export function createIdleTimeout(milliseconds: number): {
  signal: AbortSignal;
  touch: () => void;
  stop: () => void;
} {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), milliseconds);
  return {
    signal: controller.signal,
    touch: (): void => void timer.refresh(),
    stop: (): void => clearTimeout(timer),
  };
}

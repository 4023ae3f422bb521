import { rangeNotSatisfiable } from './errors.ts';
import type { ByteRange } from './object-store.ts';

/** First and last byte to read of an object of `total` bytes; the last one is cut at the end (RFC 9110, 14.1.2). */
export function resolveRange(range: ByteRange | undefined, total: number): { start: number; end: number } {
  if (!range) return { start: 0, end: total - 1 };
  const end = Math.min(range.end ?? total - 1, total - 1);
  const whole = Number.isSafeInteger(range.start) && Number.isSafeInteger(end);
  if (!whole || range.start < 0 || range.start >= total || end < range.start) throw rangeNotSatisfiable();
  return { start: range.start, end };
}

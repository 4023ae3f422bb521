import type { FileMasks } from '@overtone/contracts';

/**
 * Whether more of a file is masked now than was masked in the text that something was made of: it must not be shown then. What was
 * made before masks were stored with it (null) is hidden by the event of media only.
 */
export function isMoreMasked(now: FileMasks, madeOf: unknown): boolean {
  return now !== null && Array.isArray(madeOf) && now.some((kind) => !madeOf.includes(kind));
}

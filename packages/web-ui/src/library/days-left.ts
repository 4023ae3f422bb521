import { plural, t } from '@lingui/core/macro';

const dayMs = 86_400_000;

/** The days until a file in the bin is deleted permanently. */
export function daysLeftText(purgeAt: string, now: number = Date.now()): string {
  const days = Math.ceil((Date.parse(purgeAt) - now) / dayMs);
  if (days <= 0) return t`Deleted permanently soon`;
  return plural(days, { 1: 'Less than a day left', other: '# days left' });
}

const dayMs = 86_400_000;

/** When a file in the bin is deleted permanently, in words. */
export function daysLeftWords(purgeAt: string, now: number = Date.now()): string {
  const days = Math.ceil((Date.parse(purgeAt) - now) / dayMs);
  if (days <= 0) return 'Deleted permanently soon';
  return days === 1 ? 'Less than a day left' : `${days} days left`;
}

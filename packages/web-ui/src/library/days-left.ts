const dayMs = 86_400_000;

/** The days until a file in the bin is deleted permanently. */
export function daysLeftText(purgeAt: string, now: number = Date.now()): string {
  const days = Math.ceil((Date.parse(purgeAt) - now) / dayMs);
  if (days <= 0) return 'Deleted permanently soon';
  return days === 1 ? 'Less than a day left' : `${days} days left`;
}

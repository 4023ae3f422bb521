/** How many daily, weekly and monthly backups stay. */
export type Retention = { readonly daily: number; readonly weekly: number; readonly monthly: number };

export const defaultRetention: Retention = { daily: 7, weekly: 4, monthly: 12 };

/**
 * The names of the backups that are no longer needed: all except the newest of each of the last `daily` days, `weekly`
 * weeks (from Monday) and `monthly` months that have one, in UTC. The newest backup always stays.
 */
export function expired(backups: readonly { name: string; createdAt: Date }[], retention: Retention): string[] {
  const newestFirst = backups.toSorted((left, right) => right.createdAt.getTime() - left.createdAt.getTime());
  const kept = new Set(newestFirst.slice(0, 1).map(({ name }) => name));
  const periods = [
    [retention.daily, dayOf],
    [retention.weekly, weekOf],
    [retention.monthly, monthOf],
  ] as const;
  for (const [count, periodOf] of periods) {
    const seen = new Set<string>();
    for (const { name, createdAt } of newestFirst) {
      const period = periodOf(createdAt);
      if (seen.has(period)) continue;
      if (seen.size === count) break;
      seen.add(period);
      kept.add(name);
    }
  }
  return newestFirst.filter(({ name }) => !kept.has(name)).map(({ name }) => name);
}

/** Labels of dumps that commands make before they change the database. */
const safetyLabels = ['before-restore', 'before-update'] as const;
const safetyDumpsKept = 3;

/** The label of a safety dump, which is kept by number and not by day. */
export function safetyLabelOf(name: string): string | undefined {
  return safetyLabels.find((label) => name.startsWith(`${label}-`));
}

/** The names of all safety dumps except the newest three of each label. */
export function expiredSafetyDumps(backups: readonly { name: string; createdAt: Date }[]): string[] {
  return safetyLabels.flatMap((label) =>
    backups
      .filter(({ name }) => safetyLabelOf(name) === label)
      .toSorted((left, right) => right.createdAt.getTime() - left.createdAt.getTime())
      .slice(safetyDumpsKept)
      .map(({ name }) => name),
  );
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

function weekOf(time: Date): string {
  const monday = new Date(time);
  monday.setUTCDate(time.getUTCDate() - ((time.getUTCDay() + 6) % 7));
  return dayOf(monday);
}

function monthOf(time: Date): string {
  return time.toISOString().slice(0, 7);
}

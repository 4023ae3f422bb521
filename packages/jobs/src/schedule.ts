import { Cron } from 'croner';

/** The message for an invalid schedule; null when it is valid. */
export function scheduleFault(expression: string): string | null {
  try {
    return parse(expression).nextRun() ? null : 'This schedule has no next run.';
  } catch {
    return 'This is not a cron expression of five fields, such as 0 4 * * *.';
  }
}

/** The next times of a schedule after `from`, in UTC. */
export function nextRuns(expression: string, from: Date, count: number): Date[] {
  return scheduleFault(expression) ? [] : parse(expression).nextRuns(count, from);
}

/** Whether a time of the schedule lies between `since` and `now`. */
export function isDue(expression: string, since: Date, now: Date): boolean {
  const next = nextRuns(expression, since, 1)[0];
  return next !== undefined && next <= now;
}

function parse(expression: string): Cron {
  return new Cron(expression, { timezone: 'UTC', paused: true, mode: '5-part' });
}

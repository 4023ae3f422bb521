import { randomUUID } from 'node:crypto';
import { directoryJobs, type InputOf } from '@overtone/contracts';
import { namedId, putJob } from '@overtone/jobs';
import type { Bus } from '@overtone/service-kit';
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

export const checkEveryMs = 15 * 60_000;

type RunRequest = Pick<InputOf<typeof directoryJobs.run>, 'trigger' | 'dryRun'> &
  Partial<InputOf<typeof directoryJobs.run>>;
export type JobRequests = {
  enqueueCheck: (slot: Date) => Promise<void>;
  /** @returns the task's id, which is also the id of the sync run; the same `name` within minutes enqueues one job. */
  enqueueRun: (request: RunRequest, name?: string) => Promise<string>;
};

export function createJobRequests({ bus }: { bus: Bus }): JobRequests {
  return {
    enqueueCheck: (slot) =>
      putJob(bus, directoryJobs.checkSchedule, namedId(`check-${slot.toISOString()}`), { slot: slot.toISOString() }),
    enqueueRun: async (request, name) => {
      const taskId = name ? namedId(name) : randomUUID();
      await putJob(bus, directoryJobs.run, taskId, { approvedPass: null, approvedBy: null, ...request });
      return taskId;
    },
  };
}

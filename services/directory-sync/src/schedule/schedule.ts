import { randomUUID } from 'node:crypto';
import { directoryJobs, type InputOf } from '@overtone/contracts';
import { namedId, putJob } from '@overtone/jobs';
import type { Bus } from '@overtone/service-kit';

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

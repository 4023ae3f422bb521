import { randomUUID } from 'node:crypto';
import { directoryJobs, type InputOf } from '@overtone/contracts';
import { namedId, putJob, type Bus } from '@overtone/service-kit';

export type RunOrder = Pick<InputOf<typeof directoryJobs.run>, 'trigger' | 'dryRun'> &
  Partial<InputOf<typeof directoryJobs.run>>;
export type Orders = {
  check: (slot: Date) => Promise<void>;
  /** @returns the task's id, which is also the id of the pass; the same `name` within minutes enqueues one job. */
  run: (order: RunOrder, name?: string) => Promise<string>;
};

export const createOrders = ({ bus }: { bus: Bus }): Orders => ({
  check: (slot) =>
    putJob(bus, directoryJobs.checkSchedule, namedId(`check-${slot.toISOString()}`), { slot: slot.toISOString() }),
  run: async (input, name) => {
    const taskId = name ? namedId(name) : randomUUID();
    await putJob(bus, directoryJobs.run, taskId, { approvedPass: null, approvedBy: null, ...input });
    return taskId;
  },
});

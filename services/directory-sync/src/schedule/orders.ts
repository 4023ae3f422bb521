import { createHash, randomUUID } from 'node:crypto';
import { directoryJobs, type InputOf, type JobDef } from '@overtone/contracts';
import { carrier, type Bus } from '@overtone/service-kit';
import { headers } from 'nats';

export type RunOrder = Pick<InputOf<typeof directoryJobs.run>, 'trigger' | 'dryRun'> &
  Partial<InputOf<typeof directoryJobs.run>>;
export type Orders = {
  check: (slot: Date) => Promise<void>;
  /** @returns the task's id, which is the pass's; the same `name` within minutes is the same order. */
  run: (order: RunOrder, name?: string) => Promise<string>;
};

/** An id that everybody derives alike from a name. */
const idOf = (name: string): string => {
  const h = createHash('sha256').update(name).digest('hex');
  return `${h.slice(0, 8)}-${h.slice(8, 12)}-8${h.slice(13, 16)}-a${h.slice(17, 20)}-${h.slice(20, 32)}`;
};

export const createOrders = ({ bus }: { bus: Bus }): Orders => {
  const order = <J extends JobDef>(job: J, taskId: string, input: InputOf<J>): Promise<void> => {
    const h = headers();
    h.set('Nats-Msg-Id', taskId);
    for (const [k, v] of Object.entries(carrier())) h.set(k, v);
    return bus.publish(job.subject, JSON.stringify({ taskId, input }), { headers: h });
  };
  return {
    check: (slot) =>
      order(directoryJobs.checkSchedule, idOf(`check-${slot.toISOString()}`), { slot: slot.toISOString() }),
    run: async (input, name) => {
      const taskId = name ? idOf(name) : randomUUID();
      await order(directoryJobs.run, taskId, { approvedPass: null, approvedBy: null, ...input });
      return taskId;
    },
  };
};

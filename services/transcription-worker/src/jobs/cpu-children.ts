import { queueLimits } from '@overtone/contracts';
import { AppError, type ErrorCode, type ErrorKind, type Part } from '@overtone/service-kit';
import type { z } from 'zod';
import { ChildCrash, TaskRefused } from '../children/protocol.ts';
import { createTaskChildren } from '../children/task-child.ts';
import { outOfTime, processCrashed } from '../failures.ts';
import { assembled, prepared, type CpuTask } from './cpu-task.ts';

type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
type Order<K extends CpuTask['task']> = Without<Extract<CpuTask, { task: K }>, 'task' | 'env' | 'maxSeconds'>;
type Watching = { signal: AbortSignal; onProgress?: (share: number) => void };

/** Runs tasks of the queue `cpu` in processes that are recycled after the queue's number of tasks. */
export type CpuChildren = {
  prepare(order: Order<'prepare'>, watching: Watching): Promise<z.infer<typeof prepared>>;
  assemble(order: Order<'assemble'>, watching: Watching): Promise<z.infer<typeof assembled>>;
  part: Part;
};

const idleMs = 60_000;
const heapMb = 1_024;

export function createCpuChildren(options: {
  env: Record<string, string>;
  maxSeconds: number;
  recycleAfter?: number;
}): CpuChildren {
  const { recycleAfter = queueLimits.cpu.recycleAfter, env, maxSeconds } = options;
  const script = new URL('./cpu.child.ts', import.meta.url);
  const children = createTaskChildren({ script, env, heapMb, idleMs, recycleAfter });
  // Programs started by a task have their own timeouts; this one is for the child itself.
  const timeoutMs = 1_200_000 + maxSeconds * 500;
  const run = async <S extends z.ZodType>(input: CpuTask, answer: S, watching: Watching): Promise<z.infer<S>> => {
    const done = await children.run({ input, timeoutMs, ...watching }).catch((error: unknown) => {
      watching.signal.throwIfAborted();
      throw asOurs(error);
    });
    return answer.parse(done);
  };
  return {
    prepare: (order, watching) => run({ ...order, task: 'prepare', env, maxSeconds }, prepared, watching),
    assemble: (order, watching) => run({ ...order, task: 'assemble' }, assembled, watching),
    part: { name: 'processes of the queue cpu', start: async () => {}, stop: async () => children.close() },
  };
}

/** Converts a child's reported failures back to errors. */
function asOurs(error: unknown): unknown {
  if (error instanceof ChildCrash) {
    const more = { cause: error, detail: error.stderrTail };
    return error.timedOut ? outOfTime('Working on the recording', more) : processCrashed(more);
  }
  if (!(error instanceof TaskRefused)) return error;
  const { kind, code, message, detail } = error.failure;
  if (kind === undefined || code === undefined) return error;
  const more = { cause: error, ...(detail === undefined ? {} : { detail }) };
  return new AppError(kind as ErrorKind, code as ErrorCode, message, more);
}

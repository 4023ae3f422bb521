import { startChild, type Child, type ChildOptions, type TaskRun } from './child.ts';

export type TaskChildOptions = {
  /** Idle time before an unused child is ended; 0: immediately. */
  idleMs: number;
  /** Number of tasks before a child is recycled, to release leaked memory. */
  recycleAfter: number;
  /** Concurrent tasks of one child, which share its loaded model. */
  tasksAtOnce?: number;
} & ChildOptions;

export type TaskChildren = { run: (task: TaskRun) => Promise<unknown>; close: () => void };

/**
 * Runs tasks in Node child processes, so that aborts of native code and long computations affect only the child. A child
 * that has received its number of tasks gets no more and ends after the last one; the next task goes to a new child, so
 * that recycling loses no running task.
 */
export function createTaskChildren(options: TaskChildOptions): TaskChildren {
  const { tasksAtOnce = 1, recycleAfter, idleMs } = options;
  const all = new Map<Child, { retire?: NodeJS.Timeout }>();

  const end = (child: Child): void => {
    clearTimeout(all.get(child)?.retire);
    all.delete(child);
    child.kill();
  };
  const keep = (child: Child): void => {
    const entry = all.get(child);
    if (!entry) return;
    if (idleMs === 0 || child.given() >= recycleAfter) return end(child);
    entry.retire = setTimeout(() => end(child), idleMs).unref();
  };
  const begin = (): Child => {
    const child = startChild(options, { onIdle: keep, onEnd: end });
    all.set(child, {});
    return child;
  };
  /** The child with the most tasks and a free slot, so that the other children can end. */
  const take = (): Child => {
    const free = [...all.keys()].filter(
      (candidate) => candidate.open() && candidate.busy() < tasksAtOnce && candidate.given() < recycleAfter,
    );
    const [child = begin()] = free.sort((x, y) => y.busy() - x.busy());
    clearTimeout(all.get(child)?.retire);
    return child;
  };

  return {
    run: async (task) => {
      task.signal?.throwIfAborted();
      try {
        return await take().run(task);
      } catch (error) {
        task.signal?.throwIfAborted();
        throw error;
      }
    },
    close: () => {
      for (const child of all.keys()) end(child);
    },
  };
}

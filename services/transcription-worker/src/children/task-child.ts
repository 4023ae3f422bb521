import { startChild, type Child, type ChildOptions, type TaskRun } from './child.ts';

export { ChildCrash, TaskRefused } from './protocol.ts';

export interface TaskChildOptions extends ChildOptions {
  /** How long an unused child stays for the next task; 0 ends it at once. */
  idleMs: number;
  /** Tasks after which a child is replaced: what it has lost or hoarded comes back to the machine. */
  recycleAfter: number;
  /** Tasks that one child does at the same time, sharing what it has loaded. */
  tasksAtOnce?: number;
}

export interface TaskChildren {
  run: (task: TaskRun) => Promise<unknown>;
  close: () => void;
}

/**
 * Runs tasks in Node child processes: native code that aborts, or numbers that take long, hurt only the child.
 * A child that has been given its number of tasks gets no more; it ends when the last of them is answered, and the next
 * task goes to a successor, so no running task is lost by the replacement.
 */
export const createTaskChildren = (options: TaskChildOptions): TaskChildren => {
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
  /** The fullest child with room: what it has loaded serves most, and the others may end. */
  const take = (): Child => {
    const free = [...all.keys()].filter((c) => c.open() && c.busy() < tasksAtOnce && c.given() < recycleAfter);
    const [child = begin()] = free.sort((a, b) => b.busy() - a.busy());
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
};

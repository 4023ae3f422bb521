import { startChild, type Child, type ChildOptions, type TaskRun } from './child.ts';

export type TaskChildOptions = {
  /** Idle time before an unused child is ended; 0: immediately. */
  idleMs: number;
  /** Number of tasks before a child is recycled, to release leaked memory. */
  recycleAfter: number;
  /** Concurrent tasks of one child, which share its loaded model. */
  tasksAtOnce?: number;
} & ChildOptions;

/** What may change while children run. */
export type LiveChildOptions = Partial<Pick<TaskChildOptions, 'env' | 'recycleAfter' | 'tasksAtOnce'>>;

export type TaskChildren = { run: (task: TaskRun) => Promise<unknown>; close: () => void };

/**
 * Runs tasks in child processes, so that aborts of native code and long computations affect only the child. A child
 * that has received its number of tasks, or whose environment is no longer the current one, gets no more and ends after
 * the last one; the next task goes to a new child, so that recycling loses no running task.
 * @param live options that take precedence, read before every task.
 */
export function createTaskChildren(options: TaskChildOptions, live: () => LiveChildOptions = () => ({})): TaskChildren {
  const all = new Map<Child, { retire?: NodeJS.Timeout; env: string }>();
  const current = (): TaskChildOptions => ({ ...options, ...live() });
  const isCurrent = (child: Child, { env, recycleAfter }: TaskChildOptions): boolean =>
    child.given() < recycleAfter && all.get(child)?.env === JSON.stringify(env);

  const end = (child: Child): void => {
    clearTimeout(all.get(child)?.retire);
    all.delete(child);
    child.kill();
  };
  const keep = (child: Child): void => {
    const entry = all.get(child);
    if (!entry) return;
    if (options.idleMs === 0 || !isCurrent(child, current())) return end(child);
    entry.retire = setTimeout(() => end(child), options.idleMs).unref();
  };
  const begin = (now: TaskChildOptions): Child => {
    const child = startChild(now, { onIdle: keep, onEnd: end });
    all.set(child, { env: JSON.stringify(now.env) });
    return child;
  };
  /** The child with the most tasks and a free slot, so that the other children can end. */
  const take = (): Child => {
    const now = current();
    const free = [...all.keys()].filter(
      (candidate) => candidate.open() && candidate.busy() < (now.tasksAtOnce ?? 1) && isCurrent(candidate, now),
    );
    const [child = begin(now)] = free.sort((x, y) => y.busy() - x.busy());
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

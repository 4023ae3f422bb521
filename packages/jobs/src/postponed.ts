/** Waiting tasks that a worker leaves out of its claims at most. */
const most = 500;
/** Others may have claimed or cancelled a task since. */
const forgetAfterMs = 600_000;

/** Waiting tasks that this worker found to be remote while it had its most remote jobs. */
export function createPostponed(now: () => number = Date.now) {
  const tasks = new Map<string, { subject: string; at: number }>();
  const isFull = (): boolean => tasks.size >= most;
  return {
    add: (taskId: string, subject: string): void => {
      if (!isFull()) tasks.set(taskId, { subject, at: now() });
    },
    delete: (taskId: string): void => void tasks.delete(taskId),
    /** What to leave out of a claim: these tasks, and all of their kinds once there are too many of them. */
    current: (): { except: string[]; exceptSubjects: string[] } => {
      for (const [taskId, { at }] of tasks) if (now() - at > forgetAfterMs) tasks.delete(taskId);
      const subjects = [...tasks.values()].map(({ subject }) => subject);
      return { except: [...tasks.keys()], exceptSubjects: isFull() ? [...new Set(subjects)] : [] };
    },
  };
}

export type Postponed = ReturnType<typeof createPostponed>;

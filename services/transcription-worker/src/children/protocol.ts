/** What crosses the pipe between a worker and a task child; `id` tells the tasks of one child apart. */
export type TaskRequest = { id: number; input: unknown } | { id: number; cancel: true };

/** Why a child could not do a task; `kind` and `detail` where it was an expected failure of ours. */
export type TaskFailure = { message: string; code?: string; kind?: string; detail?: string };
export type TaskReply = { id: number } & ({ progress: number } | { result: unknown } | { failure: TaskFailure });

/** The child ended (signal, abort, `_Exit`) or ran out of time before it answered. */
export class ChildCrash extends Error {
  readonly stderrTail: string;
  readonly timedOut: boolean;

  constructor(message: string, stderrTail: string, timedOut: boolean) {
    super(message);
    this.name = 'ChildCrash';
    this.stderrTail = stderrTail;
    this.timedOut = timedOut;
  }
}

/** The child lives and says why it could not do the task. */
export class TaskRefused extends Error {
  readonly failure: TaskFailure;

  constructor(failure: TaskFailure) {
    super(failure.message);
    this.name = 'TaskRefused';
    this.failure = failure;
  }
}

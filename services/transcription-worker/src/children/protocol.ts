/** Messages between a worker and a task child; `id` identifies a task of the child. */
export type TaskRequest = { id: number; input: unknown } | { id: number; cancel: true };

/** Error of a task; `kind` and `detail` are set for expected failures. */
export type TaskFailure = { message: string; code?: string; kind?: string; detail?: string };
export type TaskReply = { id: number } & ({ progress: number } | { result: unknown } | { failure: TaskFailure });

/** The child ended (signal, abort, `_Exit`) or timed out before it sent a result. */
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

/** The child is alive and reported why the task failed. */
export class TaskRefused extends Error {
  readonly failure: TaskFailure;

  constructor(failure: TaskFailure) {
    super(failure.message);
    this.name = 'TaskRefused';
    this.failure = failure;
  }
}

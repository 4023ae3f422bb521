import type { TaskFailure, TaskReply, TaskRequest } from './protocol.ts';

/** Context of a task. */
export type TaskContext = {
  onProgress: (share: number) => void;
  /** Aborted when the result is no longer needed; only a shared child gets this signal, others are killed. */
  signal: AbortSignal;
};

/** Main loop of a task child: runs received tasks and ends with its parent. */
export function serveTasks(handle: (input: unknown, context: TaskContext) => Promise<unknown>): void {
  const underWay = new Map<number, AbortController>();
  process.on('disconnect', () => process.exit(0));
  process.on('message', (request: TaskRequest) => {
    const { id } = request;
    if ('cancel' in request) return underWay.get(id)?.abort(new Error('no longer wanted'));
    const aborter = new AbortController();
    underWay.set(id, aborter);
    const onProgress = (progress: number): void => void send({ id, progress });
    // A synchronous exception fails the task, too.
    Promise.resolve()
      .then(() => handle(request.input, { onProgress, signal: aborter.signal }))
      .then(
        (result) => send({ id, result }),
        (error: unknown) => send({ id, failure: failureOf(error) }),
      )
      .finally(() => underWay.delete(id));
  });
}

function send(reply: TaskReply): Promise<void> {
  return new Promise((resolve) => {
    if (!process.send) return resolve();
    process.send(reply, undefined, undefined, () => resolve());
  });
}

function failureOf(error: unknown): TaskFailure {
  const { message, code, kind, detail } = error as Error & Partial<TaskFailure>;
  const failure: TaskFailure = { message: message || String(error) };
  if (code !== undefined) failure.code = code;
  if (kind !== undefined) failure.kind = kind;
  if (detail !== undefined) failure.detail = detail;
  return failure;
}

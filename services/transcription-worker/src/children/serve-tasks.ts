import type { TaskReply, TaskRequest } from './task-child.ts';

const send = (reply: TaskReply): Promise<void> =>
  new Promise((resolve) => {
    if (!process.send) return resolve();
    process.send(reply, undefined, undefined, () => resolve());
  });

/** Main loop of a task child: answers one task after the other and ends with its parent. */
export const serveTasks = (handle: (input: unknown, onProgress: (share: number) => void) => Promise<unknown>): void => {
  process.on('disconnect', () => process.exit(0));
  process.on('message', (request: TaskRequest) => {
    const onProgress = (progress: number): void => void send({ progress });
    handle(request.input, onProgress).then(
      (result) => send({ result }),
      (error: unknown) => {
        const { message, code } = error as Error & { code?: string };
        return send({ failure: { message: message || String(error), ...(code === undefined ? {} : { code }) } });
      },
    );
  });
};

import { Worker } from 'node:worker_threads';
import { AppError } from '@overtone/service-kit/errors';
import pLimit from 'p-limit';
import type { CheckedTemplate } from './check-template.ts';
import { wordTemplateErrors } from './word-templates.ts';

export type CheckAnswer =
  | { kind: 'checked'; template: CheckedTemplate }
  | { kind: 'refused'; refusal: Pick<AppError, 'kind' | 'code' | 'message'> };

/** The largest document takes a few seconds. */
const timeoutMs = 60_000;
const resourceLimits = { maxOldGenerationSizeMb: 512 };
const limit = pLimit(1);

/** Checks documents in a thread of its own, one at a time: a hostile one costs at most that thread. */
export function checkInThread(
  bytes: Uint8Array,
): Promise<{ content: Uint8Array<ArrayBuffer>; placeholders: string[] }> {
  return limit(async () => {
    const worker = new Worker(new URL('./check-template.main.ts', import.meta.url), {
      workerData: bytes,
      resourceLimits,
      env: {},
    });
    const timer = setTimeout(() => void worker.terminate(), timeoutMs);
    try {
      const answer = await new Promise<CheckAnswer>((resolve, reject) => {
        worker.once('message', resolve);
        worker.once('error', (error: NodeJS.ErrnoException) =>
          reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? wordTemplateErrors.tooLarge({ cause: error }) : error),
        );
        worker.once('exit', () => reject(wordTemplateErrors.tooLarge()));
      });
      if (answer.kind === 'refused') {
        const { kind, code, message } = answer.refusal;
        throw new AppError(kind, code, message);
      }
      return { content: new Uint8Array(answer.template.content), placeholders: answer.template.placeholders };
    } finally {
      clearTimeout(timer);
      await worker.terminate();
    }
  });
}

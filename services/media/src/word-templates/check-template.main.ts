import { parentPort, workerData } from 'node:worker_threads';
import { isAppError } from '@overtone/service-kit/errors';
import type { CheckAnswer } from './check-template.adapter.ts';
import { checkTemplate } from './check-template.ts';

/** Runs in a worker thread: reading a large document would block the main thread. */
async function answer(bytes: Uint8Array): Promise<CheckAnswer> {
  try {
    return { kind: 'checked', template: await checkTemplate(bytes) };
  } catch (error) {
    if (!isAppError(error)) throw error;
    const { kind, code, message } = error;
    return { kind: 'refused', refusal: { kind, code, message } };
  }
}

parentPort?.postMessage(await answer(workerData as Uint8Array));

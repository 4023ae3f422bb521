import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Published checkpoints that are converted to ONNX. */
export const conversions = [
  'pyannote-segmentation',
  'campplus',
  'minilm',
  'nano-e5',
  'nano-e5-tokenizer',
  'nano-e5-config',
] as const;
export type Conversion = (typeof conversions)[number];
export type ConversionTask = { readonly conversion: Conversion; readonly from: string; readonly to: string };

/** Converts a file on a thread of its own: it takes seconds. */
export async function convertFile(task: ConversionTask): Promise<void> {
  const worker = new Worker(new URL('./convert.thread.ts', import.meta.url), { workerData: task });
  await once(worker, 'exit');
}

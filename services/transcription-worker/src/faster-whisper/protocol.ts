import type { SpeechTask } from '@overtone/contracts';
import { z } from 'zod';
import { TaskRefused } from '../children/protocol.ts';
import { recognisedSegment } from '../engines/engines.ts';

/** A model and how it is loaded. Tasks with the same values share one loaded model. */
const modelUse = z.object({
  folder: z.string(),
  device: z.enum(['cpu', 'cuda']),
  compute_type: z.enum(['int8', 'int8_float16', 'float16', 'float32']),
  threads: z.int().min(1),
  /** Concurrent recordings of one model. */
  workers: z.int().min(1),
});
export type ModelUse = z.infer<typeof modelUse>;

export type TranscribeTask = {
  task: 'transcribe';
  model: ModelUse;
  wav: string;
  seconds: number;
  /** A code of the model; null: it is detected. */
  language: string | null;
  speech_task: SpeechTask;
  vocabulary: readonly string[];
  /** Seconds, except the threshold. */
  vad: { threshold: number; min_speech: number; min_silence: number };
  /** Pieces decoded at once, fewer where memory does not suffice; 1: one after the other, each with the text before it. */
  batch: number;
};
/** Tasks of `python/serve.py`. */
export type WhisperTask = { task: 'load'; model: ModelUse } | TranscribeTask;

/** Whether a task failed because the memory of the GPU did not suffice, for one piece or for the model. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof TaskRefused && error.failure.code === 'out_of_memory';
}

export function onCpu(use: ModelUse): ModelUse {
  return { ...use, device: 'cpu', compute_type: 'int8' };
}

export const loadResult = z.object({ languages: z.array(z.string()), compute_type: z.string() });

const timeSpan = z.tuple([z.number(), z.number()]).transform(([start, end]) => ({ start, end }));
export const transcribeResult = z.object({
  language: z.string().nullable(),
  segments: z.array(recognisedSegment),
  /** Where the voice activity detection found speech. */
  speech: z.array(timeSpan),
});

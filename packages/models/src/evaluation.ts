import { join } from 'node:path';
import { z } from 'zod';
import { readJson, writeJson } from './files.ts';
import { evaluationFile } from './verification.ts';

const interval = z.object({ value: z.number(), low: z.number(), high: z.number() });

/** Figures of a model on a labelled set. */
export const evaluationSchema = z.object({
  version: z.literal(1),
  set: z.string(),
  at: z.iso.datetime(),
  recordings: z.int(),
  audio_seconds: z.number(),
  words: z.int(),
  /** Word error rate with its 95 % confidence interval, by bootstrap over the utterances; null: no reference texts. */
  wer: interval.nullable(),
  /** Diarization error rate; null: no reference turns. */
  der: z.object({ value: z.number(), collar_s: z.number(), method: z.string() }).nullable(),
  /** Recordings in which the number of speakers was found, among those with reference turns. */
  speakers: z.object({ right: z.int(), of: z.int() }).nullable().default(null),
  /** Seconds of engine work for a second of sound. */
  real_time_factor: z.number(),
  /** Seconds of processor for a second of sound, of all processes of the engine with the loading of its model. */
  processor_factor: z.number().nullable().default(null),
  peak_memory_mib: z.int().nullable(),
  /** The same rates by the programs of sctk, when they are installed. */
  sctk: z.object({ wer: z.number().nullable(), der: z.number().nullable() }).nullable(),
  cores: z.int(),
});
export type Evaluation = z.infer<typeof evaluationSchema>;

export async function readEvaluation(folder: string): Promise<Evaluation | undefined> {
  return evaluationSchema.safeParse(await readJson(join(folder, evaluationFile))).data;
}

export async function writeEvaluation(folder: string, evaluation: Evaluation): Promise<void> {
  await writeJson(join(folder, evaluationFile), evaluation);
}

import { z } from 'zod';

/** A verified model folder. */
const model = z.object({
  id: z.string(),
  folder: z.string(),
  files: z.record(z.string(), z.object({ path: z.string() })),
});
export type ModelFiles = z.infer<typeof model>;

export const textTask = z.discriminatedUnion('task', [
  z.object({ task: z.literal('embed'), model, texts: z.array(z.string()), kind: z.enum(['query', 'document']) }),
  z.object({ task: z.literal('find-names'), model, texts: z.array(z.string()) }),
]);
export type TextTask = z.infer<typeof textTask>;

// Not `instanceof`: a message of another process may be of another realm.
const vector = z.custom<Float32Array>((value) => ArrayBuffer.isView(value));
/** Normalised vectors in the order of the texts. */
export const embedResult = z.object({ dim: z.int(), vectors: z.array(vector) });
/** The names of each text, as ranges of its characters. */
export const namesResult = z.array(z.array(z.tuple([z.int(), z.int()])));

import { z } from 'zod';

/** A verified model folder. */
const model = z.object({ id: z.string(), folder: z.string(), files: z.record(z.string(), z.object({ path: z.string() })) });
export type ModelFiles = z.infer<typeof model>;

export const textTask = z.discriminatedUnion('task', [
  z.object({ task: z.literal('embed'), model, texts: z.array(z.string()), kind: z.enum(['query', 'document']) }),
  z.object({ task: z.literal('find-names'), model, texts: z.array(z.string()) }),
]);
export type TextTask = z.infer<typeof textTask>;

/** Normalised vectors in the order of the texts. */
export const embedResult = z.object({ dim: z.int(), vectors: z.array(z.instanceof(Float32Array)) });
/** The names of each text, as ranges of its characters. */
export const namesResult = z.array(z.array(z.tuple([z.int(), z.int()])));

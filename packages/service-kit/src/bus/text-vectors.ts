import { workerRpc, type ReplyOf } from '@overtone/contracts';
import { unavailable } from '../errors.ts';
import { decodeVector } from '../vectors.ts';
import type { Bus } from './bus.ts';

/** `vectors`: null for a text without words known to the model. */
export type TextVectors = { model: { name: string; dim: number }; vectors: (Float32Array | null)[] };

/** A sentence model takes up to a tenth of a second for each text on a busy machine. */
const batchSize = 32;

/**
 * Requests the vectors of texts from the workers. `reportProgress` gets the share that is done.
 * @throws AppError unavailable when no worker responds, or when their model changes during the request.
 */
export async function embedTexts(
  bus: Pick<Bus, 'request'>,
  texts: readonly string[],
  signal: AbortSignal,
  reportProgress: (share: number) => void = () => {},
): Promise<TextVectors> {
  const vectors: TextVectors['vectors'] = [];
  let model: TextVectors['model'] | undefined;
  for (let start = 0; start < texts.length; start += batchSize) {
    signal.throwIfAborted();
    const batch = texts.slice(start, start + batchSize);
    const reply = decodeVectors(await bus.request(workerRpc.embed, { texts: batch, kind: 'document' }));
    if (model && model.name !== reply.model.name)
      throw unavailable('service_unavailable', 'The text model changed while a file was read');
    model = reply.model;
    vectors.push(...reply.vectors);
    reportProgress(vectors.length / texts.length);
  }
  if (!model) throw new TypeError('no texts');
  return { model, vectors };
}

/** The vectors of a reply of a worker. */
export function decodeVectors({ model, dim, vectors }: ReplyOf<typeof workerRpc.embed>): TextVectors {
  return {
    model: { name: model, dim },
    vectors: vectors.map((encoded) => {
      const vector = decodeVector(encoded);
      return vector.length === dim && vector.some((x) => x !== 0) ? vector : null;
    }),
  };
}

import { embedTexts, type Bus, type Log } from '@overtone/service-kit';

/** Vectors of the sentences of a transcript, empty for a sentence without known words; null: there are none now. */
export type SentenceVectors = (sentences: readonly string[], signal: AbortSignal) => Promise<Float32Array[] | null>;

/** A sentence model takes up to 0.1 s for each sentence; a summary does not wait longer than this. */
const limitMs = 60_000;

/** The vectors that search uses, from the workers. Without them a summary compares the words of its sentences only. */
export function createSentenceVectors({ bus, log }: { bus: Pick<Bus, 'request'>; log: Log }): SentenceVectors {
  return async (sentences, signal) => {
    if (sentences.length === 0) return null;
    const limited = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
    try {
      const { vectors } = await embedTexts(bus, sentences, limited);
      return vectors.map((vector) => vector ?? new Float32Array());
    } catch (error) {
      signal.throwIfAborted();
      log.debug({ err: error as Error }, 'vectors of sentences unavailable, the summary compares words only');
      return null;
    }
  };
}

import { isAppError } from '@overtone/service-kit/errors';
import type { ReadMessage, ReadRequest } from './read-transcript.adapter.ts';
import { readTranscript, summaryOf } from './transcript-import.ts';

/** Bounds the messages, of which the parent converts each as a whole. */
const batchLetters = 500_000;

process.on('disconnect', () => process.exit(0));
process.on('message', (request: ReadRequest) => void answer(request));

async function answer({ source, options, summary }: ReadRequest): Promise<void> {
  try {
    const transcript = readTranscript(source, options);
    if (summary) return send({ kind: 'summary', summary: await summaryOf(transcript) });
    const { segments, ...about } = transcript;
    let batch: Extract<ReadMessage, { kind: 'segments' }>['segments'] = [];
    let letters = 0;
    for (const segment of segments) {
      const words = JSON.stringify(segment.words);
      batch.push({ ...segment, words });
      letters += words.length;
      if (letters < batchLetters) continue;
      send({ kind: 'segments', segments: batch });
      [batch, letters] = [[], 0];
    }
    send({ kind: 'segments', segments: batch });
    send({ kind: 'done', about });
  } catch (error) {
    if (!isAppError(error)) throw error;
    const { kind, code, message, extra } = error;
    send({ kind: 'refused', refusal: { kind, code, message, extra } });
  }
}

function send(message: ReadMessage): void {
  process.send?.(message);
}

import { parentPort, workerData } from 'node:worker_threads';
import type { FinderReply } from './find.adapter.ts';
import { patternError } from './pattern-error.ts';
import { createFindPlaces, type SearchedText, type TextPattern } from './replace.ts';

type Port = NonNullable<typeof parentPort>;

/** Runs in a worker thread: an expression over a long transcript would block the main thread. */
function serve(port: Port, pattern: TextPattern): void {
  const answer = prepare(pattern);
  port.on('message', (texts: SearchedText[]) => port.postMessage(answer(texts)));
}

function prepare(pattern: TextPattern): (texts: SearchedText[]) => FinderReply {
  try {
    const find = createFindPlaces(pattern);
    return (texts) => ({ kind: 'found', places: texts.map(find) });
  } catch (error) {
    const reason = patternError(pattern.find, error);
    return () => ({ kind: 'invalid', reason });
  }
}

if (parentPort) serve(parentPort, workerData as TextPattern);

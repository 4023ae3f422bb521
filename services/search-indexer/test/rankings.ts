import { createHash } from 'node:crypto';
import { searchRoutes } from '@overtone/contracts';
import { createLog, createMetrics } from '@overtone/service-kit';
import { createLanguage, randomOf } from '../bench/library.ts';
import { chunk } from '../src/chunking/chunking.ts';
import { rowsOf, windowTextsOf } from '../src/indexing/indexing.ts';
import type { SearchIndex } from '../src/ports/search-index.ts';
import { createLegs } from '../src/search/legs.service.ts';
import { parseQuery } from '../src/search/query.ts';
import { planSearch, textOfMeaning } from '../src/search/search.ts';
import { createTelemetry } from '../src/telemetry.ts';
import { splitWords } from '../src/tokenize/tokenize.ts';
import { record, type Recording } from './library.ts';

const model = { name: 'hashed-words', dim: 64 };
const ownerId = '00000000-0000-4000-8000-000000000001';

/** Recordings in an artificial language, and queries of some of its rarer words; the same at each call. */
export function artificialLibrary(files: number, queries: number): { recordings: Recording[]; queries: string[] } {
  const { text, tellingWord } = createLanguage(randomOf(11));
  const recordings = Array.from({ length: files }, (_, i) =>
    record({
      fileId: `10000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
      ownerId,
      turns: Array.from({ length: 8 }, (_turn, turn): [string, string] => [
        turn % 2 ? 'Ann' : 'Bob',
        text(60 + ((i * 37 + turn * 53) % 180)),
      ]),
    }),
  );
  return {
    recordings,
    queries: Array.from({ length: queries }, (_, i) => Array.from({ length: 2 + (i % 3) }, tellingWord).join(' ')),
  };
}

export type RankedFile = { fileId: string; score: number };

/** Fills an index. @returns a function that gives the files of a query, best first. */
export async function openRanking(index: SearchIndex, recordings: readonly Recording[]) {
  const log = createLog('search-indexer', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'text' });
  const build = await index.beginBuild('building', model);
  for (const { file, segments } of recordings) {
    const passages = chunk(segments);
    await index.replaceFile(
      build.id,
      file.fileId,
      rowsOf(file, passages, windowTextsOf(passages).map(vectorOf)),
      model,
    );
  }
  await index.promote();
  const { find, readMeaning } = createLegs({
    index,
    store: { hasFiles: async () => true },
    vectoriser: { query: async (text) => ({ model, vector: vectorOf(text) }) },
    telemetry: createTelemetry(createMetrics()),
    log,
    minSimilarity: 0.3,
  });
  return async (text: string): Promise<RankedFile[]> => {
    const query = searchRoutes.search.query.parse({ q: text });
    const scope = { ownerId, sharedIds: [] };
    const context = { parsed: parseQuery(text), scope, languages: ['en'], fileIds: null, excludedFileIds: [] };
    const { files } = await find(planSearch(query, context), readMeaning(textOfMeaning(query, context.parsed)));
    return files.map(({ fileId, score }) => ({ fileId, score }));
  };
}

/**
 * Whether two rankings have the same first `count` files. A file that only one of them has there counts as the same when
 * the other one has it with nearly the score of its last file: Elasticsearch stores the length of a text in one byte, so
 * that its scores differ by a few per cent from exact ones.
 * @param tie the share of the last file's score that is nearly the same
 */
export function areSame(x: readonly RankedFile[], y: readonly RankedFile[], count: number, tie: number): boolean {
  return isNearlyAmong(x, y, count, tie) && isNearlyAmong(y, x, count, tie);
}

function isNearlyAmong(x: readonly RankedFile[], y: readonly RankedFile[], count: number, tie: number): boolean {
  const last = y[Math.min(count, y.length) - 1]?.score ?? 0;
  const scores = new Map(y.map(({ fileId, score }) => [fileId, score]));
  return x.slice(0, count).every(({ fileId }) => (scores.get(fileId) ?? -1) >= last * tie);
}

/** The sum of a direction per word: texts with the same words are similar. */
function vectorOf(text: string): Float32Array {
  const vector = new Float32Array(model.dim);
  for (const { text: word } of splitWords(text)) {
    const bytes = createHash('sha512').update(word).digest();
    for (let i = 0; i < model.dim; i++) vector[i] = (vector[i] ?? 0) + (bytes[i] ?? 0) - 127.5;
  }
  const length = Math.hypot(...vector);
  return vector.map((x) => x / length);
}

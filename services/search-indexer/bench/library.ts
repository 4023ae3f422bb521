import { randomUUID } from 'node:crypto';
import type { Layout } from '../src/chunking/chunking.ts';
import { fileRowIdOf, rowIdOf, sectionIdOf, type IndexRow } from '../src/ports/search-index.ts';
import { digestOf } from '../src/indexing/indexing.ts';
import { termsOf } from '../src/tokenize/tokenize.ts';

/** A reproducible stream of numbers in [0, 1). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const syllables =
  'ba be bi bo da de di do fa fe ga go ka ke la le li lo ma me mi na ne no pa pe ra re ri ro sa se ta te to va ve za zo'.split(
    ' ',
  );
const vocabularySize = 30_000;

/** Words of an artificial language with realistic frequencies (Zipf). */
export function createLanguage(random: () => number) {
  const vocabulary = Array.from({ length: vocabularySize }, (_, i) => {
    let word = '';
    for (let rest = i + 40; rest > 0; rest = Math.floor(rest / syllables.length))
      word += syllables[rest % syllables.length];
    return word;
  });
  const word = (): string => vocabulary[Math.floor(vocabularySize ** random()) - 1] ?? 'ba';
  /** A plausible search word: not one of the hundred most frequent. */
  const tellingWord = (): string => vocabulary[Math.floor(100 * (vocabularySize / 100) ** random())] ?? 'ba';
  return { text: (words: number) => Array.from({ length: words }, word).join(' '), tellingWord };
}

/** The spread of vectors around their topics. Measured: with 1.5, neighbors are as hard to find as among windows of meetings. */
const spread = 1.5;

/** A unit vector near one of the given topics. */
export function createVectors(random: () => number, dim: number) {
  const gauss = () => Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());
  const unit = (vector: Float32Array): Float32Array => {
    const length = Math.hypot(...vector);
    return vector.map((x) => x / length);
  };
  const topics = Array.from({ length: 500 }, () => unit(Float32Array.from({ length: dim }, gauss)));
  return (): Float32Array => {
    const topic = topics[Math.floor(random() * topics.length)] ?? new Float32Array(dim);
    return unit(topic.map((x) => x + (spread / Math.sqrt(dim)) * gauss()));
  };
}

/** A passage of 150 words has about four windows. */
const windowTokens = [0, 38, 76, 114];
export type BenchFile = { fileId: string; ownerId: string; rows: IndexRow[] };

/** A file of `passages` passages of 150 words, as the service would index it. */
export function makeFile(
  { text, vector, ownerId }: { text: (words: number) => string; vector: () => Float32Array; ownerId: string },
  passages: number,
): BenchFile {
  const fileId = randomUUID();
  const common = {
    fileId,
    ownerId,
    tags: ['tag1'],
    uploaded: 1_700_000_000_000,
    duration: passages * 60,
    media: 'audio' as const,
    sectionTerms: null,
    fileTerms: null,
    speakers: ['ann', 'bob'],
  };
  const rows = Array.from({ length: passages }, (_, index): IndexRow[] => {
    const said = text(150);
    const at = [...said.matchAll(/\S+/g)].map((match) => match.index);
    const ms = at.map((_word, i) => (index * 150 + i) * 400);
    const layout: Layout = {
      at,
      ms,
      turns: [
        [0, 'Ann'],
        [75, 'Bob'],
      ],
    };
    const passage: IndexRow = {
      ...common,
      id: rowIdOf(fileId, index),
      kind: 'passage',
      terms: termsOf(said, 'en'),
      shown: { id: rowIdOf(fileId, index), text: said, end: index * 60 + 60, layout },
      vector: null,
    };
    const windows = windowTokens.map((token): IndexRow => ({
      ...common,
      id: rowIdOf(fileId, index, token),
      kind: 'window',
      terms: '',
      shown: null,
      vector: vector(),
    }));
    return [passage, ...windows];
  }).flat();
  return { fileId, ownerId, rows: [...rows, ...rankingRows(common, rows)] };
}

/** The rows by which files are ranked, as the service would index them. */
function rankingRows(common: Omit<IndexRow, 'id' | 'kind' | 'terms' | 'shown' | 'vector'>, rows: readonly IndexRow[]) {
  const stems = rows.flatMap(({ terms }) => terms.split(' '));
  const empty = { ...common, terms: '', shown: null, vector: null };
  const sections = Array.from({ length: Math.ceil(stems.length / 400) }, (_, i): IndexRow => ({
    ...empty,
    id: sectionIdOf(common.fileId, i),
    kind: 'section',
    sectionTerms: stems.slice(i * 400, i * 400 + 400).join(' '),
  }));
  const file: IndexRow = { ...empty, id: fileRowIdOf(common.fileId), kind: 'file', fileTerms: digestOf(stems) };
  return [...sections, file];
}

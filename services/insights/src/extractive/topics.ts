import { keyphrasesIn, type WordFrequencies } from './keyphrases.ts';
import type { Sentence } from './sentences.ts';
import type { Vocabulary } from './words.ts';

/** A part of a recording about one subject: times in seconds, the sentences from `first` to `last`, both inclusive. */
export type Topic = {
  title: string;
  start: number;
  end: number;
  first: number;
  last: number;
  segmentUuids: string[];
};

/** Words on each side of a gap that are compared. */
const windowWords = 200;
const minWords = 350;
const wordsPerTopic = 900;
const maxTopics = 24;
const titlePhrases = 2;

/** Parts of the transcript where the words change, each with its own keyphrases as title. A part without one is joined to the part before. */
export function findTopics(
  sentences: readonly Sentence[],
  frequencies: WordFrequencies | null,
  vocabulary: Vocabulary,
): Topic[] {
  const used = new Set<string>();
  const topics: Topic[] = [];
  for (const { first, last } of sectionsOf(sentences)) {
    const part = sentences.slice(first, last + 1);
    const title = titleOf(part, sentences, used, frequencies, vocabulary);
    const previous = topics.at(-1);
    const range = { end: part.at(-1)?.end ?? 0, last };
    const segmentUuids = [...new Set(part.flatMap((sentence) => sentence.segmentUuids))];
    if (title !== null) topics.push({ title, start: part[0]?.start ?? 0, first, segmentUuids, ...range });
    else if (previous)
      topics[topics.length - 1] = {
        ...previous,
        ...range,
        segmentUuids: [...new Set([...previous.segmentUuids, ...segmentUuids])],
      };
  }
  // A sentence has the times of its segments, and a segment may belong to two topics.
  return topics.map((topic, i) => ({ ...topic, end: topics[i + 1]?.start ?? topic.end }));
}

type Section = { first: number; last: number };

/** TextTiling: a boundary is where the words before a gap differ most from the words after it. */
function sectionsOf(sentences: readonly Sentence[]): Section[] {
  if (sentences.length === 0) return [];
  const words = wordsBefore(sentences);
  const depths = depthsOf(gapSimilarities(sentences));
  const mean = depths.reduce((sum, depth) => sum + depth, 0) / (depths.length || 1);
  const deviation = Math.sqrt(depths.reduce((sum, depth) => sum + (depth - mean) ** 2, 0) / (depths.length || 1));
  const wanted = Math.min(maxTopics, Math.max(1, Math.round((words.at(-1) ?? 0) / wordsPerTopic)));
  const boundaries: number[] = [];
  const byDepth = depths.map((depth, i) => ({ depth, at: i + 1 })).toSorted((x, y) => y.depth - x.depth);
  for (const { depth, at } of byDepth) {
    if (boundaries.length >= wanted - 1 || depth < mean + deviation / 2) break;
    const edges = [0, sentences.length, ...boundaries];
    if (edges.every((edge) => Math.abs((words[edge] ?? 0) - (words[at] ?? 0)) >= minWords)) boundaries.push(at);
  }
  const starts = [0, ...boundaries.toSorted((x, y) => x - y)];
  return starts.map((first, i) => ({ first, last: (starts[i + 1] ?? sentences.length) - 1 }));
}

/** The number of words before each sentence, and the total at the end. */
function wordsBefore(sentences: readonly Sentence[]): number[] {
  const counts = [0];
  for (const { wordCount } of sentences) counts.push((counts.at(-1) ?? 0) + wordCount);
  return counts;
}

/** Cosine of the words before and after each gap. Entry 0 is the gap before sentence 1. */
function gapSimilarities(sentences: readonly Sentence[]): number[] {
  const words = wordsBefore(sentences);
  const [before, after] = [new WordWindow(), new WordWindow()];
  const similarities: number[] = [];
  let [from, to] = [0, 1];
  before.add(sentences[0]?.terms ?? []);
  for (let gap = 1; gap < sentences.length; gap += 1) {
    while (to < sentences.length && (to <= gap || (words[to] ?? 0) - (words[gap] ?? 0) < windowWords)) {
      after.add(sentences[to]?.terms ?? []);
      to += 1;
    }
    while (from < gap - 1 && (words[gap] ?? 0) - (words[from + 1] ?? 0) >= windowWords) {
      before.remove(sentences[from]?.terms ?? []);
      from += 1;
    }
    similarities.push(before.cosine(after));
    before.add(sentences[gap]?.terms ?? []);
    after.remove(sentences[gap]?.terms ?? []);
  }
  return similarities;
}

/** How far the similarity at each gap lies below the peaks on both sides. */
function depthsOf(similarities: readonly number[]): number[] {
  return similarities.map((similarity, at) => {
    let [left, right] = [similarity, similarity];
    for (let i = at - 1; i >= 0 && (similarities[i] ?? 0) >= left; i -= 1) left = similarities[i] ?? left;
    for (let i = at + 1; i < similarities.length && (similarities[i] ?? 0) >= right; i += 1)
      right = similarities[i] ?? right;
    return left + right - 2 * similarity;
  });
}

/** The best keyphrases of a part that no earlier part has used. */
function titleOf(
  part: readonly Sentence[],
  all: readonly Sentence[],
  used: Set<string>,
  frequencies: WordFrequencies | null,
  vocabulary: Vocabulary,
): string | null {
  const elsewhere = frequenciesIn(all, part.length);
  const candidates = keyphrasesIn(part, elsewhere ?? frequencies, vocabulary).filter(({ key }) => !used.has(key));
  const chosen: typeof candidates = [];
  for (const candidate of candidates) {
    const words = new Set(chosen.flatMap(({ key }) => key.split(' ')));
    if (chosen.length < titlePhrases && !candidate.key.split(' ').some((word) => words.has(word)))
      chosen.push(candidate);
  }
  for (const { key } of chosen) used.add(key);
  const [first] = chosen;
  return first ? capitalise(chosen.map(({ phrase }) => phrase).join(', ')) : null;
}

/** The recording as its own library: pages of as many sentences as the part has. */
function frequenciesIn(sentences: readonly Sentence[], size: number): WordFrequencies | null {
  const documents = Math.floor(sentences.length / size);
  if (documents < 3) return null;
  const counts = new Map<string, number>();
  for (let page = 0; page < documents; page += 1) {
    const terms = new Set(sentences.slice(page * size, (page + 1) * size).flatMap((sentence) => sentence.terms));
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  return { documents, documentsWith: (term) => counts.get(term) ?? 0 };
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Word counts of a moving window. */
class WordWindow {
  readonly #counts = new Map<string, number>();

  add(terms: readonly string[]): void {
    for (const term of terms) this.#counts.set(term, (this.#counts.get(term) ?? 0) + 1);
  }

  remove(terms: readonly string[]): void {
    for (const term of terms) {
      const count = (this.#counts.get(term) ?? 0) - 1;
      if (count > 0) this.#counts.set(term, count);
      else this.#counts.delete(term);
    }
  }

  cosine(other: WordWindow): number {
    let shared = 0;
    for (const [term, count] of this.#counts) shared += count * (other.#counts.get(term) ?? 0);
    return shared / (this.#length() * other.#length() || 1);
  }

  #length(): number {
    let squares = 0;
    for (const count of this.#counts.values()) squares += count * count;
    return Math.sqrt(squares);
  }
}

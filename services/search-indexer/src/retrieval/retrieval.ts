import type { Evidence } from '@overtone/contracts';
import type { AccessScope } from '../access/access.ts';
import type { Layout } from '../chunking/chunking.ts';
import { isCard, type Shown } from '../ports/search-index.ts';
import {
  parseQuery,
  planSearch,
  type FileHit,
  type FusedHit,
  type Languages,
  type SearchPlan,
} from '../search/search.ts';
import { formsOf, isQuestionWord, isStopWord, splitWords } from '../tokenize/tokenize.ts';

/** The least share of the question's words, by rarity, in the best passages of one file, and in one passage. */
const minCoverage = { file: 0.5, passage: 0.3 };

/** In a small library every word that does not occur would look rare: these files are assumed in addition. */
const assumed = { files: 20, withWord: 2 };

/** Plans the search for a question. It has no operators: quotes and minus signs in a question mean nothing special. */
export function planQuestion(
  question: string,
  { scope, languages, fileIds }: { scope: AccessScope; languages: Languages; fileIds: readonly string[] | null },
): SearchPlan {
  const text = question.replaceAll(/["“”:]|(?<=^|\s)-/gu, ' ');
  return planSearch(
    { search_mode: 'hybrid', speakers: [], tags: [], file_type: [] },
    { parsed: parseQuery(text), scope, fileIds, excludedFileIds: [], languages },
  );
}

/** The passages of a file that are passed on, best first; its title is not speech. */
export function bestPassages({ passages }: FileHit, limit: number): FusedHit[] {
  return passages.filter(({ id }) => !isCard(id)).slice(0, limit);
}

/** A found passage in the reply; its speaker is the one who says most of it. */
export function passageOf({ text, end, layout }: Shown, { score }: FusedHit) {
  return { start: (layout?.ms[0] ?? 0) / 1000, end, text, speaker: mainSpeaker(layout), score };
}

function mainSpeaker(layout: Layout | null): string | null {
  const tokens = new Map<string | null, number>();
  for (const [i, [start, speaker]] of layout?.turns.entries() ?? []) {
    const next = layout?.turns[i + 1]?.[0] ?? layout?.at.length ?? start;
    tokens.set(speaker, (tokens.get(speaker) ?? 0) + next - start);
  }
  return [...tokens].toSorted(([, x], [, y]) => y - x)[0]?.[0] ?? null;
}

export type RetrievedPassage = ReturnType<typeof passageOf>;
/** What was read of one file. */
export type RetrievedFile = {
  title: string;
  language: string | null;
  speakers: readonly string[];
  passages: RetrievedPassage[];
};
/** How many of the files that may be found contain a word. */
export type Frequencies = { files: number; of: ReadonlyMap<string, number> };

/** The words of a question that say what it is about; none for a question such as "Summarize the meeting". */
export function topicWords({ parsed }: Pick<SearchPlan, 'parsed'>): string[] {
  return parsed.words.filter((word) => !isStopWord(word) && !isQuestionWord(word));
}

/**
 * Whether the best passages contain the words of the question, the rarer ones of which count more. Measured on 1,095
 * questions (`./overtone bench ask`).
 */
export function evidenceOf(
  words: readonly string[],
  frequencies: Frequencies,
  files: readonly RetrievedFile[],
): Evidence {
  if (words.length === 0) return 'general';
  const inFile = Math.max(0, ...files.map((file) => coverageOf(words, frequencies, file, file.passages)));
  const inPassage = Math.max(
    0,
    ...files.flatMap((file) => file.passages.map((passage) => coverageOf(words, frequencies, file, [passage]))),
  );
  return inFile >= minCoverage.file && inPassage >= minCoverage.passage ? 'answer' : 'none';
}

/** The share of the words, weighted by rarity, that occur in the passages or are names of the file or its speakers. */
function coverageOf(
  words: readonly string[],
  { files, of }: Frequencies,
  { title, speakers, language }: RetrievedFile,
  passages: readonly RetrievedPassage[],
): number {
  const forms = (word: string): readonly string[] => formsOf(word, language);
  const texts = [title, ...speakers, ...passages.map(({ text }) => text)];
  const said = new Set(texts.flatMap((text) => splitWords(text).flatMap((word) => forms(word.text))));
  let [covered, total] = [0, 0];
  for (const word of words) {
    const rarity = Math.log(1 + (files + assumed.files) / ((of.get(word) ?? 0) + assumed.withWord));
    total += rarity;
    if (forms(word).some((form) => said.has(form))) covered += rarity;
  }
  return covered / total;
}

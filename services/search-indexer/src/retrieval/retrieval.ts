import type { Evidence } from '@overtone/contracts';
import type { AccessScope } from '../access/access.ts';
import type { Layout } from '../chunking/chunking.ts';
import type { Shown } from '../ports/search-index.ts';
import { planSearch, type FileHit, type FusedHit, type Languages, type SearchPlan } from '../search/search.ts';
import { isQuestionWord, isStopWord, splitWords, stemmerOf } from '../tokenize/tokenize.ts';

/** A hybrid search without filters. */
const hybrid = {
  page: 1,
  page_size: 20,
  search_mode: 'hybrid',
  speakers: [],
  tags: [],
  file_type: [],
  sort_by: 'relevance',
  sort_order: 'desc',
} as const satisfies Partial<Parameters<typeof planSearch>[0]>;

/** Share of the question's words in the passages from which on they count as an answer. */
const minCoverage = 0.4;

/** Plans the search for a question. It has no operators: quotes in a question do not demand exact words. */
export function planQuestion(
  question: string,
  { scope, languages, fileIds }: { scope: AccessScope; languages: Languages; fileIds: readonly string[] | null },
): SearchPlan {
  const text = question.replaceAll(/["“”:]/gu, ' ');
  const query = { ...hybrid, speakers: [], tags: [], file_type: [], q: text };
  return planSearch(query, { scope, fileIds, languages });
}

/** The passages of a file that are passed on, best first; its title is not speech. */
export function bestPassages({ passages }: FileHit, limit: number): FusedHit[] {
  return passages.filter(({ id }) => !id.endsWith(':-1')).slice(0, limit);
}

/** A found passage as it is passed on; its speaker is the one who says most of it. */
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

type Read = { language: string | null; texts: readonly { text: string }[] };

/** Whether the passages contain the words of the question. */
export function evidenceOf({ parsed }: Pick<SearchPlan, 'parsed'>, files: readonly Read[]): Evidence {
  const words = parsed.words.filter((word) => !isStopWord(word) && !isQuestionWord(word));
  if (words.length === 0) return 'general';
  const best = Math.max(0, ...files.map((file) => coverageOf(words, file)));
  return best >= minCoverage ? 'answer' : 'none';
}

/** The share of the words that occur in the passages of one file. */
function coverageOf(words: readonly string[], { language, texts }: Read): number {
  const stem = stemmerOf(language);
  const said = new Set(texts.flatMap(({ text }) => splitWords(text).map((word) => stem(word.text))));
  return words.filter((word) => said.has(stem(word))).length / words.length;
}

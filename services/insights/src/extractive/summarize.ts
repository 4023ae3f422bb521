import type { ActionContext } from './action-items.ts';
import { cuesOf } from './cues-of.ts';
import { rankSentences, similarityOf, weighTerms, type Similarity } from './graph.ts';
import type { WordFrequencies } from './keyphrases.ts';
import { partsOf } from './person-names.ts';
import type { Sentence } from './sentences.ts';
import { findActionItems, findDecisions, findFollowUps } from './statements.ts';
import { findTopics } from './topics.ts';
import { tidyText } from './tidy.ts';
import { vocabularyOf } from './words.ts';

/** A sentence of the transcript with the segments it was spoken in; `start` in seconds. */
export type Statement = { text: string; segmentUuids: string[]; start: number };

/** A summary made of sentences of the transcript, each list in the order of the recording. */
export type ExtractiveSummary = {
  brief: Statement[];
  keyDecisions: Statement[];
  /** `owner` in its displayed form, `dueDate` as it was spoken; null when it was not mentioned. */
  actionItems: (Statement & { owner: string | null; dueDate: string | null })[];
  topics: { title: string; start: number; end: number; segmentUuids: string[] }[];
  followUps: Statement[];
};

export type SummaryInput = {
  /** From `splitSentences` with the vocabulary of the same language. */
  sentences: readonly Sentence[];
  /** One per sentence, or null: word overlap only. */
  vectors: readonly Float32Array[] | null;
  frequencies: WordFrequencies | null;
  language: string | null;
  /** Names of people who may have been there, to recognise and complete the owners of action items. */
  knownNames: readonly string[];
};

const maxDecisions = 20;
const maxFollowUps = 15;
const sameStatementFrom = 0.7;

/** Without a language model. A language without cue phrases gets a brief and topics only. */
export async function summarize({
  sentences,
  vectors,
  frequencies,
  language,
  knownNames,
}: SummaryInput): Promise<ExtractiveSummary> {
  const vocabulary = vocabularyOf(language);
  const weights = weighTerms(sentences);
  const similarity = similarityOf(weights, vectors);
  const ranks = await rankSentences(weights, similarity);
  const cues = cuesOf[vocabulary.code];
  const topics = findTopics(sentences, frequencies, vocabulary);
  const scores = sentences.map((sentence, at) =>
    scoreOf(sentence, ranks[at] ?? 0, at / sentences.length, cues?.emphasis),
  );
  const places = new Map(sentences.map((sentence, at) => [sentence, at]));
  const distinct = (found: readonly Sentence[], most: number): Statement[] =>
    withoutRepeats(found, most, { places, similarity }).map(statementOf);
  const people = peopleOf(sentences, knownNames);
  const context: ActionContext | null = cues ? { cues, language: vocabulary.code, ...people } : null;
  return {
    brief: selectBrief(sentences, scores, similarity).map(statementOf),
    keyDecisions: cues ? distinct(findDecisions(sentences, cues), maxDecisions) : [],
    actionItems: context
      ? findActionItems(sentences, context).map(({ sentence, owner, dueDate }) => ({
          ...statementOf(sentence),
          owner,
          dueDate,
        }))
      : [],
    topics: topics.map(({ title, start, end, segmentUuids }) => ({ title, start, end, segmentUuids })),
    followUps: cues ? distinct(findFollowUps(sentences, cues), maxFollowUps) : [],
  };
}

function peopleOf(
  sentences: readonly Sentence[],
  knownNames: readonly string[],
): Pick<ActionContext, 'known' | 'knownNames'> {
  const speakers = [...new Set(sentences.flatMap(({ speakerName }) => speakerName ?? []))];
  const names = [...new Set([...knownNames, ...speakers])];
  return { known: partsOf(names), knownNames: names };
}

const minWords = 8;
const bestWords = 18;
const maxWords = 45;
const minTerms = 3;
const edge = 0.05;
const edgeBonus = 1.05;
const emphasisBonus = 1.3;
const incomplete = 0.8;
/** A sentence that begins with one of these needs the one before it. */
const fragment = /^(?:and|but|or|because|which|so that|cuz|that's|und|aber|oder|weil|denn|sondern)\b/i;

/** Centrality, corrected for what a summary needs: complete sentences of medium length, from the beginning or the end rather. */
function scoreOf(
  { text, wordCount, terms }: Sentence,
  rank: number,
  position: number,
  emphasis: RegExp | undefined,
): number {
  if (wordCount < minWords || terms.length < minTerms || text.endsWith('?')) return 0;
  const length = wordCount <= bestWords ? wordCount / bestWords : wordCount <= maxWords ? 1 : maxWords / wordCount;
  const density = Math.min(1, terms.length / wordCount / 0.35);
  const place = position < edge || position > 1 - edge ? edgeBonus : 1;
  const stressed = emphasis?.test(text) ? emphasisBonus : 1;
  return (
    rank *
    length *
    density *
    place *
    stressed *
    (fragment.test(text) ? incomplete : 1) *
    (/[.!]['"”]?$/.test(text) ? 1 : incomplete)
  );
}

const wordsPerSentence = 1_500;
const redundancy = 0.6;
const candidates = 200;

/** Maximal marginal relevance: the best sentences that do not repeat each other. Three to seven of them. */
function selectBrief(sentences: readonly Sentence[], scores: readonly number[], similarity: Similarity): Sentence[] {
  const words = sentences.reduce((sum, { wordCount }) => sum + wordCount, 0);
  const wanted = Math.min(7, 3 + Math.floor(words / wordsPerSentence));
  const best = [...scores.keys()].toSorted((x, y) => (scores[y] ?? 0) - (scores[x] ?? 0)).slice(0, candidates);
  const open = new Set(best.filter((at) => (scores[at] ?? 0) > 0));
  const chosen: number[] = [];
  while (chosen.length < wanted && open.size > 0) {
    let [next, most] = [-1, -Infinity];
    for (const at of open) {
      const repeated = chosen.reduce((highest, other) => Math.max(highest, similarity(at, other)), 0);
      const value = (scores[at] ?? 0) * (1 - redundancy * repeated) - (repeated > sameStatementFrom ? 1 : 0);
      if (value > most) [next, most] = [at, value];
    }
    open.delete(next);
    chosen.push(next);
  }
  return chosen.toSorted((x, y) => x - y).flatMap((at) => sentences[at] ?? []);
}

/** The first `most` sentences that differ from each other; more are not compared, because a transcript can have thousands. */
function withoutRepeats(
  found: readonly Sentence[],
  most: number,
  { places, similarity }: { places: ReadonlyMap<Sentence, number>; similarity: Similarity },
): Sentence[] {
  const kept: Sentence[] = [];
  for (const sentence of found) {
    if (kept.length === most) break;
    const at = places.get(sentence) ?? 0;
    if (kept.every((other) => similarity(at, places.get(other) ?? 0) < sameStatementFrom)) kept.push(sentence);
  }
  return kept;
}

function statementOf({ text, segmentUuids, start }: Sentence): Statement {
  const plain = tidyText(text);
  return { text: plain.charAt(0).toUpperCase() + plain.slice(1), segmentUuids, start };
}

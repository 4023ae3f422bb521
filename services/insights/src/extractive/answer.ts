import { carryingWordsOf, isAboutAnother, says } from './carrying-words.ts';
import { cuesOf } from './cues-of.ts';
import { splitSentences } from './sentences.ts';
import { isDecision } from './statements.ts';
import { fold, vocabularyOf, wordsOf, type Vocabulary } from './words.ts';

/** A passage found for a question, best first; `score` of the search, of any scale; `speaker`: the displayed name. */
export type Passage = { id: string; text: string; score: number; speaker?: string | null };

/** Sentences of the passages, each with the passage it stands in, or no answer. */
export type ExtractiveAnswer =
  { kind: 'answered'; sentences: { text: string; passageId: string }[] } | { kind: 'declined'; missing: string[] };

const maxSentences = 3;
/** The share of the question's meaning, by rarity of its words, that a passage must have. */
const minCoverage = 0.5;
/** A sentence with less than this share of the best one's score is left out. */
const minShare = 0.6;
const minWords = 4;

/** Words of a question that its answer does not repeat. */
const questionWords = new Set(
  (
    'what which who whom whose when where why how many much long often does did do is are was were say said says tell discuss discussed discussion mention mentioned talk talked think thought opinion about according meeting recording group team summarize summarise explain describe ' +
    'was welche welcher welches wer wen wem wann wo warum wieso wie viele viel lange sagt sagte gesagt meint meinte denkt erwähnt besprochen diskutiert über besprechung aufnahme gruppe erkläre beschreibe'
  ).split(' '),
);

type Candidate = { text: string; passageId: string; score: number; terms: ReadonlySet<string> };

/** The sentences that answer a question best, in the order of the passages. Declines when no passage has what the question is about. */
export function answerFrom(question: string, passages: readonly Passage[], language: string | null): ExtractiveAnswer {
  const vocabulary = vocabularyOf(language);
  const wanted = meaningOf(question, vocabulary);
  const ignored = new Set([...questionWords].map((word) => vocabulary.stem(word)));
  for (const term of ignored) wanted.delete(term);
  const carrying = carryingWordsOf(question, vocabulary, ignored);
  const passageTerms = passages.map(({ text, speaker }) =>
    withSynonyms(meaningOf(`${speaker ?? ''} ${text}`, vocabulary), wanted, vocabulary),
  );
  const weights = weightsOf(wanted, passageTerms);
  const coverage = (terms: ReadonlySet<string>): number => shareOf(weights, terms);
  const best = passageTerms.reduce((most, terms) => Math.max(most, coverage(terms)), 0);
  const missing = [...wanted].filter((term) => passageTerms.every((terms) => !terms.has(term)));
  const isNearMiss =
    carrying.required.some((term) => missing.includes(term)) ||
    carrying.pairs.some(([qualifier]) => missing.includes(qualifier));
  if (wanted.size === 0 || best < minCoverage || isNearMiss) return { kind: 'declined', missing };
  const candidates = passages.flatMap((passage, rank): Candidate[] =>
    sentencesOf(passage, vocabulary).flatMap((text) => {
      if (carrying.pairs.some((pair) => isAboutAnother(text, pair, vocabulary))) return [];
      const terms = meaningOf(text, vocabulary);
      const said = withSynonyms(meaningOf(`${passage.speaker ?? ''} ${text}`, vocabulary), wanted, vocabulary);
      const context = coverage(passageTerms[rank] ?? new Set());
      const score = (coverage(said) + 0.3 * context) * kindBonus(question, text, vocabulary) * (1 / (1 + 0.1 * rank));
      return [{ text, passageId: passage.id, terms, score: text.endsWith('?') ? score / 2 : score }];
    }),
  );
  return candidates.length === 0 ? { kind: 'declined', missing } : { kind: 'answered', sentences: choose(candidates) };
}

function sentencesOf({ id, text }: Passage, vocabulary: Vocabulary): string[] {
  const segment = { uuid: id, start: 0, end: 0, text, speakerUuid: null, speakerName: null };
  return splitSentences([segment], vocabulary)
    .filter(({ wordCount }) => wordCount >= minWords)
    .map((sentence) => sentence.text);
}

/** With the stems of the question that the text says in another form or by a synonym. */
function withSynonyms(terms: Set<string>, wanted: ReadonlySet<string>, vocabulary: Vocabulary): Set<string> {
  return new Set([...terms, ...[...wanted].filter((term) => says(terms, term, vocabulary))]);
}

/** The stems of the words of a text without its function words. */
function meaningOf(text: string, { stem, isFunctionWord }: Vocabulary): Set<string> {
  return new Set(wordsOf(text).flatMap((word) => (isFunctionWord(word) ? [] : [stem(word)])));
}

/** Rare words of the question weigh more: those in all passages say little about which one answers. Together 1. */
function weightsOf(wanted: ReadonlySet<string>, passages: readonly ReadonlySet<string>[]): Map<string, number> {
  const raw = [...wanted].map((term): [string, number] => {
    const found = passages.filter((terms) => terms.has(term)).length;
    return [term, Math.log(1 + (passages.length + 1) / (found + 1))];
  });
  const total = raw.reduce((sum, [, weight]) => sum + weight, 0) || 1;
  return new Map(raw.map(([term, weight]) => [term, weight / total]));
}

function shareOf(weights: ReadonlyMap<string, number>, terms: ReadonlySet<string>): number {
  let share = 0;
  for (const [term, weight] of weights) if (terms.has(term)) share += weight;
  return share;
}

const number =
  /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|forty|fifty|hundred|thousand|million|percent|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwanzig|hundert|tausend|million(?:en)?|prozent)\b/i;
const time =
  /\d|\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|june|july|august|september|october|november|december|today|tomorrow|yesterday|week|month|year|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|januar|februar|märz|mai|juni|juli|oktober|dezember|heute|morgen|gestern|woche|monat|jahr)\b/i;
const reason =
  /\b(?:because|since|so that|due to|reason|therefore|in order to|weil|da|damit|wegen|grund|deshalb|daher)\b/i;
/** What kind of thing the question asks for, and whether the sentence has one. */
function kindBonus(question: string, text: string, { code }: Vocabulary): number {
  const asked = fold(question);
  if (/\b(?:how (?:many|much|long|often|old|far)|wie ?(?:viele?|lange|oft|hoch|teuer))\b/.test(asked))
    return number.test(text) ? 1.4 : 1;
  if (/\b(?:when|what (?:date|day|time)|wann|bis wann)\b/.test(asked)) return time.test(text) ? 1.4 : 1;
  if (/\b(?:why|warum|wieso|weshalb)\b/.test(asked)) return reason.test(text) ? 1.4 : 1;
  if (/\b(?:decid|decision|conclu|entsch|beschl)/.test(asked)) return isDecision(text, cuesOf[code]) ? 1.4 : 1;
  return 1;
}

/** The best sentences that do not say the same, in their order. */
function choose(candidates: readonly Candidate[]): { text: string; passageId: string }[] {
  const sorted = candidates.toSorted((x, y) => y.score - x.score);
  const least = (sorted[0]?.score ?? 0) * minShare;
  const chosen: Candidate[] = [];
  for (const candidate of sorted) {
    if (chosen.length >= maxSentences || candidate.score < least) break;
    if (chosen.every((other) => !saySame(other.terms, candidate.terms))) chosen.push(candidate);
  }
  return chosen
    .toSorted((x, y) => candidates.indexOf(x) - candidates.indexOf(y))
    .map(({ text, passageId }) => ({ text, passageId }));
}

function saySame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const shared = [...one].filter((term) => other.has(term)).length;
  return shared > 0.8 * Math.min(one.size, other.size);
}

import { givenNames, ordinaryNames, properNouns } from '@overtone/redaction';
import type { Sentence } from './sentences.ts';
import { isContentWord, type Vocabulary } from './words.ts';

/** How many documents of a library have a term (a stem, as `termsOf` makes them). */
export type WordFrequencies = { documents: number; documentsWith: (term: string) => number };

/** `confidence` between 0 and 1: from 0.75 on a person would keep it as a tag. `rationale` is the sentence that shows it best. */
export type Keyphrase = {
  phrase: string;
  /** Its stems, to compare phrases. */
  key: string;
  confidence: number;
  occurrences: number;
  rationale: { text: string; segmentUuids: string[]; start: number };
};

type Candidate = {
  key: string;
  stems: string[];
  forms: Map<string, number>;
  /** The numbers of the sentences with it. */
  sentences: number[];
  /** How often it has a capital letter inside a sentence. */
  capitals: number;
  insides: number;
  /** How often the word before it announces a noun, and how often a verb. */
  nouns: number;
  verbs: number;
};

const maxLength = 3;
const maxPhrases = 20;
const minOccurrences = 3;
const parts = 10;
/** Fewer documents show nothing about which words are common. */
const minDocuments = 5;
const wordOrBreak = /([\p{L}\p{N}\p{M}]+(?:['’-][\p{L}\p{N}\p{M}]+)*)|[^\s\p{L}\p{N}]/gu;
/** In these languages every noun has a capital letter, and a phrase without one at its end is no subject. */
const capitalisedNouns = new Set(['de', 'lb']);
const notNoun: Record<string, RegExp> = { en: /(?:ly|ing|ed|ful|ous|ive|able|ible)$/i };
const beforeNouns: Record<string, ReadonlySet<string>> = {
  en: new Set(
    'a an the this that these those my your his her its our their of in on for with from about by at some any no each every'.split(
      ' ',
    ),
  ),
};
/** "we discussed voice recognition": the first word is no part of the phrase. */
const subjects = new Set("i you he she we they i'll we'll you'll let's".split(' '));
const beforeVerbs: Record<string, ReadonlySet<string>> = {
  en: new Set(
    "to i you he she we they who it don't didn't can could will would should must may might not i'll we'll you'll let's".split(
      ' ',
    ),
  ),
};

/**
 * Keyphrases of the sentences, best first.
 * @param frequencies of the library; null: confidence stays lower, because nothing shows which words are common in it
 */
export function keyphrasesIn(
  sentences: readonly Sentence[],
  frequencies: WordFrequencies | null,
  vocabulary: Vocabulary,
): Keyphrase[] {
  const candidates = new Map<string, Candidate>();
  for (const [at, { text }] of sentences.entries())
    for (const run of runsOf(text, vocabulary)) collect(run, at, candidates, vocabulary);
  const scored = withoutParts(candidates, vocabulary.code)
    .map((candidate) => ({ candidate, confidence: confidenceOf(candidate, sentences.length, frequencies, vocabulary) }))
    .toSorted((x, y) => y.confidence - x.confidence || y.candidate.sentences.length - x.candidate.sentences.length);
  return scored
    .slice(0, maxPhrases)
    .map(({ candidate, confidence }) => keyphraseOf(candidate, confidence, sentences, vocabulary));
}

type Run = { words: string[]; startsSentence: boolean; before: string };

/** Sequences of content words without a stop word or punctuation between them. */
function runsOf(text: string, vocabulary: Vocabulary): Run[] {
  const runs: Run[] = [];
  let run: Run | undefined;
  let before = '';
  let startsSentence = true;
  for (const [, word] of text.matchAll(wordOrBreak)) {
    if (word !== undefined && isContentWord(word, vocabulary)) {
      if (!run) runs.push((run = { words: [], startsSentence, before }));
      run.words.push(word);
    } else run = undefined;
    before = word?.toLowerCase() ?? '';
    startsSentence &&= word === undefined;
  }
  return runs;
}

function collect(run: Run, at: number, candidates: Map<string, Candidate>, vocabulary: Vocabulary): void {
  const stems = run.words.map((word) => vocabulary.stem(word));
  for (let first = 0; first < stems.length; first += 1)
    for (let length = 1; length <= Math.min(maxLength, stems.length - first); length += 1) {
      if (first === 0 && length > 1 && subjects.has(run.before)) continue;
      const key = stems.slice(first, first + length).join(' ');
      const candidate = candidates.get(key) ?? newCandidate(key);
      candidates.set(key, candidate);
      count(candidate, run, { first, length, at }, vocabulary);
    }
}

function count(
  candidate: Candidate,
  { words, startsSentence, before }: Run,
  { first, length, at }: { first: number; length: number; at: number },
  { code }: Vocabulary,
): void {
  const phrase = words.slice(first, first + length);
  const form = phrase.join(' ').replace(/['’]s$/u, '');
  candidate.forms.set(form, (candidate.forms.get(form) ?? 0) + 1);
  candidate.sentences.push(at);
  if (first === 0 && beforeNouns[code]?.has(before)) candidate.nouns += 1;
  if (first === 0 && beforeVerbs[code]?.has(before)) candidate.verbs += 1;
  if (first === 0 && startsSentence) return;
  candidate.insides += 1;
  const named = capitalisedNouns.has(code) ? phrase.slice(-1) : phrase;
  if (named.every((word) => /^\p{Lu}/u.test(word))) candidate.capitals += 1;
}

function newCandidate(key: string): Candidate {
  return { key, stems: key.split(' '), forms: new Map(), sentences: [], capitals: 0, insides: 0, nouns: 0, verbs: 0 };
}

/** A phrase that is mostly a part of a longer one is left out, and so is a rare longer one. */
function withoutParts(candidates: ReadonlyMap<string, Candidate>, code: string): Candidate[] {
  const frequent = [...candidates.values()].filter(
    (candidate) =>
      candidate.sentences.length >= minOccurrences &&
      new Set(candidate.stems).size === candidate.stems.length &&
      !hasFirstName(candidate) &&
      (!capitalisedNouns.has(code) || isProperName(candidate)),
  );
  const covered = new Set<string>();
  for (const { stems, sentences } of frequent)
    for (let length = 1; length < stems.length; length += 1)
      for (let first = 0; first + length <= stems.length; first += 1) {
        const key = stems.slice(first, first + length).join(' ');
        if (sentences.length >= 0.5 * (candidates.get(key)?.sentences.length ?? 0)) covered.add(key);
      }
  return frequent.filter(({ key }) => !covered.has(key));
}

/** The weights were set by judging the phrases of 12 meetings of QMSum by hand. */
function confidenceOf(
  candidate: Candidate,
  sentenceCount: number,
  frequencies: WordFrequencies | null,
  { code }: Vocabulary,
): number {
  const { sentences, stems } = candidate;
  const spread = new Set(sentences.map((at) => Math.floor((at * parts) / sentenceCount))).size / parts;
  const density = Math.min(1, Math.log2(sentences.length / minOccurrences + 1) / 4);
  const isKnown = hasFrequencies(frequencies);
  const score =
    -2 +
    2.2 * density +
    1.2 * Math.min(1, spread * 2) +
    2.4 * (rarityOf(stems, frequencies) - 0.5) +
    (stems.length > 1 ? 0.9 : 0) +
    (isProperName(candidate) && !capitalisedNouns.has(code) ? 0.6 : 0) -
    (isNoun(candidate, code) ? 0 : 1.5) -
    (stems.length === 1 && !isKnown ? 0.7 : 0);
  return Math.round(100 / (1 + Math.exp(-score))) / 100;
}

function isProperName({ capitals, insides }: Candidate): boolean {
  return insides > 0 && capitals / insides > 0.7;
}

/** First names show who was there, not what it was about: alone, or beside other words than names. */
function hasFirstName(candidate: Candidate): boolean {
  const words = mostFrequent(candidate.forms).split(' ');
  const isName = (word: string): boolean => {
    const lower = word.toLowerCase();
    return /^\p{Lu}/u.test(word) && givenNames.has(lower) && !ordinaryNames.has(lower) && !properNouns.has(lower);
  };
  return words.some(isName) && (words.length === 1 || words.some((word) => /^\p{Ll}/u.test(word)));
}

function isNoun(candidate: Candidate, code: string): boolean {
  if (capitalisedNouns.has(code)) return true;
  return candidate.verbs <= candidate.nouns && !notNoun[code]?.test(mostFrequent(candidate.forms));
}

function hasFrequencies(frequencies: WordFrequencies | null): frequencies is WordFrequencies {
  return frequencies !== null && frequencies.documents >= minDocuments;
}

/** 1 for a phrase that no other document has, 0 for one that all have, 0.5 when nothing is known. */
function rarityOf(stems: readonly string[], frequencies: WordFrequencies | null): number {
  if (!hasFrequencies(frequencies)) return 0.5;
  const { documents, documentsWith } = frequencies;
  const shares = stems.map((stem) => 1 - Math.log(1 + documentsWith(stem)) / Math.log(1 + documents));
  return shares.reduce((sum, share) => sum + Math.max(0, share), 0) / shares.length;
}

function keyphraseOf(
  { key, forms, sentences: numbers }: Candidate,
  confidence: number,
  sentences: readonly Sentence[],
  vocabulary: Vocabulary,
): Keyphrase {
  const named = mostFrequent(forms);
  const isAcronym = /^\p{Lu}{2,}$/u.test(named);
  const phrase = capitalisedNouns.has(vocabulary.code) || isAcronym ? named : lowerUnlessName(named, forms);
  const best = numbers
    .map((at) => sentences[at])
    .toSorted((x, y) => (y?.terms.length ?? 0) - (x?.terms.length ?? 0))
    .find((sentence) => sentence !== undefined && sentence.wordCount <= 40);
  const proof = best ?? sentences[numbers[0] ?? 0];
  const rationale = { text: proof?.text ?? '', segmentUuids: proof?.segmentUuids ?? [], start: proof?.start ?? 0 };
  return { phrase, key, confidence, occurrences: numbers.length, rationale };
}

/** A word that stands in lower case somewhere has its capital only from the beginning of a sentence. */
function lowerUnlessName(form: string, forms: ReadonlyMap<string, number>): string {
  return forms.has(form.toLowerCase()) ? form.toLowerCase() : form;
}

function mostFrequent(forms: ReadonlyMap<string, number>): string {
  let [best, most] = ['', 0];
  for (const [form, count] of forms) if (count > most) [best, most] = [form, count];
  return best;
}

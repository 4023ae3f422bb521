import { stemmer as arabic } from '@orama/stemmers/arabic';
import { stemmer as armenian } from '@orama/stemmers/armenian';
import { stemmer as bulgarian } from '@orama/stemmers/bulgarian';
import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as english } from '@orama/stemmers/english';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as greek } from '@orama/stemmers/greek';
import { stemmer as hungarian } from '@orama/stemmers/hungarian';
import { stemmer as indian } from '@orama/stemmers/indian';
import { stemmer as indonesian } from '@orama/stemmers/indonesian';
import { stemmer as irish } from '@orama/stemmers/irish';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as lithuanian } from '@orama/stemmers/lithuanian';
import { stemmer as nepali } from '@orama/stemmers/nepali';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as romanian } from '@orama/stemmers/romanian';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as serbian } from '@orama/stemmers/serbian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { stemmer as tamil } from '@orama/stemmers/tamil';
import { stemmer as turkish } from '@orama/stemmers/turkish';
import { stemmer as ukrainian } from '@orama/stemmers/ukrainian';

// The only tokenizer: documents, queries and snippets use this file, and the engines' analysers only split at spaces. This
// keeps LanceDB, Elasticsearch and the <mark>s consistent.

/** A word of a text with its position. */
export type Word = { text: string; at: number; end: number };

const stemmers: Record<string, (word: string) => string> = {
  ar: arabic,
  bg: bulgarian,
  da: danish,
  de: german,
  el: greek,
  en: english,
  es: spanish,
  fi: finnish,
  fr: french,
  ga: irish,
  hi: indian,
  hu: hungarian,
  hy: armenian,
  id: indonesian,
  it: italian,
  lt: lithuanian,
  nb: norwegian,
  ne: nepali,
  nl: dutch,
  nn: norwegian,
  no: norwegian,
  pt: portuguese,
  ro: romanian,
  ru: russian,
  sr: serbian,
  sv: swedish,
  ta: tamil,
  tr: turkish,
  uk: ukrainian,
};

/** Languages whose stemmers remove prefixes. */
const prefixed = new Set(['ar', 'ga', 'id']);

/** English stop words; a query that consists only of these keeps them. */
const stopWords = new Set(
  (
    'a about after all am an and any are as at be been but by can could did do does for from had has have he her him ' +
    'his how i if in into is it its me my no not of on or our she should so some than that the their them then there ' +
    'these they this to up us was we were what when where which who why will with would you your'
  ).split(' '),
);

/** English words by which people ask about a recording, and which say nothing about its topic. */
const questionWords = new Set(
  (
    'according agree agreed conclude concluded conclusion concerning debate debated decide decided describe described ' +
    'description discuss discussed discusses discussing discussion discussions explain explained explanation gave give ' +
    'given group many meeting meetings mention mentioned mentioning much often opinion opinions participant participants people ' +
    'recommend recommended regarding related reach reached said say says speaker speakers suggest suggested summarise ' +
    'summarised summarize summarized summary talk talked talking team tell think thinks thought told'
  ).split(' '),
);
/** The beginning of a question or of an instruction to answer one. */
const questionStart =
  /^\s*(?:what|when|where|which|who|whom|whose|why|how|did|does|do|is|are|was|were|can|could|should|would|will|has|have|had|tell|explain|describe|summari[sz]e|give|list|compare|find|show)\b/iu;

const wordPattern = /[\p{L}\p{N}\p{M}]+(?:['’][\p{L}\p{N}\p{M}]+)*/gu;
/** Scripts without spaces between words. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** The words of a text in order; scripts without spaces are segmented by ICU. */
export function splitWords(text: string): Word[] {
  const words: Word[] = [];
  const hasUnspaced = unspaced.test(text);
  for (const match of text.matchAll(wordPattern)) {
    const [found] = match;
    if (hasUnspaced && unspaced.test(found)) words.push(...segmentWords(found, match.index));
    else words.push({ text: found, at: match.index, end: match.index + found.length });
  }
  return words;
}

function segmentWords(run: string, from: number): Word[] {
  return [...segmenter.segment(run)].map(({ segment, index }) => ({
    text: segment,
    at: from + index,
    end: from + index + segment.length,
  }));
}

function languageOf(language: string | null): string {
  return (language ?? 'en').slice(0, 2).toLowerCase();
}

function fold(word: string): string {
  // Accents only: the vowel signs of Indic scripts are marks, too, and belong to the word.
  return word.normalize('NFD').replaceAll(/[\p{M}&&\p{sc=Inherited}]/gv, '');
}

function plain(word: string): string {
  return word
    .normalize('NFKC')
    .toLowerCase()
    .replace(/['’]s$/, '')
    .replaceAll(/['’]/g, '');
}

const stems = new Map<string, Map<string, string>>();
const maxCachedStems = 50_000;

/** Returns a stemmer for one language that caches its results, because few words are frequent. */
export function stemmerOf(language: string | null): (word: string) => string {
  const code = languageOf(language);
  const known = stems.get(code) ?? new Map<string, string>();
  stems.set(code, known);
  return (word) => {
    const hit = known.get(word);
    if (hit !== undefined) return hit;
    const stem = makeStem(word, code);
    if (known.size >= maxCachedStems) known.clear();
    known.set(word, stem);
    return stem;
  };
}

/** The indexed form of a word: without accents, and stemmed if there is a stemmer for the language. */
export function stemOf(word: string, language: string | null): string {
  return stemmerOf(language)(word);
}

function makeStem(word: string, language: string): string {
  const lower = plain(word);
  const stem = stemmers[language];
  // LanceDB drops terms above `maxTokenLength` (200 bytes); 40 characters are at most 120.
  return fold(stem ? stem(lower) : lower).slice(0, 40) || lower;
}

/** Whether the stems of a language begin with the first letter of their words, except for folded accents. */
export function keepsInitials(language: string | null): boolean {
  return !prefixed.has(languageOf(language));
}

/** The indexed terms of a text: its stems, separated by spaces. */
export function termsOf(text: string, language: string | null): string {
  const stem = stemmerOf(language);
  return splitWords(text)
    .map((word) => stem(word.text))
    .join(' ');
}

/** All stems of a query word in documents of these languages. */
export function variantsOf(word: string, languages: readonly (string | null)[]): string[] {
  return [...new Set([...languages, 'en'].map((language) => stemOf(word, language)))];
}

/** All forms of a phrase in documents of these languages: stems separated by spaces, those of one phrase in one language. */
export function phraseVariantsOf(words: readonly string[], languages: readonly (string | null)[]): string[] {
  return [...new Set([...languages, 'en'].map((language) => words.map((word) => stemOf(word, language)).join(' ')))];
}

/** Whether a text asks something, so that its question words are no words to search for. */
export function isQuestion(text: string): boolean {
  return /[?？]\s*$/u.test(text) || questionStart.test(text);
}

export function isQuestionWord(word: string): boolean {
  return questionWords.has(word.toLowerCase());
}

export function isStopWord(word: string): boolean {
  return stopWords.has(word.toLowerCase());
}

import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as english } from '@orama/stemmers/english';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';

// What a word is stands here once: documents, queries and snippets all ask this file, so the engines' own analysers
// are told to split at blanks and do nothing else. That keeps LanceDB, Elasticsearch and the <mark>s in agreement.

/** A word of a text and where it stands in it. */
export type Word = { text: string; at: number; end: number };

const stemmers: Record<string, (word: string) => string> = {
  da: danish,
  de: german,
  en: english,
  es: spanish,
  fi: finnish,
  fr: french,
  it: italian,
  nl: dutch,
  no: norwegian,
  pt: portuguese,
  ru: russian,
  sv: swedish,
};

/** Words that say nothing about what a passage is about; a query of nothing else keeps them. */
const stopWords = new Set(
  (
    'a about after all am an and any are as at be been but by can could did do does for from had has have he her him ' +
    'his how i if in into is it its me my no not of on or our she should so some than that the their them then there ' +
    'these they this to up us was we were what when where which who why will with would you your'
  ).split(' '),
);

const wordPattern = /[\p{L}\p{N}\p{M}]+(?:['’][\p{L}\p{N}\p{M}]+)*/gu;
/** Scripts that are written without blanks between words. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** The words of a text in order; in scripts without blanks as ICU's dictionaries divide them. */
export const splitWords = (text: string): Word[] => {
  const words: Word[] = [];
  const divides = unspaced.test(text);
  for (const match of text.matchAll(wordPattern)) {
    const [found] = match;
    if (divides && unspaced.test(found)) words.push(...divided(found, match.index));
    else words.push({ text: found, at: match.index, end: match.index + found.length });
  }
  return words;
};

const divided = (run: string, from: number): Word[] =>
  [...segmenter.segment(run)].map(({ segment, index }) => ({
    text: segment,
    at: from + index,
    end: from + index + segment.length,
  }));

const languageOf = (language: string | null): string => (language ?? 'en').slice(0, 2).toLowerCase();
const fold = (word: string): string => word.normalize('NFD').replaceAll(/\p{M}/gu, '');
const plain = (word: string): string =>
  word
    .normalize('NFKC')
    .toLowerCase()
    .replace(/['’]s$/, '')
    .replaceAll(/['’]/g, '');

const stems = new Map<string, Map<string, string>>();
const stemsKept = 50_000;

/** Stems the words of one language. What was asked before is remembered: people use few words often. */
export const stemmerOf = (language: string | null): ((word: string) => string) => {
  const code = languageOf(language);
  const known = stems.get(code) ?? new Map<string, string>();
  stems.set(code, known);
  return (word) => {
    const hit = known.get(word);
    if (hit !== undefined) return hit;
    const stem = makeStem(word, code);
    if (known.size >= stemsKept) known.clear();
    known.set(word, stem);
    return stem;
  };
};

/** The form under which a word of that language is found: stemmed where there is a stemmer, without accents. */
export const stemOf = (word: string, language: string | null): string => stemmerOf(language)(word);

const makeStem = (word: string, language: string): string => {
  const lower = plain(word);
  const stem = stemmers[language];
  // The engines cut terms at 64 bytes or drop them; nothing that long is a word.
  return fold(stem ? stem(lower) : lower).slice(0, 40) || lower;
};

/** What is indexed of a text: its stems, divided by blanks. */
export const termsOf = (text: string, language: string | null): string => {
  const stem = stemmerOf(language);
  return splitWords(text)
    .map((w) => stem(w.text))
    .join(' ');
};

/** All forms under which a query's word may stand in documents of these languages. */
export const variantsOf = (word: string, languages: readonly (string | null)[]): string[] => [
  ...new Set([...languages, 'en'].map((l) => stemOf(word, l))),
];

export const isStopWord = (word: string): boolean => stopWords.has(word.toLowerCase());

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
import { unspacedScript } from '@overtone/contracts/unspaced';

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
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** The words of a text in order; scripts without spaces are segmented by ICU. */
export function splitWords(text: string): Word[] {
  const words: Word[] = [];
  const hasUnspaced = unspacedScript.test(text);
  for (const match of text.matchAll(wordPattern)) {
    const [found] = match;
    if (hasUnspaced && unspacedScript.test(found)) words.push(...segmentWords(found, match.index));
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
  return word
    .normalize('NFD')
    .replaceAll(/[\p{M}&&\p{sc=Inherited}]/gv, '')
    .replaceAll(/[œæøłđðþıßĳ]/g, unmarked);
}

/** Letters that Unicode does not decompose. */
const letters: Readonly<Record<string, string>> = {
  œ: 'oe',
  æ: 'ae',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ß: 'ss',
  ĳ: 'ij',
};
function unmarked(letter: string): string {
  return letters[letter] ?? letter;
}

/** Lower case, and one form of letters and digits that are written in several, as the analyzers of Lucene do. */
function plain(word: string): string {
  const lower = word.normalize('NFKC').toLowerCase().replaceAll(/[’ʼ]/g, "'").replace(/'s$/, '');
  // The points of Hebrew.
  const pointless = /\p{sc=Hebrew}/u.test(lower) ? lower.replaceAll(/\p{M}/gu, '') : lower;
  return /\p{sc=Arabic}/u.test(pointless) ? oneArabicForm(pointless) : pointless;
}

/** Arabic and Persian: hamza on alef, yeh, kaf, teh marbuta and heh, without vowel signs and tatweel; European digits. */
function oneArabicForm(word: string): string {
  return word
    .replaceAll(/\p{M}|\u0640/gu, '')
    .replaceAll(/[آأإٱ]/g, 'ا')
    .replaceAll(/[ىیۍ]/g, 'ي')
    .replaceAll('ک', 'ك')
    .replaceAll(/[ةۀەہھ]/g, 'ه')
    .replaceAll('ؤ', 'و')
    .replaceAll(/[٠-٩۰-۹]/g, (digit) => String((digit.codePointAt(0) ?? 0) & 15));
}

/** Articles and other words that lose their vowel before another word: l'école, dell'acqua. */
const elisions: Readonly<Record<string, RegExp>> = {
  fr: /^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu|quelqu|presqu|entr)'(?=.)/,
  it: /^(?:[cdlmstv]|un|gl|all|dall|dell|nell|sull|coll|agl|dagl|degl|negl|sugl|quest|quell|bell|anch|tutt|sant|senz)'(?=.)/,
  ca: /^[dlmnst]'(?=.)/,
};

/** Umlauts and their spelling with e are one letter in German, unless the e belongs to a diphthong. */
function oneGermanForm(word: string): string {
  return word
    .replaceAll('ä', 'a')
    .replaceAll('ö', 'o')
    .replaceAll('ü', 'u')
    .replaceAll('ß', 'ss')
    .replaceAll(/(?<![aeiouq])([aou])e/g, '$1');
}

const spelledOut: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' };

/** Particles of Korean, which are written without a blank after their noun; long ones first. */
const particles =
  /(?<=..)(?:에서부터|으로부터|에게서|한테서|이라고|이라는|에서는|에서도|으로는|까지는|이라도|이지만|에서|에게|에는|에도|께서|한테|으로|부터|까지|보다|처럼|마다|조차|밖에|이나|이란|이라|라고|라는|하고|와의|과의|들은|들이|들을|들의|은|는|이|가|을|를|의|에|로|와|과|도|만|나|랑|들)$/;

/** Other words that people type for a word: without its article, in its other spellings, and its parts. */
function otherForms(word: string, language: string): string[] {
  const others: string[] = [];
  const apostrophe = word.indexOf("'");
  if (apostrophe >= 0) {
    const rest = word.slice(word.lastIndexOf("'") + 1);
    if (rest.length >= 3) others.push(rest);
    if (elisions[language]?.test(word)) others.push(word.replaceAll("'", ''));
  }
  if (/[äöüøå]/.test(word)) others.push(word.replaceAll(/[äöüøå]/g, (letter) => spelledOut[letter] ?? letter));
  if (/\p{L}\p{N}|\p{N}\p{L}/u.test(word))
    others.push(...(word.match(/\p{L}{2,}|\p{N}{2,}/gu) ?? []).filter((part) => part !== word));
  if (/\p{sc=Hangul}/u.test(word)) others.push(word.replace(particles, ''));
  return others;
}

const forms = new Map<string, Map<string, readonly string[]>>();
const maxCachedForms = 50_000;

/** Returns the forms of words in one language and caches them, because few words are frequent. */
function formsIn(language: string | null): (word: string) => readonly string[] {
  const code = languageOf(language);
  const known = forms.get(code) ?? new Map<string, readonly string[]>();
  forms.set(code, known);
  return (word) => {
    const hit = known.get(word);
    if (hit !== undefined) return hit;
    const made = makeForms(word, code);
    if (known.size >= maxCachedForms) known.clear();
    known.set(word, made);
    return made;
  };
}

/** The stem of a word first, then the stems of its other forms; they share its place in the text. */
export function formsOf(word: string, language: string | null): readonly string[] {
  return formsIn(language)(word);
}

/** Returns a stemmer for one language. */
export function stemmerOf(language: string | null): (word: string) => string {
  const formsOfWord = formsIn(language);
  return (word) => formsOfWord(word)[0] ?? word;
}

/** The indexed form of a word: without accents, and stemmed if there is a stemmer for the language. */
export function stemOf(word: string, language: string | null): string {
  return stemmerOf(language)(word);
}

function makeForms(word: string, language: string): string[] {
  // Longer words are truncated below; a form of one must not take longer, either.
  const lower = plain(word.slice(0, 200));
  const stem = stemmers[language] ?? ((same: string) => same);
  const elided = lower.replace(elisions[language] ?? /(?!)/, '');
  // LanceDB drops terms above `maxTokenLength` (200 bytes); 40 characters are at most 120.
  const term = (form: string): string => fold(form).slice(0, 40);
  const stemmed = (form: string): string[] => {
    const joined = form.replaceAll("'", '');
    const spelled = language === 'de' ? oneGermanForm(joined) : joined;
    // A query without accents has the stem of its own letters.
    return [term(stem(spelled)) || term(joined), term(stem(fold(spelled)))];
  };
  const [main = lower, ...rest] = [elided, ...otherForms(lower, language)].flatMap(stemmed);
  return [...new Set([main || lower, ...rest])].filter((form) => form !== '');
}

/** A run of words that people also write as one: its text, and its place among the words. */
export type JoinedWord = { text: string; from: number; to: number };

const maxJoined = 4;
/** Between the parts of a compound word; a zero-width non-joiner within a Persian word. */
const hyphens = /^[-\u2010\u2011\u200c]$/;
const groupSigns = /^[,.'’\u00a0\u202f]$/;

/** Compound words with hyphens (co-operation, COVID-19), numbers with groups (1,250.50), and names with a number (ISO 27001). */
export function joinedWords(text: string, words: readonly Word[]): JoinedWord[] {
  const joined: JoinedWord[] = [];
  const gapAfter = (i: number): string => {
    const next = words[i + 1];
    return next ? text.slice(words[i]?.end, Math.min(next.at, (words[i]?.end ?? 0) + 2)) : '';
  };
  const textAt = (i: number): string => words[i]?.text ?? '';
  for (let from = 0; from < words.length - 1; from++) {
    const gap = gapAfter(from);
    if (gap === ' ' && /^\p{Lu}{2,8}$/u.test(textAt(from)) && /^\d{1,8}$/.test(textAt(from + 1)))
      joined.push({ text: textAt(from) + textAt(from + 1), from, to: from + 1 });
    const isNumber = groupSigns.test(gap) && /^\d{1,3}$/.test(textAt(from));
    if (!isNumber && !hyphens.test(gap)) continue;
    let run = textAt(from);
    for (let to = from + 1; to < words.length && to < from + maxJoined; to++) {
      const sign = gapAfter(to - 1);
      if (isNumber ? sign !== gap || !/^\d{3}$/.test(textAt(to)) : !hyphens.test(sign)) break;
      run += textAt(to);
      joined.push({ text: run, from, to });
    }
  }
  return joined;
}

/** Whether the stems of a language begin with the first letter of their words, except for folded accents. */
export function keepsInitials(language: string | null): boolean {
  return !prefixed.has(languageOf(language));
}

/**
 * The indexed terms of a text, separated by spaces: the stems of its words in order, so that phrases are found, and after
 * them the other forms.
 */
export function termsOf(text: string, language: string | null): string {
  const formsOfWord = formsIn(language);
  const words = splitWords(text);
  const all = words.map((word) => formsOfWord(word.text));
  const stems = all.map(([stem = '']) => stem);
  const joined = joinedWords(text, words).flatMap((word) => formsOfWord(word.text));
  const others = new Set([...all.flatMap((own) => own.slice(1)), ...joined]);
  return [...stems, ...others].join(' ');
}

/** All forms of a query word in documents of these languages. */
export function variantsOf(word: string, languages: readonly (string | null)[]): string[] {
  return [...new Set([...languages, 'en'].flatMap((language) => formsOf(word, language)))];
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

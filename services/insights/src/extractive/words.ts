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
import { stopwords as danishStops } from '@orama/stopwords/danish';
import { stopwords as dutchStops } from '@orama/stopwords/dutch';
import { stopwords as englishStops } from '@orama/stopwords/english';
import { stopwords as finnishStops } from '@orama/stopwords/finnish';
import { stopwords as frenchStops } from '@orama/stopwords/french';
import { stopwords as germanStops } from '@orama/stopwords/german';
import { stopwords as italianStops } from '@orama/stopwords/italian';
import { stopwords as norwegianStops } from '@orama/stopwords/norwegian';
import { stopwords as portugueseStops } from '@orama/stopwords/portuguese';
import { stopwords as russianStops } from '@orama/stopwords/russian';
import { stopwords as spanishStops } from '@orama/stopwords/spanish';
import { stopwords as swedishStops } from '@orama/stopwords/swedish';
import { unspacedScript } from '@overtone/contracts/unspaced';
import { spokenWords } from './spoken-words.ts';

/** What is known about the words of one language. `code` has two letters. */
export type Vocabulary = {
  code: string;
  stem: (word: string) => string;
  isStopWord: (word: string) => boolean;
  /** Stop words of written language only: in a question "case" and "price" have meaning. */
  isFunctionWord: (word: string) => boolean;
};

const stemmers: Record<string, [stem: (word: string) => string, stops: readonly string[]]> = {
  da: [danish, danishStops],
  de: [german, germanStops],
  en: [english, englishStops],
  es: [spanish, spanishStops],
  fi: [finnish, finnishStops],
  fr: [french, frenchStops],
  it: [italian, italianStops],
  nl: [dutch, dutchStops],
  no: [norwegian, norwegianStops],
  pt: [portuguese, portugueseStops],
  ru: [russian, russianStops],
  sv: [swedish, swedishStops],
};

const wordPattern = /[\p{L}\p{N}\p{M}]+(?:['’-][\p{L}\p{N}\p{M}]+)*/gu;
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });
const englishContraction = /(?:n't|'(?:ll|re|ve|d|m|s))$/;
const vocabularies = new Map<string, Vocabulary>();
/** "mm-hmm", "uhh" */
const hesitation = /^[mhu]+(?:-[mhu]+)*$/i;
const maxCachedStems = 50_000;

/** A language without a stemmer has the stop words of English and no stemming. */
export function vocabularyOf(language: string | null): Vocabulary {
  const code = (language ?? 'en').slice(0, 2).toLowerCase();
  const known = vocabularies.get(code);
  if (known) return known;
  const made = makeVocabulary(code);
  vocabularies.set(code, made);
  return made;
}

/** The words of a text as they stand in it. */
export function wordsOf(text: string): string[] {
  const words = text.replaceAll('’', "'").match(wordPattern) ?? [];
  if (!unspacedScript.test(text)) return words;
  return words.flatMap((word) =>
    unspacedScript.test(word) ? [...segmenter.segment(word)].map(({ segment }) => segment) : [word],
  );
}

/** The stems of the words that carry meaning, in order. A library's frequencies count these. */
export function termsOf(text: string, vocabulary: Vocabulary): string[] {
  return wordsOf(text)
    .filter((word) => isContentWord(word, vocabulary))
    .map((word) => vocabulary.stem(word));
}

/** Whether a word has meaning without the words around it: no stop word, no number, no hesitation. */
export function isContentWord(word: string, { isStopWord }: Vocabulary): boolean {
  return (
    (word.length > 2 || unspacedScript.test(word) || /^\p{Lu}{2}$/u.test(word)) &&
    !/^\d/.test(word) &&
    !hesitation.test(word) &&
    !isStopWord(word)
  );
}

/** Lower case without accents. */
export function fold(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss');
}

function makeVocabulary(code: string): Vocabulary {
  const [stemmer, listed] = stemmers[code] ?? [undefined, englishStops];
  const stops = new Set([...listed, ...(spokenWords[code] ?? [])].map((word) => word.toLowerCase()));
  const stems = new Map<string, string>();
  const stem = (word: string): string => {
    const known = stems.get(word);
    if (known !== undefined) return known;
    const lower = word.toLowerCase().replaceAll('’', "'").replace(/'s$/, '');
    const made = fold(stemmer ? stemmer(lower) : lower) || lower;
    if (stems.size >= maxCachedStems) stems.clear();
    stems.set(word, made);
    return made;
  };
  const isIn = (set: ReadonlySet<string>, word: string): boolean => {
    const lower = word.toLowerCase().replaceAll('’', "'");
    return (
      set.has(lower) || (code === 'en' && englishContraction.test(lower) && stops.has(lower.split("'", 1)[0] ?? ''))
    );
  };
  const functionWords = new Set(listed.map((word) => word.toLowerCase()));
  return {
    code,
    stem,
    isStopWord: (word) => isIn(stops, word),
    isFunctionWord: (word) => isIn(functionWords, word),
  };
}

import type { Token } from './tokens.ts';

/** The numbers of a language from 0 to 99, or its digits: words with a space between them, without accents. */
export type NumberPhrases = ReadonlyMap<string, number>;

const longestPhrase = 4;

function german(): string[] {
  const ones = words('null eins zwei drei vier fünf sechs sieben acht neun');
  const tens = words('zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig');
  const teens = words('zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn');
  const joined = (ten: string) => ones.slice(1).map((one) => `${one === 'eins' ? 'ein' : one}und${ten}`);
  return [...ones, ...teens, ...tens.flatMap((ten) => [ten, ...joined(ten)])];
}

function french(): string[] {
  const ones = words('zéro un deux trois quatre cinq six sept huit neuf');
  const teens = [...words('dix onze douze treize quatorze quinze seize'), 'dix sept', 'dix huit', 'dix neuf'];
  const upTo = (ten: string, first: string, rest: readonly string[]) => [first, ...rest.map((one) => `${ten} ${one}`)];
  const below70 = words('vingt trente quarante cinquante soixante').flatMap((ten) =>
    upTo(ten, ten, ['et un', ...ones.slice(2)]),
  );
  const seventies = upTo('soixante', 'soixante dix', ['et onze', ...teens.slice(2)]);
  const eighties = upTo('quatre vingt', 'quatre vingts', ones.slice(1));
  return [...ones, ...teens, ...below70, ...seventies, ...eighties, ...teens.map((teen) => `quatre vingt ${teen}`)];
}

function spanish(): string[] {
  const ones = words('cero uno dos tres cuatro cinco seis siete ocho nueve');
  const teens = words('diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve');
  const joined = ones.slice(1).map((one) => `veinti${one}`);
  const tens = words('treinta cuarenta cincuenta sesenta setenta ochenta noventa');
  return [
    ...ones,
    ...teens,
    'veinte',
    ...joined,
    ...tens.flatMap((ten) => [ten, ...ones.slice(1).map((one) => `${ten} y ${one}`)]),
  ];
}

/** Other forms of a number. */
const variants: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  de: { zwo: 2, fuenf: 5, zwoelf: 12, fuenfzehn: 15, fuenfzig: 50 },
  fr: {
    une: 1,
    'vingt un': 21,
    'quatre vingt': 80,
    'soixante onze': 71,
    septante: 70,
    huitante: 80,
    octante: 80,
    nonante: 90,
  },
  es: { veintiun: 21 },
};

const tables: Readonly<Record<string, readonly string[]>> = {
  de: german(),
  fr: french(),
  es: spanish(),
  it: words('zero uno due tre quattro cinque sei sette otto nove'),
  pt: words('zero um dois três quatro cinco seis sete oito nove'),
  nl: words('nul een twee drie vier vijf zes zeven acht negen'),
};

const phrases: ReadonlyMap<string, NumberPhrases> = new Map(
  Object.entries(tables).map(([language, table]) => [
    language,
    new Map([
      ...table.map((phrase, value) => [foldWord(phrase), value] as const),
      ...Object.entries(variants[language] ?? {}),
    ]),
  ]),
);

/** @param language a primary language code. English has rules of its own. */
export function numberPhrases(language: string): NumberPhrases | undefined {
  return phrases.get(language);
}

/** @returns the longest number at this token; `next`: the token after it. */
export function phraseAt(
  tokens: readonly Token[],
  at: number,
  table: NumberPhrases,
): { value: number; next: number } | undefined {
  let joined = '';
  let found: { value: number; next: number } | undefined;
  for (let next = at; next < Math.min(tokens.length, at + longestPhrase); next += 1) {
    const word = foldWord(tokens[next]?.word ?? '');
    joined = next === at ? word : `${joined} ${word}`;
    const value = table.get(joined);
    if (value !== undefined) found = { value, next: next + 1 };
    // Most tokens begin no number.
    else if (next === at && !/^[a-z]/.test(word)) return undefined;
  }
  return found;
}

/** A number in another language than that of the transcript. */
export type ForeignPhrase = { language: string; value: number; next: number };

const fewestPhrases = 4;
/** A digit of one language that is a filler of others begins no number. */
const fillerDigits = new Set(['um']);
const beginnings = beginningsOf(phrases);

/**
 * Numbers in other languages than `own`, by the position of their first token. One such word says little ("due", "acht"):
 * several different ones have to follow each other.
 */
export function foreignPhrases(
  tokens: readonly Token[],
  own: ReadonlySet<string>,
  isFiller: (token: Token) => boolean,
): Map<number, ForeignPhrase> {
  const found = new Map<number, ForeignPhrase>();
  tokens.forEach(({ word }, first) => {
    if (found.has(first)) return;
    for (const language of beginnings.get(foldWord(word)) ?? []) {
      if (own.has(language)) continue;
      const sequence = sequenceAt({ tokens, first, language, isFiller });
      const isNumber = sequence.length >= fewestPhrases && new Set(sequence.map(([, { value }]) => value)).size > 1;
      if (!isNumber) continue;
      for (const [at, phrase] of sequence) found.set(at, phrase);
      return;
    }
  });
  return found;
}

type Start = { tokens: readonly Token[]; first: number; language: string; isFiller: (token: Token) => boolean };

function sequenceAt({ tokens, first, language, isFiller }: Start): [number, ForeignPhrase][] {
  const table = phrases.get(language) as NumberPhrases;
  const sequence: [number, ForeignPhrase][] = [];
  let skipped = 0;
  for (let at = first; at < tokens.length && skipped < 3;) {
    const beginsWithFiller = at === first && fillerDigits.has(tokens[at]?.word ?? '');
    const phrase = beginsWithFiller ? undefined : phraseAt(tokens, at, table);
    if (phrase) {
      sequence.push([at, { language, ...phrase }]);
      at = phrase.next;
      skipped = 0;
    } else if (isFiller(tokens[at] as Token)) {
      at += 1;
      skipped += 1;
    } else break;
  }
  return sequence;
}

function beginningsOf(all: ReadonlyMap<string, NumberPhrases>): Map<string, string[]> {
  const languages = new Map<string, Set<string>>();
  for (const [language, table] of all)
    for (const phrase of table.keys()) {
      const word = phrase.split(' ', 1)[0] as string;
      languages.set(word, (languages.get(word) ?? new Set()).add(language));
      // "quatre-vingt-dix" as one token.
      languages.set(phrase, (languages.get(phrase) ?? new Set()).add(language));
    }
  return new Map([...languages].map(([word, some]) => [word, [...some]]));
}

/** Without accents and hyphens, which transcripts often leave out. */
export function foldWord(word: string): string {
  const plain = word.replaceAll('-', ' ');
  return /^[\x20-\x7e]*$/.test(plain) ? plain : plain.normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll('ß', 'ss');
}

function words(text: string): string[] {
  return text.split(' ');
}

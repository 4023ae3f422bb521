import { isCueWord } from './cues.ts';
import { isEnglishWord } from './english-words.ts';
import { familyNames, givenNames } from './gazetteer.ts';
import { mainlyNames, ordinaryNames, properNouns } from './common-names.ts';
import { normalize } from './normalize.ts';
import type { Span } from './spans.ts';
import type { Token } from './tokens.ts';

const titles = new Set(
  'mr mrs ms miss dr prof professor doctor sir madam herr frau monsieur madame señor señora mister missus'.split(' '),
);
/** Titles that are no other word: a name in lower case may follow. */
const onlyTitles = new Set(['mr', 'mrs', 'ms', 'mister', 'herr']);
/** Phrases that introduce a person, longest first. */
const introductions = [
  'my name is',
  "my name's",
  'your name is',
  'his name is',
  'her name is',
  'name of',
  'this is',
  'speaking with',
  'speaking to',
  'talking to',
  'talk to',
  'call me',
  'i am',
  "i'm",
  'meet',
  'named',
  'mein name ist',
  'ich heiße',
  'ich bin',
  "je m'appelle",
  'me llamo',
  'mi chiamo',
];
const introductionsByWord = Map.groupBy(
  introductions.map((phrase) => phrase.split(' ')),
  ([first = '']) => first,
);
/** After these even a word in lower case is a name: transcripts may have no capitals. */
const certain = new Set([
  'my name is',
  "my name's",
  'his name is',
  'her name is',
  'your name is',
  'mein name ist',
  'ich heiße',
  'me llamo',
  "je m'appelle",
  'mi chiamo',
]);
const notNames = new Set(
  "i'm i've i'll i'd it's don't yeah uh um chair speaker president minister not the a an i it and but so or on in at for to of with from is are was were be sorry sure glad happy going here there just really very fine good great ok okay also still trying looking calling working speaking about very like important secret difficult easy hard common spelled pronounced what who my your his her our their this that monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december english german french spanish american british indian chinese god well yes no thanks thank because when where how why you he she we they".split(
    ' ',
  ),
);
const particles = new Set([
  'van',
  'von',
  'de',
  'der',
  'den',
  'la',
  'le',
  'da',
  'di',
  'bin',
  'al',
  'el',
  "o'",
  'mac',
  'mc',
]);
const maxWords = 4;
/** Verbs that are names with a capital letter only: "agnes can", "tara will". */
const verbs = new Set(['can', 'has', 'may', 'will']);

type NameOptions = { knownNames: readonly string[]; language: string | null };

/**
 * Names by rule: introductions, titles, common given names, and the known names of the file's speakers. A name that was
 * introduced is found everywhere in the text. A rare name without an introduction is not found.
 */
export function findNames(tokens: readonly Token[], { knownNames, language }: NameOptions): Span[] {
  const introduced = introductionsIn(tokens);
  const listed = listedNames(tokens, language?.slice(0, 2).toLowerCase() ?? 'en');
  const spelled = spelledNames(tokens, new Set(knownNames.flatMap(partsOf)));
  const known = new Set([...knownNames.flatMap(partsOf), ...introduced.flatMap((range) => namesIn(tokens, range))]);
  const ranges = [...introduced, ...listed, ...spelled].map(({ first, last }) => spanOf(tokens, first, last));
  const mentions = tokens.flatMap((token, at) => (known.has(possessorOf(token.word)) ? [spanOf(tokens, at, at)] : []));
  return joinAdjacent(tokens, [...ranges, ...mentions]);
}

type Range = { first: number; last: number };

/** Words before the name of a person who is addressed or mentioned. */
const addresses = new Set('thanks you hi hello hey dear bye goodbye ask asked tell told met with'.split(' '));
/** In these languages every noun has a capital letter. */
const capitalisedNouns = new Set(['de', 'lb']);
const spellings = new Set('spelled spelt spell spells name named called'.split(' '));

/** Letters that are spoken one by one: after "spelled", or when they make a name. */
function spelledNames(tokens: readonly Token[], known: ReadonlySet<string>): Range[] {
  const ranges: Range[] = [];
  for (let first = 0; first < tokens.length; first += 1) {
    let last = first;
    while (/^\p{L}$/u.test(tokens[last]?.word ?? '')) last += 1;
    const letters = tokens
      .slice(first, last)
      .map(({ word }) => word)
      .join('');
    const hyphenated = /^\p{L}(?:-\p{L}){2,}$/u.test(tokens[first]?.word ?? '')
      ? tokens[first]?.word.replaceAll('-', '')
      : undefined;
    const name = letters.length > 2 ? letters : hyphenated;
    if (name === undefined) continue;
    const isCued = tokens.slice(Math.max(0, first - 4), first).some(({ word }) => spellings.has(word));
    const end = letters.length > 2 ? last - 1 : first;
    // "it is a p a little": three letters that are a name by chance.
    const isListed = name.length > 3 && (givenNames.has(name) || familyNames.has(name));
    if (isCued || known.has(name) || isListed) ranges.push({ first, last: end });
    first = end;
  }
  return ranges;
}

/** A capitalised word that is a name or no word. */
function isLastName(token: Token | undefined): boolean {
  if (!token || !startsWithCapital(token) || notNames.has(token.word)) return false;
  const { given, family, plain } = listedAs(token);
  return (plain && (given || family)) || isUnknownWord(token, 'en');
}

type Listed = { given: boolean; family: boolean; rare: boolean; plain: boolean };

/** Names of the gazetteer: a given name, with the family name after it. */
/** Listed names that are among the most common words of a language, also with a capital letter. */
const commonWords: Readonly<Record<string, ReadonlySet<string>>> = {
  de: new Set(['april', 'mai', 'juni', 'juli', 'august']),
  fr: new Set(['elle', 'mai', 'mars', 'avril']),
  es: new Set(['ella', 'abril', 'mayo', 'junio', 'julio', 'mar']),
};

function listedNames(tokens: readonly Token[], language: string): Range[] {
  const ranges: Range[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const last = lastOfListed(tokens, at, language);
    if (last === undefined) continue;
    ranges.push({ first: at, last });
    at = last;
  }
  return ranges;
}

function lastOfListed(tokens: readonly Token[], at: number, language: string): number | undefined {
  const token = tokens[at];
  if (token && commonWords[language]?.has(token.word)) return undefined;
  if (token && !endsThought(token) && isFullName(tokens, at, language)) return at + 1;
  return listedAs(token).given && isGivenAlone(tokens, at, language) ? at : undefined;
}

/** "Grace Hopper", "grace hopper", "Ada Quillfeather", "Zebulon Okafor"; not "grace period" and not "Mark Monday". */
function isFullName(tokens: readonly Token[], at: number, language: string): boolean {
  const [token, next] = [tokens[at], tokens[at + 1]];
  if (!token || !next || startsWithCapital(token) !== startsWithCapital(next)) return false;
  if (verbs.has(next.text)) return false;
  const [name, after] = [listedAs(token), listedAs(next)];
  if (name.given && after.family && (name.rare || after.rare)) return true;
  const isCapital = startsWithCapital(token);
  if (isCapital && name.given && name.plain && isName(next)) return true;
  // One of them is a name of the list, and the other one is no word.
  const isKnown = (name.given || name.family) && name.plain;
  if ((isKnown || (isCapital && name.given)) && isUnknownWord(next, language)) return true;
  if ((after.given || after.family) && after.plain && isUnknownWord(token, language)) return true;
  const isInside = !startsThought(tokens, at);
  return isCapital && isInside && isUnknownWord(token, language) && isUnknownWord(next, language);
}

function isGivenAlone(tokens: readonly Token[], at: number, language: string): boolean {
  const { plain } = listedAs(tokens[at]);
  const word = possessorOf(tokens[at]?.word ?? '');
  if (!startsWithCapital(tokens[at]))
    return language === 'en' && (plain || (isAddressed(tokens, at) && isThoughtEnd(tokens, at)));
  if (plain) return true;
  if (properNouns.has(word)) return isAddressed(tokens, at);
  return !startsThought(tokens, at) && !capitalisedNouns.has(language);
}

/** A word that is not in the dictionary. There is one of English only. */
function isUnknownWord({ word }: Token, language: string): boolean {
  const bare = possessorOf(word);
  return language === 'en' && /^\p{L}{3,}$/u.test(bare) && !isCueWord(bare) && !isEnglishWord(bare);
}

/** `rare`: it is no word of everyday English, so that it counts next to another name. `plain`: it is no other word at all. */
function listedAs(token: Token | undefined): Listed {
  const word = possessorOf(token?.word ?? '');
  const rare = !ordinaryNames.has(word) && !properNouns.has(word);
  const isWord = notNames.has(word) || titles.has(word) || isCueWord(word);
  return {
    given: !isWord && givenNames.has(word),
    family: !isWord && familyNames.has(word),
    rare,
    plain: rare && (mainlyNames.has(word) || !isEnglishWord(word)),
  };
}

function isName({ text, word }: Token): boolean {
  return /^\p{Lu}\p{Ll}[\p{L}'’-]*$/u.test(text) && !notNames.has(word) && !ordinaryNames.has(possessorOf(word));
}

/** In a text without lower case capital letters mean nothing. */
function startsWithCapital(token: Token | undefined): boolean {
  return /^\p{Lu}\p{Ll}/u.test(token?.text ?? '');
}

function endsThought(token: Token | undefined): boolean {
  return token === undefined || token.endsSentence || token.endsPassage;
}

function startsThought(tokens: readonly Token[], at: number): boolean {
  return at <= 0 || endsThought(tokens[at - 1]);
}

function isThoughtEnd(tokens: readonly Token[], at: number): boolean {
  return at === tokens.length - 1 || endsThought(tokens[at]);
}

function isAddressed(tokens: readonly Token[], at: number): boolean {
  const word = tokens[at - 1]?.word ?? '';
  return addresses.has(word) && (word !== 'you' || tokens[at - 2]?.word === 'thank');
}

function introductionsIn(tokens: readonly Token[]): Range[] {
  return tokens.flatMap((_, at) => {
    const range = afterTitle(tokens, at) ?? afterIntroduction(tokens, at);
    return range ? [range] : [];
  });
}

/** The parts of the names that are introduced in the text. */
export function findIntroduced(tokens: readonly Token[]): string[] {
  return introductionsIn(tokens).flatMap((range) => namesIn(tokens, range));
}

function partsOf(name: string): string[] {
  return normalize(name)
    .text.normalize('NFC')
    .toLowerCase()
    .split(/[\s,.]+/u)
    .filter((part) => part.length >= 3 && !particles.has(part) && !titles.has(part) && !notNames.has(part));
}

function namesIn(tokens: readonly Token[], { first, last }: Range): string[] {
  return tokens.slice(first, last + 1).flatMap(({ word }) => partsOf(possessorOf(word)));
}

function possessorOf(word: string): string {
  return word.replace(/'s$/u, '');
}

function afterTitle(tokens: readonly Token[], at: number): Range | undefined {
  if (!titles.has(tokens[at]?.word ?? '')) return undefined;
  return nameFrom(tokens, at + 1, onlyTitles.has(tokens[at]?.word ?? ''));
}

function afterIntroduction(tokens: readonly Token[], at: number): Range | undefined {
  const phrase = introductionsByWord
    .get(tokens[at]?.word ?? '')
    ?.find((words) => words.every((word, i) => tokens[at + i]?.word === word));
  if (!phrase || tokens[at + phrase.length - 1]?.endsSentence) return undefined;
  const speaking = phrase.join(' ') === 'this is' ? beforeSpeaking(tokens, at + 2) : undefined;
  if (speaking) return speaking;
  return nameFrom(tokens, at + phrase.length, certain.has(phrase.join(' ')));
}

/** "this is grace hopper speaking" */
function beforeSpeaking(tokens: readonly Token[], first: number): Range | undefined {
  for (let at = first; at <= first + 2 && !notNames.has(tokens[at]?.word ?? ''); at += 1)
    if (['speaking', 'calling', 'here'].includes(tokens[at + 1]?.word ?? '')) return { first, last: at };
  return undefined;
}

/** Capitalised words from `first`; with `lowerCase` also one or two words in lower case. */
function nameFrom(tokens: readonly Token[], first: number, lowerCase: boolean): Range | undefined {
  let last = first - 1;
  for (let at = first; at < Math.min(tokens.length, first + maxWords); at += 1) {
    const { text, word } = tokens[at] as Token;
    const capital = /^\p{Lu}[\p{L}'’.-]*$/u.test(text) && !notNames.has(word);
    const small = lowerCase && at < first + 2 && /^\p{Ll}[\p{L}'’-]+$/u.test(text) && !notNames.has(word);
    if (capital || small) last = at;
    else if (!particles.has(word)) break;
    const continues = capital && isLastName(tokens[at + 1]) && !tokens[at]?.endsSentence;
    const ends = (tokens[at]?.endsPassage && !continues) || (tokens[at]?.endsSentence && word.length > 2);
    if (ends && last >= first) break;
  }
  return last >= first ? { first, last } : undefined;
}

function spanOf(tokens: readonly Token[], first: number, last: number): Span {
  return { kind: 'name', start: (tokens[first] as Token).start, end: (tokens[last] as Token).end };
}

/** "John" and "Smith" next to each other are one span. */
function joinAdjacent(tokens: readonly Token[], spans: readonly Span[]): Span[] {
  const starts = new Map(tokens.map((token, i) => [token.start, i]));
  const joined: Span[] = [];
  for (const span of spans.toSorted((x, y) => x.start - y.start || y.end - x.end)) {
    const last = joined.at(-1);
    const before = tokens[(starts.get(span.start) ?? 0) - 1];
    const touches = last && (span.start < last.end || (before?.end === last.end && !before.endsSentence));
    if (touches) joined[joined.length - 1] = { ...last, end: Math.max(last.end, span.end) };
    else joined.push(span);
  }
  return joined;
}

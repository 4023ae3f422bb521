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
  'not the a an i it and but so or on in at for to of with from is are was were be sorry sure glad happy going here there just really very fine good great ok okay also still trying looking calling working speaking about very like important secret difficult easy hard common spelled pronounced what who my your his her our their this that monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december english german french spanish american british indian chinese god well yes no thanks thank because when where how why you he she we they'.split(
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

/**
 * Names by rule: introductions, titles, and the known names of the file's speakers. A name that was introduced is found
 * everywhere in the text. A name without an introduction is not found.
 */
export function findNames(tokens: readonly Token[], knownNames: readonly string[]): Span[] {
  const introduced = introductionsIn(tokens);
  const known = new Set([...knownNames.flatMap(partsOf), ...introduced.flatMap((range) => namesIn(tokens, range))]);
  const ranges = introduced.map(({ first, last }) => spanOf(tokens, first, last));
  const mentions = tokens.flatMap((token, at) => (known.has(possessorOf(token.word)) ? [spanOf(tokens, at, at)] : []));
  return joinAdjacent(tokens, [...ranges, ...mentions]);
}

type Range = { first: number; last: number };

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
  return name
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
  return nameFrom(tokens, at + phrase.length, certain.has(phrase.join(' ')));
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
    const ends = tokens[at]?.endsPassage || (tokens[at]?.endsSentence && word.length > 2);
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

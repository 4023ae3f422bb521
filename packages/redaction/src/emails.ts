import { numberWords, valueBelowHundred } from './digit-runs.ts';
import type { Span } from './spans.ts';
import type { Token } from './tokens.ts';

// Lengths are those of RFC 5321. Without a limit a long word would take quadratic time.
const written = /[\p{L}\p{N}._%+'-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}[\p{L}\p{N}-]{1,63}/gu;
/** Signs as HTML, URLs and JSON write them. */
const codedAt = String.raw`&#0{0,4}64;|&#x0{0,4}40;|&commat;|%40|\\u0040`;
const codedDot = String.raw`&#0{0,4}46;|&#x0{0,4}2e;|&period;|%2e|\\u002e`;
/** Hosts that have no domain. */
const bareHost = '(?:localhost|localdomain|intranet|mailhost|mailserver)';
const isBareHost = new RegExp(`^${bareHost}$`);
/** "dot", also spelled: "d.o.t", "d o t". */
const spelledDot = String.raw`d[\s.-]{0,2}o[\s.-]{0,2}t`;
const anyAt = String.raw`(?:@|[[({]\s?(?:at|a|ä)\s?[\])}]|${codedAt})`;
const label = String.raw`[\p{L}\p{N}-]{1,63}`;
/** Written with spaces, brackets, a code or a word for a sign: "john @ example . com", "john(at)example[dot]com". */
const disguised = new RegExp(
  String.raw`[\p{L}\p{N}._%+'-]{1,64}\s{0,2}${anyAt}\s{0,2}${label}(?:\s{0,2}(?:\.|[[({]\s?${spelledDot}\s?[\])}]|\s${spelledDot}\s|${codedDot})\s{0,2}${label}){1,6}`,
  'giu',
);
/** "john@localhost", and an address in the place of a name (RFC 5321, 4.1.3): "john@[127.0.0.1]". */
const withoutDomain = new RegExp(
  String.raw`[\p{L}\p{N}._%+'-]{1,64}\s{0,2}${anyAt}\s{0,2}(?:${bareHost}(?![\p{L}\p{N}])|\[[\da-fipv.:]{3,45}\])`,
  'giu',
);
/** "john-at-example-dot-com" */
const hyphenated =
  /(?<![\p{L}\p{N}])[\p{L}\p{N}.+'-]{1,64}([-_])at\1[\p{L}\p{N}]{1,63}(?:\1dot\1[\p{L}\p{N}]{2,63}){1,6}/giu;
const ats = new Set(['at', '@', 'at-sign', 'atsign', 'ät', 'arroba', 'chiocciola', 'klammeraffe', 'arobase']);
const dots = new Set(['dot', 'point', 'period', '.', 'punkt', 'punto', 'ponto']);
const connectors = new Set([
  ...dots,
  ...'underscore dash hyphen minus plus _ - unterstrich bindestrich tiret guion guión'.split(' '),
]);
/** Signs of several words, the last one first. */
const longConnectors: readonly (readonly string[])[] = [
  ['bas', 'du', 'tiret'],
  ['bajo', 'guion'],
  ['bajo', 'guión'],
  ['union', "d'", 'trait'],
  ["d'union", 'trait'],
];
/** Providers whose domain people leave out: "anna at gmail", "g mail", "proton mail". */
const providers = new Set('gmail googlemail hotmail outlook yahoo icloud aol gmx protonmail'.split(' '));
const dividedProviders = new Map([
  ['g', 'mail'],
  ['hot', 'mail'],
  ['proton', 'mail'],
  ['i', 'cloud'],
]);
/** Words that mean an address and nothing else. */
const plainAts = new Set(['arroba', 'chiocciola', 'klammeraffe', 'arobase', 'at-sign', 'atsign']);
const topLevel = new Set(
  'com org net edu gov mil int io co ai app dev me info biz eu uk de fr es it nl at ch be se no dk fi pl pt ie ca us au nz in br mx jp cn ru za tv email xyz online shop cloud tech museum name pro jobs mobi travel asia store site website page blog agency studio design digital company network systems services solutions consulting gmbh berlin hamburg koeln wien bayern swiss london paris nyc tokyo amsterdam cz sk hu ro bg gr hr rs lt lv ee lu ua tr il kr tw hk sg ar cl'.split(
    ' ',
  ),
);
/** "look at the dot com boom": these begin no domain. */
const noDomains = new Set(['the', 'a', 'an', 'this', 'that', 'my', 'your', 'our', 'some', 'any']);
/** Where a dictated address begins. */
const cueEnds = new Set(
  "is it's its as to at: email e-mail mail address lautet ist es est c'est por sur under via from with try use contact message ping cc me him her them us or and that's thats".split(
    ' ',
  ),
);
const mailWords = new Set(
  'mail email e-mail mails emails write address courriel correo adresse écrivez schreib schreiben escríbeme reach'.split(
    ' ',
  ),
);
const english = numberWords('en');

/** Addresses as written, and as dictated: "john dot smith at example dot com". */
export function findEmails(text: string, tokens: readonly Token[]): Span[] {
  const asWritten = [...text.matchAll(written), ...text.matchAll(withoutDomain)].map(({ 0: found, index }) =>
    spanOf(index, index + found.length),
  );
  const inDisguise = [...text.matchAll(disguised), ...text.matchAll(hyphenated)]
    .filter(({ 0: found }) => topLevel.has(/(?<![\p{L}\p{N}])[\p{L}\p{N}]+$/u.exec(found)?.[0].toLowerCase() ?? ''))
    .map(({ 0: found, index }) => spanOf(index, index + found.length));
  // "p a t" can be the end of a name or of "at": both readings are tried.
  const withDots = joinSpelled(tokens, dots);
  const readings = [tokens, withDots, joinSpelled(withDots, ats)];
  const dictated = [...new Set(readings)].flatMap((reading) => reading.flatMap((_, at) => dictatedAt(reading, at)));
  return [...asWritten, ...inDisguise, ...dictated];
}

/** Letters that spell one of the words become that word: "d o t", "d.o.t", "a-t". @returns the same tokens without one. */
function joinSpelled(tokens: readonly Token[], signs: ReadonlySet<string>): readonly Token[] {
  const joined: Token[] = [];
  for (let at = 0; at < tokens.length;) {
    const token = tokens[at] as Token;
    const spelled = spelledAt(tokens, at, signs);
    const end = tokens[(spelled?.next ?? 0) - 1]?.end ?? token.end;
    joined.push(spelled ? { ...token, word: spelled.word, end, endsSentence: false } : token);
    at = spelled?.next ?? at + 1;
  }
  return joined.every((token, at) => token === tokens[at]) ? tokens : joined;
}

function spelledAt(tokens: readonly Token[], at: number, signs: ReadonlySet<string>) {
  const alone = tokens[at]?.word ?? '';
  if (/^\p{L}(?:[.-]\p{L})+$/u.test(alone)) {
    const word = alone.replaceAll(/[.-]/g, '');
    return signs.has(word) ? { word, next: at + 1 } : undefined;
  }
  let word = '';
  for (let next = at; next < at + 6 && /^\p{L}$/u.test(tokens[next]?.word ?? ''); next += 1) {
    word += tokens[next]?.word;
    if (word.length > 1 && signs.has(word)) return { word, next: next + 1 };
  }
  return undefined;
}

function spanOf(start: number, end: number): Span {
  return { kind: 'email', start, end };
}

function dictatedAt(tokens: readonly Token[], at: number): Span[] {
  if (!ats.has(signOf(tokens[at])) || noDomains.has(tokens[at + 1]?.word ?? '')) return [];
  const host = domainEnd(tokens, at + 1) ?? bareHostEnd(tokens, at + 1);
  const provider = host === undefined ? providerEnd(tokens, at + 1) : undefined;
  const last = host ?? provider;
  const first = last === undefined ? undefined : localStart(tokens, at - 1);
  if (last === undefined || first === undefined) return [];
  if (provider !== undefined && !isMailName(tokens, first, at)) return [];
  return [spanOf((tokens[first] as Token).start, (tokens[last] as Token).end)];
}

/** The word for a sign without the marks around it: "_at_", "-dot-". */
function signOf(token: Token | undefined): string {
  const word = token?.word ?? '';
  return word.replaceAll(/^[-_*~|<>]+(?=\p{L})|(?<=\p{L})[-_*~|<>]+$/gu, '');
}

/** The last token of a domain: "example dot com", "example.com", "g mail dot co dot u k". */
function domainEnd(tokens: readonly Token[], from: number): number | undefined {
  let end: number | undefined;
  for (let at = from; at < Math.min(tokens.length, from + 10); at += 1) {
    const { word, endsSentence } = tokens[at] as Token;
    if (/^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+$/u.test(word)) {
      if (topLevel.has(word.slice(word.lastIndexOf('.') + 1))) end = at;
    } else if (dots.has(signOf(tokens[at]))) {
      const next = tokens[at + 1]?.word ?? '';
      const spelled = spelledDomain(tokens, at + 1);
      if (topLevel.has(next)) end = at + 1;
      else if (spelled !== undefined) end = spelled;
    } else if (end !== undefined && at > end) return end;
    if (endsSentence && (end ?? -1) <= at) return end;
  }
  return end;
}

/** "my mail is john at localhost"; without such a word it is a server: "it runs at localhost". */
function bareHostEnd(tokens: readonly Token[], host: number): number | undefined {
  return isBareHost.test(tokens[host]?.word ?? '') && followsMailWord(tokens, host) ? host : undefined;
}

function followsMailWord(tokens: readonly Token[], from: number): boolean {
  for (let at = from - 1; at >= Math.max(0, from - 12) && !tokens[at]?.endsSentence; at -= 1)
    if (mailWords.has(tokens[at]?.word ?? '')) return true;
  return false;
}

/** The last token of a provider that is named without its domain. */
function providerEnd(tokens: readonly Token[], host: number): number | undefined {
  const name = tokens[host]?.word ?? '';
  if (providers.has(name)) return host;
  return dividedProviders.has(name) && dividedProviders.get(name) === tokens[host + 1]?.word ? host + 1 : undefined;
}

const longestMailName = 8;

/** "john dot smith at gmail"; "we looked at gmail" has neither a sign in the name nor a word for mail before it. */
function isMailName(tokens: readonly Token[], first: number, at: number): boolean {
  const local = tokens.slice(first, at);
  const isName = local.every(({ word }) => !cueEnds.has(word) && !mailWords.has(word));
  if (plainAts.has(signOf(tokens[at])) || local.some(({ word }) => connectors.has(word))) return true;
  return isName && local.length <= longestMailName && followsMailWord(tokens, first);
}

/** The last letter of a top-level domain that is spelled: "c o m". */
function spelledDomain(tokens: readonly Token[], first: number): number | undefined {
  let letters = '';
  let end: number | undefined;
  for (let at = first; at < first + 4 && /^\p{L}$/u.test(tokens[at]?.word ?? ''); at += 1) {
    letters += tokens[at]?.word;
    if (letters.length > 1 && topLevel.has(letters)) end = at;
  }
  return end;
}

/** The first token of the name before "at"; undefined when no name precedes it. */
function localStart(tokens: readonly Token[], last: number): number | undefined {
  if (last < 0 || tokens[last]?.endsSentence) return undefined;
  const cue = cueBefore(tokens, last);
  if (cue !== undefined) return cue + 1 <= last ? cue + 1 : undefined;
  let first = last;
  while (first > 0) {
    const before = tokens[first - 1] as Token;
    if (before.endsSentence) break;
    const long = longConnectors.find((signs) => signs.every((sign, i) => tokens[first - 1 - i]?.word === sign));
    if (long && first > long.length) first -= long.length + 1;
    else if (connectors.has(before.word) && first > 1) first -= 2;
    else if (isPart(before.word) && isPart(tokens[first]?.word ?? '')) first -= 1;
    else break;
  }
  return first;
}

/** Letters and numbers that are dictated one by one. */
function isPart(word: string): boolean {
  return /^([\p{L}\p{N}]|\d+)$/u.test(word) || valueBelowHundred(word, english) !== undefined;
}

/** The nearest word of an introduction ("my email is ...") in the same sentence. */
function cueBefore(tokens: readonly Token[], last: number): number | undefined {
  for (let at = last - 1; at >= Math.max(0, last - 12); at -= 1) {
    const { word, endsSentence } = tokens[at] as Token;
    if (endsSentence) return undefined;
    if (cueEnds.has(word) && !connectors.has(tokens[at + 1]?.word ?? '')) return at;
  }
  return undefined;
}

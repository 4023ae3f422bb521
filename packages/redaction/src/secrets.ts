import type { Span } from './spans.ts';
import type { Token } from './tokens.ts';

/** Keys whose form is published by their issuer. */
const keys = [
  /\bsk-[A-Za-z0-9_-]{16,200}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,}\b/g,
  /\bgithub_pat_\w{20,}\b/g,
  /\bglpat-[\w-]{16,}/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/g,
  /\bAIza[\w-]{30,}/g,
  /\b[rs]k_(?:live|test)_[A-Za-z0-9]{10,}/g,
  // From the beginning of a word: a start at each "eyJ" in it would take quadratic time.
  /(?<![\w-])(?=[\w-]*\beyJ[\w-]{8})[\w-]+\.[\w-]{8,}\.[\w-]{4,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
];
const nouns = new Set([
  'password',
  'passphrase',
  'passcode',
  'passwort',
  'kennwort',
  'contraseña',
  'pin',
  'passwd',
  'pwd',
]);
const verbs = new Set(['is', "it's", 'was', 'be', ':', '=', 'equals', 'ist', 'lautet', 'es', 'est', 'to']);
/** "the password is wrong": what follows is no password. */
const descriptions = new Set(
  'too not wrong expired required incorrect correct the a an very case stored hashed being reset sent empty weak strong important invalid good bad still now never always only on in for at least short long old new same different easy hard something what that this your my our his her their going gone safe secure encrypted optional missing changed known used needed valid one written saved set up longer shorter checked case-sensitive'.split(
    ' ',
  ),
);
const stops = new Set([
  'and',
  'so',
  'but',
  'okay',
  'ok',
  'then',
  'because',
  'please',
  'if',
  'when',
  'which',
  'right',
  'thanks',
]);
const maxWords = 8;

/** API keys, and passwords said aloud: "the password is hunter two". */
export function findSecrets(text: string, tokens: readonly Token[]): Span[] {
  const known = keys.flatMap((key) =>
    [...text.matchAll(key)].map(({ 0: found, index }) => ({
      kind: 'secret' as const,
      start: index,
      end: index + found.length,
    })),
  );
  return [...known, ...tokens.flatMap((_, at) => spoken(tokens, at))];
}

function spoken(tokens: readonly Token[], at: number): Span[] {
  if (!isSecretNoun(tokens, at) || tokens[at]?.endsSentence) return [];
  const first = valueStart(tokens, at);
  if (first === undefined || descriptions.has(tokens[first]?.word ?? '')) return [];
  let last = first;
  const isSpelled = (at: number): boolean => tokens[at]?.word.length === 1;
  while (last + 1 < tokens.length && (last - first + 1 < maxWords || (isSpelled(last) && isSpelled(last + 1)))) {
    if (tokens[last]?.endsSentence || tokens[last]?.endsPassage || stops.has(tokens[last + 1]?.word ?? '')) break;
    last += 1;
  }
  return [{ kind: 'secret', start: (tokens[first] as Token).start, end: (tokens[last] as Token).end }];
}

function isSecretNoun(tokens: readonly Token[], at: number): boolean {
  const word = tokens[at]?.word ?? '';
  if (nouns.has(word.replace(/[:=]$/, ''))) return true;
  const next = tokens[at + 1]?.word ?? '';
  return (
    (word === 'api' && next === 'key') ||
    (word === 'access' && next === 'token') ||
    (word === 'secret' && next === 'key')
  );
}

/** The word after "is" or ":"; the noun itself may end with a colon. */
function valueStart(tokens: readonly Token[], at: number): number | undefined {
  for (let next = at + 1; next <= Math.min(tokens.length - 2, at + 5); next += 1) {
    const { word, endsSentence } = tokens[next] as Token;
    if (endsSentence) return undefined;
    if (verbs.has(word)) return next + 1;
  }
  return undefined;
}

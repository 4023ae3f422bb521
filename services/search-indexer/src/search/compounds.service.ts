import { setImmediate } from 'node:timers/promises';
import type { AccessScope } from '../access/access.ts';
import { stemOf } from '../tokenize/tokenize.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.store.ts';
import { hasWord, type WordList } from '../vocabulary/vocabulary.ts';
import type { Languages } from './search.ts';

/** The words of the searcher's files that are compounds with one of these words. */
export type FindCompounds = (words: readonly string[], scope: AccessScope, languages: Languages) => Promise<string[]>;

/** Languages that write compounds as one word. */
const compounding = new Set(['de', 'nl', 'sv', 'da', 'no', 'nb', 'nn', 'fi']);
/** Shorter words are parts of too many others. */
const minPart = 5;
const minRest = 4;
/** Letters between the parts of a compound. */
const links = ['', 's', 'es', 'n', 'en', 'er', 'e', 'ens'];
const maxWords = 8;
const maxCompounds = 60;
/** A part of few letters is in many words. */
const maxStemmed = 20_000;

/**
 * Finds compounds among the words of the library: what is left of a compound must be long, or a word of the library
 * itself.
 */
export function createCompounds({ vocabulary }: { vocabulary: Pick<Vocabulary, 'all' | 'readable'> }): FindCompounds {
  return async (words, scope, languages) => {
    const [language] = languages.flatMap((code) => (code && compounding.has(code.slice(0, 2)) ? [code] : []));
    if (language === undefined || words.length === 0) return [];
    const library = await vocabulary.all();
    const found = new Set<string>();
    for (const word of words.slice(0, maxWords)) {
      // Other searches go on between two words.
      await setImmediate();
      for (const compound of compoundsWith(word, library, language)) found.add(compound);
    }
    if (found.size === 0) return [];
    const readable = await vocabulary.readable([...found], scope);
    return readable
      .sort((x, y) => y.files - x.files || (x.word < y.word ? -1 : 1))
      .slice(0, maxCompounds)
      .map(({ word }) => word);
  };
}

/** One pass over the words of the library; few of them are looked at closer. */
export function compoundsWith(word: string, library: WordList, language: string): string[] {
  const part = stemOf(word, language);
  if (part.length < minPart) return [];
  const kept = unchangedPart(part);
  const found: string[] = [];
  let stemmed = 0;
  for (const candidate of library.sorted) {
    if (candidate.length < part.length + 3 || !candidate.includes(kept)) continue;
    if (++stemmed > maxStemmed || found.length >= maxCompounds) break;
    const stem = stemOf(candidate, language);
    const isEnd = stem.endsWith(part);
    if (stem === part || !(isEnd || stem.startsWith(part))) continue;
    if (isWord(isEnd ? stem.slice(0, -part.length) : stem.slice(part.length), library)) found.push(candidate);
  }
  return found;
}

/** The longest part of a stem that umlauts, and double s for ß, do not change. */
function unchangedPart(stem: string): string {
  return stem.split(/[aou]e?|ss/).reduce((longest, part) => (part.length > longest.length ? part : longest), '');
}

function isWord(rest: string, library: WordList): boolean {
  if (rest.length >= minRest) return /[aeiouyäöü]/.test(rest);
  return links.some((link) => {
    const own = rest.slice(0, rest.length - link.length);
    return rest.endsWith(link) && own.length >= 3 && hasWord(own, library);
  });
}

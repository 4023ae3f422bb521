import { familyNames, givenNames, isEnglishWord, ordinaryNames, properNouns } from '@overtone/redaction';
import { fold, vocabularyOf } from './words.ts';

const particles = 'van|von|zu|zum|de|der|den|la|le|da|di|bin|al|el|Van|Von|De|Di|La|Le|Mac|Mc';
/** Up to three words that begin with a capital letter, as the source of a regular expression. */
export const namePattern = `\\p{Lu}[\\p{L}'’-]*\\p{L}(?:(?: (?:${particles}))* \\p{Lu}[\\p{L}'’.-]*\\p{L}){0,2}`;
/** The same in a transcript without capital letters. */
export const lowerNamePattern = `\\p{L}[\\p{L}'’-]*\\p{L}(?: \\p{L}[\\p{L}'’-]*\\p{L})?`;

/** "MadamChair": a space is missing. */
const joinedWords = /(?<!\b(?:Ma?c|De|Di|La|Le|Du|Van|Von|Fitz))\p{Ll}\p{Lu}/u;
const notNames = new Set(
  (
    'god lord jesus christ christmas mom mum dad mama papa sir madam ladies gentlemen everyone everybody guys folks team all you again both chair chairman chairwoman speaker minister president doctor professor operator moderator host ' +
    'english german french spanish italian american british indian chinese japanese european canadian welsh irish scottish russian polish dutch turkish ' +
    'monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december ' +
    'montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz mai juni juli oktober dezember ' +
    'okay ok yes no yeah well so and but because what when where who why how really very just also still here there not sorry sure glad happy fine good great ' +
    'zoom teams google skype alexa siri cortana microsoft apple amazon facebook support service sales marketing engineering management ' +
    'deutsch englisch deutsche deutscher herr frau mutter vater chef chefin gott leute kollegen kolleginnen zusammen allen allerseits alle euch ihnen dir mal sehr dafür fürs schön ' +
    'der die das ein eine jemand niemand neu neue student studentin lehrer lehrerin ingenieur ingenieurin entwickler entwicklerin arzt ärztin anwalt anwältin geschäftsführer geschäftsführerin leiter leiterin manager managerin moderator moderatorin vorsitzende vorsitzender'
  ).split(' '),
);

/** Whether a word alone is a first name and nothing else. `known` are folded parts of names of people. */
export function isFirstName(word: string, known: ReadonlySet<string>): boolean {
  const lower = word.toLowerCase();
  if (notNames.has(lower)) return false;
  if (known.has(fold(word))) return true;
  return givenNames.has(lower) && !ordinaryNames.has(lower) && !properNouns.has(lower);
}

/** Whether capitalised words can be the name of a person: none of them is a word that never is one. */
export function isPossibleName(name: string, language: string): boolean {
  const words = name.split(' ').filter((word) => /^\p{Lu}/u.test(word));
  const { isStopWord } = vocabularyOf(language);
  return (
    words.length > 0 &&
    !joinedWords.test(name) &&
    words.every((word) => {
      const lower = word.toLowerCase();
      return !notNames.has(lower) && (!isStopWord(lower) || givenNames.has(lower)) && !/['’]s$/.test(lower);
    })
  );
}

/** A first name of the list with a family name after it, or words that are in no dictionary: "Ada Quillfeather". */
export function isLikelyName(name: string, known: ReadonlySet<string>, language: string): boolean {
  if (!isPossibleName(name, language)) return false;
  const [first = '', ...rest] = name.split(' ');
  if (isFirstName(first, known)) return true;
  const lower = first.toLowerCase();
  if (properNouns.has(lower) && rest.length === 0) return false;
  if (rest.length > 0) return givenNames.has(lower) || familyNames.has(rest.at(-1)?.toLowerCase() ?? '');
  return language === 'en' && !givenNames.has(lower) && lower.length > 3 && !isEnglishWord(lower);
}

/** The name without words at its end that belong to the sentence: "Anna Sorry" is "Anna". */
export function trimName(name: string, language: string): string {
  const words = name.split(' ');
  while (words.length > 1 && !isPossibleName(words.at(-1) ?? '', language)) words.pop();
  return words.join(' ');
}

/** The full name of the known person when exactly one known person has this first name or this name, and the unchanged name otherwise. */
export function completeName(name: string, knownNames: readonly string[]): string {
  const wanted = fold(name.replace(/^(?:Mr|Mrs|Ms|Dr|Herr|Frau)\.? /u, ''));
  const exact = knownNames.find((known) => fold(known) === wanted);
  if (exact !== undefined) return exact;
  const matching = knownNames.filter((known) => {
    const parts = fold(known).split(' ');
    return wanted === (name.includes(' ') ? parts.at(-1) : parts[0]);
  });
  const [only] = matching;
  return only !== undefined && new Set(matching.map(fold)).size === 1 ? only : name;
}

/** The folded parts of names. */
export function partsOf(names: readonly string[]): Set<string> {
  return new Set(names.flatMap((name) => fold(name).split(/[\s,.]+/u)).filter((part) => part.length > 2));
}

import type { Cues } from './cues.ts';
import { dueDateIn } from './due-dates.ts';
import { completeName, isFirstName, isPossibleName, namePattern } from './person-names.ts';
import type { Sentence } from './sentences.ts';

/** `owner` in its displayed form; `dueDate` as it was spoken. `strength`: 1 may be one, 4 certainly is. */
export type ActionItem = {
  sentence: Sentence;
  owner: string | null;
  dueDate: string | null;
  strength: number;
};

/** `known`: folded parts of the names of the people who take part. */
export type ActionContext = { language: string; cues: Cues; known: ReadonlySet<string>; knownNames: readonly string[] };

const minWords = 4;
const maxWords = 60;

/** The action item of a sentence, or null: who does what, and by when. */
export function actionItemIn(sentence: Sentence, context: ActionContext): ActionItem | null {
  const { cues, language } = context;
  const text = sentence.text.replaceAll('’', "'");
  if (sentence.wordCount < minWords || sentence.wordCount > maxWords) return null;
  const dueDate = dueDateIn(text, language);
  if (cues.announced.test(text)) return { sentence, owner: namedOwner(text, context), dueDate, strength: 4 };
  if (cues.notAction.test(text)) return null;
  const owner = namedOwner(text, context);
  const urgency = dueDate === null ? 0 : 1;
  if (owner !== null) return { sentence, owner, dueDate, strength: 3 + urgency };
  const isQuestion = /\?\s*$/.test(text);
  if (cues.request.test(text)) return { sentence, owner: null, dueDate, strength: 2 + urgency };
  if (isQuestion) return null;
  if (cues.promise.test(text)) return { sentence, owner: sentence.speakerName, dueDate, strength: 2 + urgency };
  if (dueDate === null) return null;
  if (cues.weakPromise.test(text)) return { sentence, owner: sentence.speakerName, dueDate, strength: 2 };
  return cues.duty.test(text) ? { sentence, owner: null, dueDate, strength: 2 } : null;
}

/** The person who is asked or named: "Anna, can you ...", "Ben will ...". */
function namedOwner(text: string, { language, known, knownNames, cues }: ActionContext): string | null {
  const matches = (ownerPatterns[language] ?? []).flatMap((pattern) => [...text.matchAll(pattern)]);
  for (const { groups } of matches) {
    const { name: words, action, title } = groups ?? {};
    if (words === undefined || action === undefined || !cues.actionVerb.test(action)) continue;
    const name = words.replace(leadingWords, '');
    const isPerson = title !== undefined || isFirstName(name.split(' ')[0] ?? '', known);
    if (isPerson && isPossibleName(name, language))
      return completeName(title === undefined ? name : `${title} ${name}`, knownNames);
  }
  return null;
}

const adverb = '(?:also |then |just |now |please |maybe |probably |(?:you )?(?:quickly )|definitely )*';
/** With a capital letter at the beginning of a sentence. */
const leadingWords = /^(?:(?:So|And|Okay|Then|Well|Now|But|Und|Also|Dann|Gut) )+/u;
/** `action`: the words in which the verb must be. */
const ownerPatterns: Record<string, readonly RegExp[]> = {
  en: [
    new RegExp(
      `(?:^|[,.;:] |\\b(?:[Ss]o|[Aa]nd|[Oo]kay|[Oo][Kk]|[Tt]hen|[Ww]ell|[Mm]aybe),? )(?<name>${namePattern}),? (?:(?:can|could|would|will) you|please|make sure)\\b (?<action>${adverb}\\S+(?: \\S+){0,2})`,
      'gu',
    ),
    new RegExp(
      `\\b(?:[Cc]an|[Cc]ould|[Ww]ould|[Ww]ill) you,? (?:please,? )?(?<name>${namePattern}),? (?<action>${adverb}\\S+(?: \\S+){0,2})`,
      'gu',
    ),
    new RegExp(
      `\\b(?:[Cc]an|[Cc]ould|[Ww]ould|[Ww]ill) you (?<action>[^?]*), (?<name>${namePattern})(?:, please)?\\?`,
      'gu',
    ),
    new RegExp(
      `^(?:[Pp]lease|[Ss]o|[Oo]kay)?,? ?(?<action>[^,?]*\\b(?:please)?[^,?]*), (?<name>${namePattern}), please`,
      'gu',
    ),
    new RegExp(
      `(?:^|[\\s,])(?<name>${namePattern})(?:'ll| will| is going to| is gonna| needs to| has to| should| must| agreed to| offered to| promised to| volunteered to| is supposed to| takes| to) (?<action>${adverb}\\S+(?: \\S+){0,2})`,
      'gu',
    ),
    new RegExp(
      `\\b(?:[Aa]ction(?: item)?|[Tt]ask|[Tt]o-?do) (?:for|on) (?<name>${namePattern})(?: is)?(?: to|:)? (?<action>.+)`,
      'gu',
    ),
  ],
  de: [
    new RegExp(
      `(?:^|[,.;:] |(?<!\\p{L})(?:[Ss]o|[Uu]nd|[Oo]kay|[Gg]ut|[Dd]ann|[Aa]lso),? )(?:(?<title>Herr|Frau) )?(?<name>${namePattern}),? (?:kannst du|könntest du|würdest du|magst du|können Sie|könnten Sie|würden Sie|bitte|du (?:musst|sollst|solltest)) (?<action>.+)`,
      'gu',
    ),
    new RegExp(
      `(?<!\\p{L})(?:[Kk]annst du|[Kk]önntest du|[Ww]ürdest du|[Kk]önnen Sie|[Kk]önnten Sie),? (?:bitte,? )?(?:(?<title>Herr|Frau) )?(?<name>${namePattern}),? (?<action>.+)`,
      'gu',
    ),
    new RegExp(
      `(?<!\\p{L})(?:[Kk]annst du|[Kk]önntest du|[Kk]önnen Sie|[Kk]önnten Sie) (?<action>[^?]*), (?:(?<title>Herr|Frau) )?(?<name>${namePattern})\\?`,
      'gu',
    ),
    new RegExp(
      `(?:^|[\\s,])(?:(?<title>Herr|Frau) )?(?<name>${namePattern}) (?<action>(?:wird|soll|sollte|muss|kümmert sich|übernimmt|schickt|macht|prüft|klärt|erstellt|schreibt|bereitet|organisiert|ruft|sendet|besorgt|aktualisiert|überarbeitet|informiert|liefert|fragt|bestellt)(?!\\p{L}).*)`,
      'gu',
    ),
  ],
};

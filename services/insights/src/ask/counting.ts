/** `files`: which recordings, and how many; `mentions`: how often. */
export type CountQuestion = { counts: 'files' | 'mentions'; phrase: string; language: 'en' | 'de' };

const german = /^(?:in )?(?:wie|welchen?|wo|zeige?|liste|nenne|finde)\b/i;
const maxPhraseWords = 8;
/** "Which meetings discuss X" asks for a topic: only a short one is likely to be a phrase that was said. */
const maxTopicWords = 3;

const noun =
  '(?:(?:all|any|each|every|of|my|our|the|these|those|alle[nr]?|der|meine[nr]?|unsere[nr]?)\\s+)*' +
  '(?:meetings?|recordings?|files?|calls?|interviews?|conversations?|sessions?|talks?|episodes?|transcripts?|podcasts?|' +
  'videos?|discussions?|besprechung(?:en)?|aufnahmen?|aufzeichnung(?:en)?|sitzung(?:en)?|datei(?:en)?|gesprächen?|gespräche?|' +
  'anrufen?|anrufe|protokollen?|protokolle|transkripten?|transkripte|folgen?|treffen|termine[n]?)';
const saysWord =
  'mention(?:s|ed|ing)?|contain(?:s|ed|ing)?|nam(?:e|es|ed|ing)|say(?:s|ing)?|said|refer(?:s|red|ring)? to|bring(?:s)? up|brought up|' +
  'erwähn(?:en|t|ten)|nenn(?:en|t)|nannten|enthalten|enthielten|sagen';
const hasTopic =
  'talk(?:s|ed|ing)? about|discuss(?:es|ed|ing)?|speak(?:s|ing)? (?:about|of)|spoke (?:about|of)|cover(?:s|ed|ing)?|deal(?:s|t)? with|' +
  'sprechen (?:über|von)|sprachen (?:über|von)|handeln von|handelten von|behandel(?:n|ten)|besprechen|besprachen|thematisier(?:en|ten)';
const verb = `(?:(?<says>${saysWord})|(?<topic>${hasTopic}))`;
const people = '(?:(?:we|you|they|people|anyone|someone|anybody|somebody|wir|sie|man|jemand)\\s+)?';
const auxiliary = '(?:(?:do|does|did|have|has|is|was|are|were)\\s+)?';
const relative = '(?:,?\\s*(?:that|which|where|in which|in denen|die|wo)\\s+)?';
const passive =
  '(?:(?:been|being)\\s+)?(?:(?<says>mentioned|named|said|brought up|referred to|come up|came up|appear(?:s|ed)?|occur(?:s|red)?|found|' +
  'erwähnt|genannt|gesagt|vor|vorgekommen|enthalten|die rede|gefallen)|(?<topic>discussed|talked about|covered|besprochen|gesprochen|behandelt))';
const germanAuxiliary =
  '(?:wird|werden|wurden?|worden|kommt|kommen|kam|kamen|ist|sind|war|waren|fällt|fallen|fiel(?:en)?|hat|haben)';
const phrase = '(?<phrase>.+?)';

type Rule = { counts: CountQuestion['counts']; pattern: RegExp };

const rules: readonly Rule[] = [
  // how many meetings mention X; wie viele Aufnahmen erwähnen X
  rule(
    'files',
    `(?:how many|wie viele) ${noun}${relative}\\s*(?:are there${relative}|gibt es${relative})?${auxiliary}${people}${verb} ${phrase}`,
  ),
  // in how many meetings is X mentioned; in wie vielen Aufnahmen wird X erwähnt
  rule(
    'files',
    `(?:in )?(?:how many|wie vielen?|which|what|welchen?) ${noun} (?:do|does|did|is|was|are|were|has|have|${germanAuxiliary}) ${phrase} ${passive}`,
  ),
  // in how many meetings do we mention X
  rule('files', `in (?:how many|which|what) ${noun} ${auxiliary}${people}${verb} ${phrase}`),
  // which recordings mention X; welche Aufnahmen erwähnen X
  rule('files', `(?:which|what|welche) ${noun}${relative}\\s*${auxiliary}${people}${verb} ${phrase}`),
  // list all recordings that mention X
  rule(
    'files',
    `(?:list|show|find|give|name|zeige?|liste|nenne|finde)(?: me| mir)? ${noun}${relative}\\s*${auxiliary}${people}${verb} ${phrase}`,
  ),
  // zeige alle Aufnahmen, in denen X erwähnt wird; die X erwähnen
  rule(
    'files',
    `(?:zeige?|liste|nenne|finde)(?: mir)? ${noun},?\\s*(?:in denen|die|wo) ${phrase} ${passive}(?: ${germanAuxiliary})?`,
  ),
  rule(
    'files',
    `(?:zeige?|liste|nenne|finde)(?: mir)? ${noun},?\\s*(?:in denen|die|wo) ${phrase} (?:(?<says>erwähnen|nennen|enthalten|vorkommt|vorkommen)|(?<topic>behandeln))`,
  ),
  // where is X mentioned; wo wird X erwähnt
  rule('files', `(?:where|wo) (?:is|was|are|were|has|have|does|do|did|${germanAuxiliary}) ${phrase} ${passive}`),
  // how often is X mentioned; wie oft wird X erwähnt
  rule(
    'mentions',
    `(?:how often|how many times|how frequently|wie oft|wie häufig) (?:is|was|are|were|has|have|does|do|did|${germanAuxiliary}) ${phrase} ${passive}`,
  ),
  rule(
    'mentions',
    `(?:how often|how many times|how frequently|wie oft|wie häufig) ${auxiliary}${people}${verb} ${phrase}`,
  ),
  // wie oft fällt X; wie oft erwähnen wir X
  rule(
    'mentions',
    `(?:wie oft|wie häufig) (?<says>fällt|fallen|fiel|erwähnen wir|erwähnt man|sagen wir|sagt man) ${phrase}`,
  ),
];

/**
 * Questions that the index answers exactly, in English and German: how many recordings mention something, which ones, and
 * how often. @returns null for all other questions.
 */
export function countQuestionOf(question: string): CountQuestion | null {
  const normalized = question
    .normalize('NFC')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/(?<![?!.\s])[?!.\s]+$/, '')
    .replace(/^(?:please|bitte|can you|could you|kannst du|können sie)(?: tell me)?,?\s+/i, '')
    .replace(trailing, '');
  for (const { counts, pattern } of rules) {
    const groups = pattern.exec(normalized)?.groups;
    if (!groups) continue;
    const found = cleanPhrase(groups['phrase'] ?? '');
    const words = found === '' ? 0 : found.split(' ').length;
    const limit = groups['topic'] === undefined ? maxPhraseWords : maxTopicWords;
    if (words === 0 || words > limit || isVague(found)) return null;
    return { counts, phrase: found, language: german.test(normalized) ? 'de' : 'en' };
  }
  return null;
}

function rule(counts: CountQuestion['counts'], pattern: string): Rule {
  return { counts, pattern: new RegExp(`^${pattern}$`, 'iu') };
}

const leading =
  /^(?:(?:the|a|an|our|my|any|about|of|der|die|das|den|dem|des|ein|eine|einen|unser|unsere|über|von|vom|es|there)\s+|(?:the\s+)?(?:words?|terms?|names?|phrases?)\s+|(?:(?:das|den|der)\s+)?(?:wort|begriff|name)\s+)+/i;
const trailing =
  /(?<!\s)\s+(?:(?:in|from|across|within|aus|in)\s+(?:(?:my|our|the|this|these|der|dieser|meiner|unserer|den|diesen)\s+)?(?:library|recordings?|meetings?|files?|collection|bibliothek|aufnahmen?|besprechungen?|sammlung)|so far|at all|in total|overall|anywhere|altogether|bisher|insgesamt|überhaupt|irgendwo)$/i;

function cleanPhrase(raw: string): string {
  const quoted = /["“”„«»]([^"“”„«»]+)["“”„«»]/.exec(raw)?.[1];
  if (quoted !== undefined) return quoted.trim();
  return raw
    .replace(leading, '')
    .replaceAll(/^['‘’]|['‘’]$/g, '')
    .trim();
}

/** A pronoun refers to an earlier question, which a count cannot look up. */
function isVague(text: string): boolean {
  return /^(?:it|that|this|them|these|those|he|him|she|her|us|we|something|anything|das|dies|es|ihn|sie|ihm|etwas|alles|everything)$/i.test(
    text,
  );
}

import { isQuestion, isQuestionWord, isStopWord, splitWords } from '../tokenize/tokenize.ts';

/** A parsed search text. */
export type ParsedQuery = {
  /** The text without operators, of a question only the words to search for; for the semantic leg. */
  text: string;
  /** Single words. */
  words: string[];
  /** Quoted phrases as word lists. */
  phrases: string[][];
  /** From `speaker:"Name"`. */
  speakers: string[];
};

const speakerPattern = /(?:^|\s)speaker:(?:"([^"]*)"|(\S+))/giu;
const phrasePattern = /"([^"]*)"/g;
/** More words make a search slower, not better. */
const maxWords = 32;

/**
 * Parses `speaker:"Name"` and `"quoted phrases"`; everything else is words. Stop words, and in a question the words by
 * which people ask, are dropped unless there are no others. Any input is valid.
 */
export function parseQuery(query: string): ParsedQuery {
  const speakers: string[] = [];
  const phrases: string[][] = [];
  const withoutSpeakers = query.replaceAll(speakerPattern, (_all, quoted?: string, bare?: string) => {
    const name = (quoted ?? bare ?? '').trim();
    if (name) speakers.push(name);
    return ' ';
  });
  const loose = withoutSpeakers.replaceAll(phrasePattern, (_all, inner: string) => {
    const phrase = splitWords(inner).map((word) => word.text);
    if (phrase.length > 0) phrases.push(phrase.slice(0, maxWords));
    return ' ';
  });
  const all = unique(splitWords(loose).map((word) => word.text));
  const words = wordsToSearch(all, { asked: isQuestion(loose), required: phrases.length === 0 });
  const text = withoutSpeakers.replaceAll('"', ' ').replaceAll(/\s+/g, ' ').trim();
  return {
    text: phrases.length === 0 && isQuestion(loose) ? words.join(' ') : text,
    words: words.slice(0, maxWords),
    phrases: phrases.slice(0, 8),
    speakers,
  };
}

/** Drops stop words, and in a question its question words, unless there are no others. */
function wordsToSearch(words: string[], { asked, required }: { asked: boolean; required: boolean }): string[] {
  const meaningful = words.filter((word) => !isStopWord(word));
  const topical = asked ? meaningful.filter((word) => !isQuestionWord(word)) : meaningful;
  if (topical.length > 0 || !required) return topical;
  return meaningful.length > 0 ? meaningful : words;
}

function unique(words: string[]): string[] {
  return [...new Map(words.map((word) => [word.toLowerCase(), word])).values()];
}

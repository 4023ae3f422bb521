import { isStopWord, splitWords } from '../tokenize/tokenize.ts';

/** A parsed search text. */
export type ParsedQuery = {
  /** The text without operators, for the semantic leg. */
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
 * Parses `speaker:"Name"` and `"quoted phrases"`; everything else is words. Stop words are dropped unless there are no
 * others. Any input is valid.
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
  const meaningful = all.filter((word) => !isStopWord(word));
  return {
    text: withoutSpeakers.replaceAll('"', ' ').replaceAll(/\s+/g, ' ').trim(),
    words: (meaningful.length > 0 || phrases.length > 0 ? meaningful : all).slice(0, maxWords),
    phrases: phrases.slice(0, 8),
    speakers,
  };
}

function unique(words: string[]): string[] {
  return [...new Map(words.map((word) => [word.toLowerCase(), word])).values()];
}

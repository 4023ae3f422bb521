import { isStopWord, splitWords } from '../words/words.ts';

/** A search as its author meant it. */
export type ParsedQuery = {
  /** What is left of the text without operators: the meaning to look for. */
  text: string;
  /** Single words to look for. */
  words: string[];
  /** Quoted: these words, in this order. */
  phrases: string[][];
  /** From `speaker:"Name"`. */
  speakers: string[];
};

const speakerPattern = /(?:^|\s)speaker:(?:"([^"]*)"|(\S+))/giu;
const phrasePattern = /"([^"]*)"/g;
/** More words than this make a search slower, not better. */
const maxWords = 32;

/**
 * Reads `speaker:"Name"` and `"quoted phrases"`; everything else is words. Words without meaning of their own are left
 * out unless there are no others. Nothing a person can type is an error.
 */
export const parseQuery = (q: string): ParsedQuery => {
  const speakers: string[] = [];
  const phrases: string[][] = [];
  const withoutSpeakers = q.replaceAll(speakerPattern, (_all, quoted?: string, bare?: string) => {
    const name = (quoted ?? bare ?? '').trim();
    if (name) speakers.push(name);
    return ' ';
  });
  const loose = withoutSpeakers.replaceAll(phrasePattern, (_all, inner: string) => {
    const phrase = splitWords(inner).map((w) => w.text);
    if (phrase.length > 0) phrases.push(phrase.slice(0, maxWords));
    return ' ';
  });
  const all = unique(splitWords(loose).map((w) => w.text));
  const telling = all.filter((w) => !isStopWord(w));
  return {
    text: withoutSpeakers.replaceAll('"', ' ').replaceAll(/\s+/g, ' ').trim(),
    words: (telling.length > 0 || phrases.length > 0 ? telling : all).slice(0, maxWords),
    phrases: phrases.slice(0, 8),
    speakers,
  };
};

const unique = (words: string[]): string[] => [...new Map(words.map((w) => [w.toLowerCase(), w])).values()];

import type { CitedAnswer } from './citations.ts';
import type { CountQuestion } from './counting.ts';

export type CountedFile = { fileId: string; title: string; count: number; start: number };
export type Counted = {
  /** Those that are listed, most mentions first. */
  files: CountedFile[];
  totalFiles: number;
  totalMentions: number;
  /** False: `totalMentions` covers only a part of the recordings. */
  isComplete: boolean;
};

const words = {
  en: {
    none: (phrase: string) => `No recording mentions “${phrase}”.`,
    files: (phrase: string, total: number) =>
      total === 1 ? `1 recording mentions “${phrase}”.` : `${total} recordings mention “${phrase}”.`,
    mentions: (phrase: string, mentions: string, total: number) =>
      `“${phrase}” is mentioned ${mentions}, in ${total} ${total === 1 ? 'recording' : 'recordings'}.`,
    times: (count: number) => (count === 1 ? 'once' : `${count} times`),
    atLeast: 'at least ',
    more: (count: number) => `And ${count} more.`,
  },
  de: {
    none: (phrase: string) => `Keine Aufnahme erwähnt „${phrase}“.`,
    files: (phrase: string, total: number) =>
      total === 1 ? `1 Aufnahme erwähnt „${phrase}“.` : `${total} Aufnahmen erwähnen „${phrase}“.`,
    mentions: (phrase: string, mentions: string, total: number) =>
      `„${phrase}“ wird ${mentions} erwähnt, in ${total} ${total === 1 ? 'Aufnahme' : 'Aufnahmen'}.`,
    times: (count: number) => (count === 1 ? 'einmal' : `${count}-mal`),
    atLeast: 'mindestens ',
    more: (count: number) => `Und ${count} weitere.`,
  },
} as const;

/** The answer to a counting question: the figure, then the recordings, each with its citation. */
export function countAnswer({ counts, phrase, language }: CountQuestion, counted: Counted): CitedAnswer {
  const { none, files: filesText, mentions, times, atLeast, more } = words[language];
  const { files, totalFiles, totalMentions, isComplete } = counted;
  if (totalFiles === 0) return { sentences: [figure(none(phrase))], citations: [] };
  const said = `${isComplete ? '' : atLeast}${times(totalMentions)}`;
  const first = counts === 'files' ? filesText(phrase, totalFiles) : mentions(phrase, said, totalFiles);
  const listed = files.map(({ title, count }, i) => ({
    text: `${title}: ${times(count)}.`,
    citations: [i + 1],
    supported: true,
  }));
  const rest = totalFiles - files.length;
  return {
    sentences: [figure(first), ...listed, ...(rest > 0 && files.length > 0 ? [figure(more(rest))] : [])],
    citations: files.map(({ fileId, start }, i) => ({
      number: i + 1,
      fileId,
      start,
      end: start,
      speaker: null,
      quote: '',
    })),
  };
}

/** Rests on all counted recordings together. */
function figure(text: string) {
  return { text, citations: [], supported: true };
}

/** A word of the text without the punctuation around it. */
export type Token = {
  /** As written. */
  text: string;
  /** In lower case. */
  word: string;
  /** Offsets of characters in the whole text. */
  start: number;
  end: number;
  /** Whether a sentence ends after it. */
  endsSentence: boolean;
  /** Whether a passage ends after it. Transcripts without punctuation have no other ends. */
  endsPassage: boolean;
};

const leading = /^["'“”‘’«»¿¡([{<]+/u;
const trailing = /["'“”‘’«»)\]}>.,;:!?…]+$/u;

export function tokenize(text: string): Token[] {
  return [...text.matchAll(/\S+/gu)].flatMap(({ 0: raw, index }) => {
    const before = leading.exec(raw)?.[0].length ?? 0;
    const after = trailing.exec(raw.slice(before))?.[0] ?? '';
    const core = raw.slice(before, raw.length - after.length);
    if (core === '') return [];
    const start = index + before;
    const endsPassage = text[index + raw.length] === '\n';
    const word = core.toLowerCase().replaceAll('’', "'");
    return [{ text: core, word, start, end: start + core.length, endsSentence: /[.!?…]/u.test(after), endsPassage }];
  });
}

import { contentWordsOf, sharedWords } from './content-words.ts';

/** One turn or sentence of a recording that was given as evidence. */
export type Passage = {
  fileId: string;
  title: string;
  /** Seconds. */
  start: number;
  end: number;
  speaker: string | null;
  text: string;
};
export type Sentence = { text: string; citations: number[]; supported: boolean };
export type Citation = {
  number: number;
  fileId: string;
  start: number;
  end: number;
  speaker: string | null;
  quote: string;
};
export type CitedAnswer = { sentences: Sentence[]; citations: Citation[] };

const maxQuoteLength = 400;
const maxPassagesPerSentence = 3;
/** A sentence is supported when its passages contain this part of its content words. */
const minShare = 0.5;
const minSharedWords = 2;

/**
 * Connects each sentence with the passages that share most words with it. The numbers follow the order of appearance,
 * without gaps. Numbers that a model wrote into its text are not used: only what was found can be cited.
 */
export function cite(sentences: readonly string[], passages: readonly Passage[]): CitedAnswer {
  const words = passages.map(({ text, speaker }) => contentWordsOf(`${speaker ?? ''} ${text}`));
  const numbers = new Map<number, number>();
  const cited = sentences.map((text): Sentence => {
    const chosen = supportOf(contentWordsOf(text), words);
    const citations = chosen.map((index) => {
      const number = numbers.get(index) ?? numbers.size + 1;
      numbers.set(index, number);
      return number;
    });
    return { text, citations: citations.sort((x, y) => x - y), supported: citations.length > 0 };
  });
  const citations = [...numbers].map(([index, number]) => toCitation(passages[index] as Passage, number));
  return { sentences: cited, citations };
}

export function toCitation({ fileId, start, end, speaker, text }: Passage, number: number): Citation {
  return { number, fileId, start, end, speaker, quote: shorten(text) };
}

/** The passages of a sentence, the best one first; each further one adds words of its own. */
function supportOf(sentence: ReadonlySet<string>, passages: readonly ReadonlySet<string>[]): number[] {
  const chosen: number[] = [];
  const missing = new Set(sentence);
  while (chosen.length < maxPassagesPerSentence && missing.size > 0) {
    const best = bestOf(missing, passages, chosen);
    // A sentence of one content word ("Lisbon.") is supported by that word.
    if (!best || best.shared < Math.min(minSharedWords, sentence.size)) break;
    chosen.push(best.index);
    for (const word of passages[best.index] as ReadonlySet<string>) missing.delete(word);
  }
  const covered = sentence.size - missing.size;
  return sentence.size > 0 && covered / sentence.size >= minShare ? chosen : [];
}

function bestOf(missing: ReadonlySet<string>, passages: readonly ReadonlySet<string>[], chosen: readonly number[]) {
  let best: { index: number; shared: number } | undefined;
  for (const [index, passage] of passages.entries()) {
    const shared = sharedWords(missing, passage);
    if (!chosen.includes(index) && shared > (best?.shared ?? 0)) best = { index, shared };
  }
  return best;
}

function shorten(text: string): string {
  if (text.length <= maxQuoteLength) return text;
  const cut = text.slice(0, maxQuoteLength).toWellFormed();
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), maxQuoteLength / 2))}…`;
}

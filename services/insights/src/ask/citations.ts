import { contentWordsOf, placesOfWords, sharedWords } from './content-words.ts';

/** A segment of a passage. Seconds. */
export type Part = { start: number; end: number; text: string };
/** One turn or sentence of a recording that was given as evidence. */
export type Passage = {
  fileId: string;
  title: string;
  /** Seconds. */
  start: number;
  end: number;
  speaker: string | null;
  text: string;
  /** The segments that it consists of; missing: it is one. */
  parts?: readonly Part[];
};
export type Sentence = { text: string; citations: number[]; supported: boolean };
export type Citation = {
  number: number;
  fileId: string;
  start: number;
  end: number;
  speaker: string | null;
  quote: string;
  /** The transcript was edited since. */
  isEdited?: boolean;
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
  const list = citationList();
  const cited = sentences.map((text): Sentence => {
    const sentence = contentWordsOf(text);
    const citations = supportOf(sentence, words).map((index) => list.numberOf(passages[index] as Passage, sentence));
    return { text, citations: [...new Set(citations)].toSorted((x, y) => x - y), supported: citations.length > 0 };
  });
  return { sentences: cited, citations: list.citations };
}

/** Citations of an answer, numbered in the order of their use; one place of a recording has one number. */
export function citationList() {
  const citations: Citation[] = [];
  return {
    citations,
    numberOf: (passage: Passage, sentence: ReadonlySet<string>): number => {
      const cited = toCitation(passage, citations.length + 1, sentence);
      const known = citations.find(
        ({ fileId, start, quote }) => fileId === cited.fileId && start === cited.start && quote === cited.quote,
      );
      if (!known) citations.push(cited);
      return (known ?? cited).number;
    },
  };
}

/** The segments of a passage that say the sentence, with their second and their words. */
function toCitation(passage: Passage, number: number, sentence: ReadonlySet<string>): Citation {
  const { fileId, speaker } = passage;
  const place = placeOf(passage, sentence);
  return {
    number,
    fileId,
    start: startIn(place, sentence),
    end: place.end,
    speaker,
    quote: shorten(place.text, sentence),
  };
}

/** Of a longer place the second is estimated by letters. */
const longestPlaceSeconds = 12;
const segmenter = new Intl.Segmenter('und', { granularity: 'sentence' });

/** The second at which the sentence begins that shares most words. */
function startIn({ start, end, text }: Part, wanted: ReadonlySet<string>): number {
  if (end - start <= longestPlaceSeconds) return start;
  let best = { index: 0, shared: 0 };
  for (const { index, segment } of segmenter.segment(text)) {
    const shared = sharedWords(wanted, contentWordsOf(segment));
    if (shared > best.shared) best = { index, shared };
  }
  return start + Math.round(((end - start) * best.index * 10) / text.length) / 10;
}

const longestPlace = 4;

/** The fewest consecutive segments with the most words of the sentence. */
function placeOf({ start, end, text, parts = [] }: Passage, sentence: ReadonlySet<string>): Part {
  const words = parts.map((part) => contentWordsOf(part.text));
  let best: { first: number; last: number; shared: number } | undefined;
  for (let length = 1; length <= Math.min(longestPlace, parts.length); length += 1)
    for (let first = 0; first + length <= parts.length; first += 1) {
      const covered = new Set(words.slice(first, first + length).flatMap((some) => [...some]));
      const shared = sharedWords(sentence, covered);
      if (shared > (best?.shared ?? 0)) best = { first, last: first + length - 1, shared };
    }
  const place = best ? parts.slice(best.first, best.last + 1) : [];
  const [from, to] = [place[0], place.at(-1)];
  return from && to
    ? { start: from.start, end: to.end, text: place.map((part) => part.text.trim()).join(' ') }
    : { start, end, text };
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

/** The part of a long text with the most words of the sentence. */
function shorten(text: string, sentence: ReadonlySet<string>): string {
  if (text.length <= maxQuoteLength) return text;
  const found = placesOfWords(text).filter(({ word }) => sentence.has(word));
  let [start, most, from] = [0, 0, 0];
  const inside = new Map<string, number>();
  for (const { word, end } of found) {
    inside.set(word, (inside.get(word) ?? 0) + 1);
    for (let first = found[from]; first && end - first.start > maxQuoteLength; first = found[from]) {
      const left = (inside.get(first.word) ?? 1) - 1;
      if (left === 0) inside.delete(first.word);
      else inside.set(first.word, left);
      from += 1;
    }
    if (inside.size > most) [start, most] = [found[from]?.start ?? 0, inside.size];
  }
  const cut = text.slice(start, start + maxQuoteLength).toWellFormed();
  const isRest = start + maxQuoteLength >= text.length;
  const quote = isRest ? cut : cut.slice(0, Math.max(cut.lastIndexOf(' '), maxQuoteLength / 2));
  return `${start > 0 ? ellipsis : ''}${quote}${isRest ? '' : ellipsis}`;
}

const ellipsis = '…';

/** Whether the text contains the quote. */
export function isQuoteOf(quote: string, text: string): boolean {
  return text.includes(quote.replace(/^…/u, '').replace(/…$/u, ''));
}

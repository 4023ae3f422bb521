import { termsOf, wordsOf, type Vocabulary } from './words.ts';

/** A segment of a transcript: times in seconds, `speakerName`: the displayed one. */
export type Segment = {
  uuid: string;
  start: number;
  end: number;
  text: string;
  speakerUuid: string | null;
  speakerName: string | null;
};

/** A sentence of one speaker, with the segments it was spoken in, times in seconds, and the stems of its content words. */
export type Sentence = {
  text: string;
  segmentUuids: string[];
  start: number;
  end: number;
  speakerUuid: string | null;
  speakerName: string | null;
  wordCount: number;
  terms: string[];
};

/** Longer ones have no punctuation: they are split where a segment ends, or else between words. */
const maxCharacters = 400;
const pauseSeconds = 4;

/** The sentences of a transcript in order. A sentence may begin in one segment and end in the next of the same speaker. */
export function splitSentences(segments: readonly Segment[], vocabulary: Vocabulary): Sentence[] {
  const segmenter = new Intl.Segmenter(vocabulary.code, { granularity: 'sentence' });
  return turnsOf(segments).flatMap((turn) => sentencesOfTurn(turn, segmenter, vocabulary));
}

/** Consecutive segments of one speaker without a long pause. */
function turnsOf(segments: readonly Segment[]): Segment[][] {
  const turns: Segment[][] = [];
  for (const segment of segments) {
    if (segment.text.trim() === '') continue;
    const turn = turns.at(-1);
    const previous = turn?.at(-1);
    const continues = previous?.speakerUuid === segment.speakerUuid && segment.start - previous.end < pauseSeconds;
    if (turn && continues) turn.push(segment);
    else turns.push([segment]);
  }
  return turns;
}

function sentencesOfTurn(turn: readonly Segment[], segmenter: Intl.Segmenter, vocabulary: Vocabulary): Sentence[] {
  const starts: number[] = [];
  let text = '';
  for (const segment of turn) {
    starts.push(text.length);
    text += `${segment.text.trim()} `;
  }
  return joinAbbreviations([...segmenter.segment(text)], vocabulary.code).flatMap(({ segment, index }) =>
    piecesOf(segment, index, starts).map(({ piece, at }) => {
      const first = lastUpTo(starts, at);
      const last = lastUpTo(starts, at + piece.trimEnd().length - 1);
      return sentenceOf(piece.trim(), turn.slice(first, Math.max(first, last) + 1), vocabulary);
    }),
  );
}

/** The place of the last number that is not above the limit, in a sorted list. */
function lastUpTo(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((numbers[middle] ?? 0) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}

const abbreviation =
  /(?<![\p{L}\p{N}])(?:Mr|Mrs|Ms|Dr|Prof|Hon|St|Nr|Abs|bzw|ca|etc|vs|z\.\s?B|d\.\s?h|e\.\s?g|i\.\s?e)\.\s*$/u;
/** "am 3. März" */
const germanOrdinal = /(?<!\p{N})\d{1,2}\.\s*$/u;

/** Longer than an abbreviation or an ordinal number. */
const tailLength = 16;

/** A full stop after an abbreviation or an ordinal number ends no sentence. */
function joinAbbreviations(
  sentences: readonly { segment: string; index: number }[],
  code: string,
): { segment: string; index: number }[] {
  const joined: { segment: string; index: number }[] = [];
  for (const { segment, index } of sentences) {
    const last = joined.at(-1);
    const tail = last?.segment.slice(-tailLength) ?? '';
    const goesOn = abbreviation.test(tail) || (code === 'de' && germanOrdinal.test(tail));
    if (last && goesOn) last.segment += segment;
    else joined.push({ segment, index });
  }
  return joined;
}

/** A sentence, or its parts when it is too long for one. */
function piecesOf(sentence: string, index: number, starts: readonly number[]): { piece: string; at: number }[] {
  if (sentence.trim() === '') return [];
  if (sentence.length <= maxCharacters) return [{ piece: sentence, at: index }];
  const cuts = [0, ...starts.map((start) => start - index).filter((cut) => cut > 0 && cut < sentence.length)];
  return cuts.flatMap((cut, i) => shortPieces(sentence.slice(cut, cuts[i + 1]), index + cut));
}

function shortPieces(text: string, index: number): { piece: string; at: number }[] {
  const pieces: { piece: string; at: number }[] = [];
  for (let from = 0; from < text.length;) {
    const limit = from + maxCharacters;
    const space = limit < text.length ? text.lastIndexOf(' ', limit) : text.length;
    // Without a space: not between the two halves of a character.
    const hard = /[\uDC00-\uDFFF]/.test(text.charAt(limit)) ? limit - 1 : limit;
    const end = space > from ? space : hard;
    const piece = text.slice(from, end);
    if (piece.trim() !== '') pieces.push({ piece, at: index + from });
    from = end;
  }
  return pieces;
}

function sentenceOf(text: string, segments: readonly Segment[], vocabulary: Vocabulary): Sentence {
  const [first] = segments;
  return {
    text,
    segmentUuids: segments.map(({ uuid }) => uuid),
    start: first?.start ?? 0,
    end: segments.at(-1)?.end ?? 0,
    speakerUuid: first?.speakerUuid ?? null,
    speakerName: first?.speakerName ?? null,
    wordCount: wordsOf(text).length,
    terms: termsOf(text, vocabulary),
  };
}

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

const leading = /^["'“”‘’«»¿¡([{<#*~•|]+/u;
const trailing = /(?<!["'“”‘’«»)\]}>.,;:!?…])["'“”‘’«»)\]}>.,;:!?…]+$/u;

export function tokenize(text: string): Token[] {
  return [...text.matchAll(/\S+/gu)].flatMap(partsOf).flatMap(({ raw, index, isLast }) => {
    const before = leading.exec(raw)?.[0].length ?? 0;
    const after = trailing.exec(raw.slice(before))?.[0] ?? '';
    const core = raw.slice(before, raw.length - after.length);
    if (core === '') return [];
    const start = index + before;
    const endsPassage = isLast && text[index + raw.length] === '\n';
    const word = core.normalize('NFC').toLowerCase().replaceAll('’', "'");
    return [
      {
        text: core,
        word,
        start,
        end: start + core.length,
        endsSentence: /[.!?…]/u.test(after) && !isInitial(core),
        endsPassage,
      },
    ];
  });
}

/** "j. o. h. n." */
function isInitial(core: string): boolean {
  return /^\p{L}$/u.test(core);
}

type Part = { raw: string; index: number; isLast: boolean };
const spokenDigit = String.raw`zero|oh|one|two|three|four|five|six|seven|eight|nine|\d+`;
/** Digit by digit: `\d+` in a repetition would take exponential time. */
const joinedDigits = /^(?:(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|\d)-?){2,240}[.,;:]?$/iu;
const hasDigitWord = /[a-z]/i;
/** "card:4111", "no.4111", "john(at)example": a word and what is written to it without a space. */
const joints = /(?<=\p{L})[:=#.;](?=[\d+(])|(?<=^iban)[:=#.;]|[[({](?=(?:at|dot)[\])}])|(?<=[[({](?:at|dot))[\])}]/giu;

/** "4111and1111and1111": groups of digits with a word or a sign between them. Two groups are a size, such as 1920x1080. */
const joinedGroups = /^\d{3,}(?:(?:and|then|dash|hyphen|space|x)\d{3,}){2,}[.,;:]?$/iu;

/** Words that are written as one: "four-one-one", "4one11", "card:4111". */
function partsOf({ 0: raw, index }: RegExpExecArray): Part[] {
  const pieces =
    (joinedDigits.test(raw) && hasDigitWord.test(raw)) || joinedGroups.test(raw)
      ? [...raw.matchAll(new RegExp(spokenDigit, 'giu'))].map(({ 0: part, index: at }) => ({
          raw: part,
          index: index + at,
        }))
      : splitAt(
          raw,
          [...raw.matchAll(joints)].map((joint) => joint.index),
        ).map((part) => ({ ...part, index: index + part.index }));
  return pieces.map((piece, i) => ({ ...piece, isLast: i === pieces.length - 1 }));
}

/** The parts between single characters. */
function splitAt(raw: string, cuts: readonly number[]): { raw: string; index: number }[] {
  const edges = [-1, ...cuts, raw.length];
  return edges.slice(1).flatMap((end, i) => {
    const start = (edges[i] ?? -1) + 1;
    return end > start ? [{ raw: raw.slice(start, end), index: start }] : [];
  });
}

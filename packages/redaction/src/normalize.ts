/** A text in which each sign has one form, and where its characters are in the text that it was made of. */
export type Normalized = {
  text: string;
  /** The offsets of the sign of each character. */
  starts: number[];
  ends: number[];
};

const dashes = /^[\p{Pd}\u2043\u2212]$/u;
const digit = /^\p{Nd}$/u;
/** Signs that are not seen: zero-width and soft ones, and those that select a direction or a form. */
const invisible = /^[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]$/u;
const combining = /^\p{M}$/u;
const space = /^\p{Zs}$/u;
/** Signs that domain names accept as a full stop (UTS #46). */
const fullStops = new Set(['\u3002', '\uff0e', '\uff61']);
/** The first of nine digits each: negative, double, and those of the dingbats. */
const framedOnes = [0x2776, 0x24f5, 0x2780, 0x278a];
const framedZeros = new Set(['\u24ff', '\u{1f10b}', '\u{1f10c}']);

/**
 * Gives digits, letters, spaces and dashes of other forms the usual one (full width, other scripts, mathematical, in circles),
 * and leaves out what is not seen, so that no number is hidden from the rules by the way it is written.
 */
export function normalize(text: string): Normalized {
  const normalized: Normalized = { text: '', starts: [], ends: [] };
  let offset = 0;
  // Reading it from the text would copy all of the text each time.
  let last = '';
  for (const sign of text) {
    const start = offset;
    offset += sign.length;
    const usual = usualForm(sign, last);
    normalized.text += usual;
    last = usual.at(-1) ?? last;
    for (let i = 0; i < usual.length; i += 1) {
      normalized.starts.push(start);
      normalized.ends.push(offset);
    }
    // What is not seen belongs to the sign before it.
    if (usual === '' && normalized.ends.length > 0) normalized.ends[normalized.ends.length - 1] = offset;
  }
  return normalized;
}

/** `last`: the character before the sign. */
function usualForm(sign: string, last: string): string {
  if (sign <= '~' && sign >= ' ') return sign;
  if (sign === '\n') return sign;
  if (/^[\t\r\v\f\u0085\u2028\u2029]$/.test(sign) || space.test(sign)) return ' ';
  if (invisible.test(sign)) return '';
  // A stroke or a frame around a digit; on a letter it is part of a word.
  if (combining.test(sign)) return /^\d$/.test(last) ? '' : sign;
  if (dashes.test(sign)) return '-';
  if (digit.test(sign)) return String(valueOf(sign));
  const framed = framedDigit(sign);
  if (framed !== undefined) return String(framed);
  if (fullStops.has(sign)) return '.';
  const compatible = sign.normalize('NFKC');
  return compatible === sign || compatible.includes(' ') ? sign : Array.from(compatible).map(asDigit).join('');
}

/** Digits in circles that have no compatible form. @returns undefined for other signs. */
function framedDigit(sign: string): number | undefined {
  const code = sign.codePointAt(0) ?? 0;
  const ones = framedOnes.find((one) => code >= one && code < one + 9);
  if (ones !== undefined) return code - ones + 1;
  return framedZeros.has(sign) ? 0 : undefined;
}

function asDigit(sign: string): string {
  return digit.test(sign) ? String(valueOf(sign)) : dashes.test(sign) ? '-' : sign;
}

/** The digits of a script are ten consecutive characters, except for those of mathematics, which follow each other. */
function valueOf(sign: string): number {
  const code = sign.codePointAt(0) ?? 0;
  if (code >= 0x1d7ce && code <= 0x1d7ff) return (code - 0x1d7ce) % 10;
  let zero = code;
  while (code - zero < 9 && digit.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return code - zero;
}

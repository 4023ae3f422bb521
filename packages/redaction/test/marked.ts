import { detectIn, type DetectOptions } from '../src/detect.ts';

/** A sign of a text in which «marks» surround what is personal and | divides passages. */
type Sign = { passage: number; at: number; isMarked: boolean; isHidden: boolean; sign: string };

function signsOf(marked: string, options: DetectOptions): Sign[] {
  const signs: Sign[] = [];
  const passages = marked.split('|').map((part, passage) => {
    let [text, isMarked] = ['', false];
    for (const sign of part) {
      if (sign === '«' || sign === '»') isMarked = sign === '«';
      else {
        if (/[\p{L}\p{N}]/u.test(sign)) signs.push({ passage, at: text.length, isMarked, isHidden: false, sign });
        text += sign;
      }
    }
    return text;
  });
  const found = detectIn(passages, options);
  return signs.map((sign) => ({
    ...sign,
    isHidden: found[sign.passage]?.some(({ start, end }) => start <= sign.at && sign.at < end) ?? false,
  }));
}

/** The letters and digits between marks that are not masked. */
export function shownOf(marked: string, options: DetectOptions): string[] {
  const signs = signsOf(marked, options).filter(({ isMarked }) => isMarked);
  if (signs.length === 0) throw new Error(`nothing is marked in ${marked}`);
  return signs.filter(({ isHidden }) => !isHidden).map(({ sign }) => sign);
}

/** The letters and digits outside of marks that are masked. */
export function excessOf(marked: string, options: DetectOptions): string[] {
  return signsOf(marked, options)
    .filter(({ isMarked, isHidden }) => isHidden && !isMarked)
    .map(({ sign }) => sign);
}

import { cleanText } from '../untrusted/untrusted.ts';

/** Bounds of an answer; a language model may return anything. */
const maxSentences = 40;
const maxLength = 8_000;
const segmenter = new Intl.Segmenter('und', { granularity: 'sentence' });
const abbreviation =
  /(?:^|[\s(])(?:\p{L}|dr|mr|mrs|ms|prof|st|no|nr|e\.g|i\.e|etc|vs|ca|bzw|z\.\s?b|u\.\s?a|d\.\s?h|usw|mio|mrd|approx)\.\s*$/iu;

/** The text of a language model: bounded, without control characters. */
export function plainText(text: string): string {
  return cleanText(text.slice(0, maxLength)).trim();
}

/** The sentences of an answer, without list markers and without source numbers, which a model may invent. */
export function sentencesOf(answer: string): string[] {
  const sentences: string[] = [];
  for (const line of plainText(answer).split('\n')) {
    let joined = '';
    for (const { segment } of segmenter.segment(withoutMarkup(line))) {
      joined += segment;
      if (abbreviation.test(joined)) continue;
      sentences.push(joined.trim());
      joined = '';
    }
    sentences.push(joined.trim());
  }
  return sentences.filter((sentence) => /[\p{L}\p{N}]/u.test(sentence)).slice(0, maxSentences);
}

function withoutMarkup(line: string): string {
  return line
    .replace(/^\s*(?:[-*•]|\d{1,3}[.)])\s+/, '')
    .replace(/^\s*#{1,6}\s+/, '')
    .replaceAll(/(?<!\s)\s*\[\d{1,3}(?:\s*[,–-]\s*\d{1,3})*\]/g, '')
    .replaceAll(/(\*\*|__)(.+?)\1/g, '$2');
}

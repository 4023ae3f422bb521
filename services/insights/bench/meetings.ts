import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import type { Segment } from '../src/extractive/sentences.ts';

/** A meeting of QMSum; `spans` are the numbers of the turns that answer a question, both inclusive. */
export type Meeting = {
  meeting: string;
  domain: string;
  turns: { speaker: string; text: string }[];
  questions: { question: string; spans: [number, number][] }[];
};

const secondsPerWord = 0.4;

/** Lines of JSON, compressed or not. */
export async function readLines<Line>(path: string): Promise<Line[]> {
  const file = await readFile(path);
  const text = (path.endsWith('.gz') ? gunzipSync(file) : file).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

/** One segment per turn, its number as uuid, with times from the number of words. */
export function segmentsOf({ turns }: Meeting): Segment[] {
  let end = 0;
  return turns.map(({ speaker, text }, i) => {
    const spoken = cleanText(text);
    const start = end;
    end += spoken.split(' ').length * secondsPerWord;
    return { uuid: String(i), start, end, text: spoken, speakerUuid: speaker, speakerName: speaker };
  });
}

/** The set separates punctuation by spaces and marks sounds as {vocalsound}. */
function cleanText(text: string): string {
  return text
    .replaceAll(/\{\w+\}/g, ' ')
    .replaceAll(/ +([.,?!;:])/g, '$1')
    .replaceAll(/ '(s|re|ve|ll|d|m)\b/g, "'$1")
    .replaceAll(' - ', '-')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

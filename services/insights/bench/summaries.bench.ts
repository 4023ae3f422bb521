import { splitSentences, type Sentence } from '../src/extractive/sentences.ts';
import { summarize } from '../src/extractive/summarize.ts';
import { vocabularyOf } from '../src/extractive/words.ts';
import { labelledRows, meetingNameRows } from './labelled.ts';
import { readLines, segmentsOf, type Meeting } from './meetings.ts';
import { meanRouge, rougeOf, type Rouge } from './rouge.ts';

type Row = { name: string; ours: string; peer?: string; ratio?: number; goal?: string; met?: boolean };
type Reference = { meeting: string; summary: string };
/** The sentences of a summary. */
type Method = (
  sentences: readonly Sentence[],
  random: () => number,
) => readonly Pick<Sentence, 'text' | 'segmentUuids'>[];

const vocabulary = vocabularyOf('en');
const rounds = 10;
const tenHours = 100_000;
const goalMs = 3_000;
const minWords = 8;

const methods: Record<string, Method> = {
  extractive: (sentences) => briefOf(sentences),
  'first 3 sentences': (sentences) => sentences.filter(isLong).slice(0, 3),
  'first sentences, same number': (sentences) => sentences.filter(isLong).slice(0, briefOf(sentences).length),
  'random, same number': (sentences, random) => pickRandom(sentences.filter(isLong), briefOf(sentences).length, random),
};

/**
 * @param meetings path of QMSum's meetings as lines of JSON
 * @param references path of lines {meeting, summary} written by people, or null: only what needs none is measured
 */
export async function* measureSummaries(meetings: string, references: string | null): AsyncIterable<Row> {
  const all = await readLines<Meeting>(meetings);
  const summaries = references === null ? [] : await readLines<Reference>(references);
  if (summaries.length > 0) yield* rougeRows(all, summaries);
  yield* evidenceRows(all);
  yield* labelledRows();
  yield* meetingNameRows(all);
  yield timeRow(all);
}

function* rougeRows(meetings: readonly Meeting[], references: readonly Reference[]): Iterable<Row> {
  const known = meetings.flatMap((meeting) => {
    const summary = references.find((reference) => reference.meeting === meeting.meeting)?.summary;
    return summary === undefined ? [] : [{ sentences: sentencesOf(meeting), summary }];
  });
  const results = Object.entries(methods).map(([name, method]) => {
    const random = createRandom();
    const scores = known.flatMap(({ sentences, summary }) =>
      Array.from({ length: name.startsWith('random') ? rounds : 1 }, () =>
        rougeOf(textOf(method(sentences, random)), summary),
      ),
    );
    return { name, rouge: meanRouge(scores) };
  });
  const peers = results.slice(1).map(({ rouge }) => rouge.one);
  for (const { name, rouge } of results) {
    const goal = { goal: 'ROUGE-1 above all others', met: rouge.one > Math.max(...peers) };
    yield {
      name: `summaries: ${name} (${known.length} meetings)`,
      ours: rougeText(rouge),
      ...(name === 'extractive' ? goal : {}),
    };
  }
}

/** How many sentences of the brief are in the turns that answer the questions about the meeting. */
function* evidenceRows(meetings: readonly Meeting[]): Iterable<Row> {
  const random = createRandom();
  const share = (method: Method, meeting: Meeting): number => {
    const chosen = method(sentencesOf(meeting), random);
    const inside = chosen.filter(({ segmentUuids }) => segmentUuids.some((turn) => isAnswer(meeting, Number(turn))));
    return inside.length / (chosen.length || 1);
  };
  for (const domain of new Set(meetings.map((meeting) => meeting.domain))) {
    const part = meetings.filter((meeting) => meeting.domain === domain);
    const mean = (method: Method | undefined): number =>
      part.reduce((sum, meeting) => sum + (method ? share(method, meeting) : 0), 0) / part.length;
    const [ours, peer] = [mean(methods['extractive']), mean(methods['random, same number'])];
    yield {
      name: `summaries: sentences that answer a question, ${domain} (${part.length} meetings)`,
      ours: ours.toFixed(3),
      peer: `${peer.toFixed(3)} random`,
      ratio: ours / peer,
      goal: '> random',
      met: ours > peer,
    };
  }
}

function timeRow(meetings: readonly Meeting[]): Row {
  const segments: ReturnType<typeof segmentsOf> = [];
  let words = 0;
  for (const meeting of meetings) {
    for (const segment of segmentsOf(meeting)) {
      segments.push({ ...segment, uuid: String(segments.length) });
      words += segment.text.split(' ').length;
    }
    if (words >= tenHours) break;
  }
  const startedAt = performance.now();
  const sentences = splitSentences(segments, vocabulary);
  const splitMs = performance.now() - startedAt;
  // Vectors of the size that the search has. Their values change no cost.
  const random = createRandom();
  const vectors = sentences.map(() => Float32Array.from({ length: 100 }, () => random() - 0.5));
  const summarizedAt = performance.now();
  summarize({ sentences, vectors, frequencies: null, language: 'en', knownNames: [] });
  const ms = splitMs + performance.now() - summarizedAt;
  return {
    name: `summaries: time for ${words} words, ${sentences.length} sentences`,
    ours: `${ms.toFixed(0)} ms`,
    goal: `<= ${goalMs} ms`,
    met: ms <= goalMs,
  };
}

function briefOf(sentences: readonly Sentence[]): Pick<Sentence, 'text' | 'segmentUuids'>[] {
  return summarize({ sentences, vectors: null, frequencies: null, language: 'en', knownNames: [] }).brief;
}

function sentencesOf(meeting: Meeting): Sentence[] {
  return splitSentences(segmentsOf(meeting), vocabulary);
}

function isAnswer({ questions }: Meeting, turn: number): boolean {
  return questions.some(({ spans }) => spans.some(([first, last]) => turn >= first && turn <= last));
}

function isLong({ wordCount }: Sentence): boolean {
  return wordCount >= minWords;
}

function pickRandom<Value>(values: readonly Value[], count: number, random: () => number): Value[] {
  return values
    .map((value) => ({ value, key: random() }))
    .toSorted((x, y) => x.key - y.key)
    .slice(0, count)
    .map(({ value }) => value);
}

/** The same sequence in each run. */
function createRandom(): () => number {
  let state = 20_260;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

function textOf(sentences: readonly { text: string }[]): string {
  return sentences.map(({ text }) => text).join(' ');
}

function rougeText({ one, two, longest }: Rouge): string {
  return `ROUGE-1 ${one.toFixed(3)}  ROUGE-2 ${two.toFixed(3)}  ROUGE-L ${longest.toFixed(3)}`;
}

import { splitSentences, type Segment, type Sentence } from '../src/extractive/sentences.ts';
import { summarize } from '../src/extractive/summarize.ts';
import { vocabularyOf } from '../src/extractive/words.ts';
import { meetingNameRows } from './labelled.ts';
import { readLines, segmentsOf, type Meeting } from './meetings.ts';
import { meanRouge, rougeOf, type Rouge } from './rouge.ts';

export { measureLabelled } from './labelled.ts';

type Row = { name: string; ours: string; peer?: string; ratio?: number; goal?: string; met?: boolean };
type Reference = { meeting: string; summary: string };
/** The sentences of a summary. */
type Chosen = readonly Pick<Sentence, 'text' | 'segmentUuids'>[];
type Summarised = { sentences: readonly Sentence[]; brief: Chosen };
type Method = (text: Summarised, random: () => number) => Chosen;

const vocabulary = vocabularyOf('en');
const rounds = 10;
const tenHours = 100_000;
const goalMs = 3_000;
const timeRuns = 3;
const minWords = 8;

const methods: Record<string, Method> = {
  extractive: ({ brief }) => brief,
  'first 3 sentences': ({ sentences }) => sentences.filter(isLong).slice(0, 3),
  'first sentences, same number': ({ sentences, brief }) => sentences.filter(isLong).slice(0, brief.length),
  'random, same number': ({ sentences, brief }, random) => pickRandom(sentences.filter(isLong), brief.length, random),
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
  yield* meetingNameRows(all);
  yield await timeRow(all);
}

async function* rougeRows(meetings: readonly Meeting[], references: readonly Reference[]): AsyncIterable<Row> {
  const known: { text: Summarised; summary: string }[] = [];
  for (const meeting of meetings) {
    const summary = references.find((reference) => reference.meeting === meeting.meeting)?.summary;
    const sentences = sentencesOf(meeting);
    if (summary !== undefined) known.push({ text: { sentences, brief: await briefOf(sentences) }, summary });
  }
  const results = Object.entries(methods).map(([name, method]) => {
    const random = createRandom();
    const scores = known.flatMap(({ text, summary }) =>
      Array.from({ length: name.startsWith('random') ? rounds : 1 }, () =>
        rougeOf(textOf(method(text, random)), summary),
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
async function* evidenceRows(meetings: readonly Meeting[]): AsyncIterable<Row> {
  const shares: { domain: string; ours: number; random: number }[] = [];
  for (const meeting of meetings)
    shares.push({
      domain: meeting.domain,
      ours: shareOf(await briefOf(sentencesOf(meeting)), meeting),
      // What a random choice has on average.
      random: shareOf(sentencesOf(meeting).filter(isLong), meeting),
    });
  for (const domain of [...new Set(meetings.map((meeting) => meeting.domain)), null]) {
    const part = shares.filter((share) => domain === null || share.domain === domain);
    const ours = part.reduce((sum, share) => sum + share.ours, 0) / part.length;
    const peer = part.reduce((sum, share) => sum + share.random, 0) / part.length;
    yield {
      name: `summaries: sentences that answer a question, ${domain ?? 'all'} (${part.length} meetings)`,
      ours: ours.toFixed(3),
      peer: `${peer.toFixed(3)} random`,
      ratio: ours / peer,
      ...(domain === null ? { goal: '> random', met: ours > peer } : {}),
    };
  }
}

/** The share of the chosen sentences that are in turns which answer a question. */
function shareOf(chosen: readonly Pick<Sentence, 'segmentUuids'>[], meeting: Meeting): number {
  const inside = chosen.filter(({ segmentUuids }) => segmentUuids.some((turn) => isAnswer(meeting, Number(turn))));
  return inside.length / (chosen.length || 1);
}

async function timeRow(meetings: readonly Meeting[]): Promise<Row> {
  const segments: ReturnType<typeof segmentsOf> = [];
  let words = 0;
  for (const meeting of meetings) {
    for (const segment of segmentsOf(meeting)) {
      segments.push({ ...segment, uuid: String(segments.length) });
      words += segment.text.split(' ').length;
    }
    if (words >= tenHours) break;
  }
  const runs: Awaited<ReturnType<typeof timeOf>>[] = [];
  for (let run = 0; run < timeRuns; run += 1) runs.push(await timeOf(segments));
  const { ms, count } = runs.reduce((least, run) => (run.ms < least.ms ? run : least));
  return {
    name: `summaries: processor time for ${words} words, ${count} sentences`,
    ours: `${ms.toFixed(0)} ms`,
    goal: `<= ${goalMs} ms`,
    met: ms <= goalMs,
  };
}

/** Processor time: other load on the machine does not change it. */
async function timeOf(segments: readonly Segment[]): Promise<{ ms: number; count: number }> {
  const startedAt = processorMs();
  const sentences = splitSentences(segments, vocabulary);
  const splitMs = processorMs() - startedAt;
  // Vectors of the size that the search has. Their values change no cost.
  const random = createRandom();
  const vectors = sentences.map(() => Float32Array.from({ length: 100 }, () => random() - 0.5));
  const summarizedAt = processorMs();
  await summarize({ sentences, vectors, frequencies: null, language: 'en', knownNames: [] });
  return { ms: splitMs + processorMs() - summarizedAt, count: sentences.length };
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

async function briefOf(sentences: readonly Sentence[]): Promise<Chosen> {
  return (await summarize({ sentences, vectors: null, frequencies: null, language: 'en', knownNames: [] })).brief;
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

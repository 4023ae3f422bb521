import type { ExportOptions } from '@overtone/contracts/export-formats';
import { commentSections } from './comments.ts';
import {
  clock,
  collapseWhitespace,
  initialsOf,
  lengthOf,
  namesBy,
  showMasked,
  speakerOf,
  type Spoken,
} from './spoken.ts';
import { summarySections, type SummarySection } from './summary.ts';
import { dayOf, speakerNames, type Transcript } from './transcript.ts';

/** A part of a paragraph. `cited`: a summary refers to the passage that begins here, by this second. */
export type Run = { text: string; uncertain: boolean; cited?: number };

/** Seconds of the recording. */
type Interval = { from: number; until: number };

/** A part of a readable document. */
export type Block =
  | { kind: 'title'; title: string; about: string }
  | { kind: 'speakers'; rows: { name: string; initials: string | null; time: string }[] }
  | ({ kind: 'section' } & SummarySection)
  | { kind: 'transcript' }
  | {
      kind: 'paragraph';
      speaker: string | null;
      start: string | null;
      end: string | null;
      time: Interval;
      runs: Run[];
    };
export type Paragraph = Extract<Block, { kind: 'paragraph' }>;

/** A longer pause begins a paragraph. */
const pauseSeconds = 2;
/** A place is hard to find in a longer paragraph; it ends with the next sentence. */
const longParagraph = 1_500;
/** Words below this confidence are marked, as on the page of the recording. */
const uncertainBelow = 0.35;
/** Longest text of a masked part, with the spaces around it. */
const maxMaskedLength = 20;

/** The parts of a document, in order. */
export async function* blocksOf(transcript: Transcript): AsyncGenerator<Block> {
  const front = frontMatterOf(transcript);
  yield* front;
  // A heading separates the text from what precedes it.
  if (front.some(({ kind }) => kind !== 'title')) yield { kind: 'transcript' };
  yield* paragraphsOf(transcript);
  for (const section of commentSections(transcript)) yield { kind: 'section', ...section };
}

function frontMatterOf({ about, options, summary }: Transcript): Block[] {
  const duration = about.duration === null ? [] : [lengthOf(about.duration)];
  const names = speakerNames(about);
  const initials = options.names === 'initials' ? initialsOf(names) : null;
  const rows = about.speakers.map(({ talk_time: time }, i) => {
    const name = names[i] ?? '';
    return { name, initials: initials?.get(name) ?? null, time: clock(time) };
  });
  const title = {
    kind: 'title',
    title: collapseWhitespace(about.title),
    about: [dayOf(about), ...duration].join(', '),
  } as const;
  return [
    ...(options.heading ? [title] : []),
    ...(options.participants && rows.length > 0 ? [{ kind: 'speakers', rows } as const] : []),
    ...(summary ? summarySections(summary).map((section) => ({ kind: 'section', ...section }) as const) : []),
  ];
}

type Open = Interval & { speaker: string | null; letters: number; runs: Run[] };

/** The text in paragraphs. */
export async function* paragraphsOf({ about, options, summary, segments }: Transcript): AsyncGenerator<Paragraph> {
  const finish = createFinish(options, speakerNames(about));
  const cited = citedSeconds(summary);
  let open: Open | undefined;
  for await (const segment of segments) {
    const text = collapseWhitespace(segment.text);
    if (text === '') continue;
    const shown = showMasked(segment, options.masked);
    const runs = runsOf(shown, options.uncertain);
    const first = runs[0];
    if (first && cited.has(segment.start_time)) first.cited = segment.start_time;
    const speaker = speakerOf(segment);
    if (open && options.paragraphs === 'turns' && continues(open, segment, speaker)) {
      open.runs.push({ text: ' ', uncertain: false }, ...runs);
      open.until = Math.max(open.until, segment.end_time);
      open.letters += text.length;
    } else {
      if (open) yield finish(open);
      open = { speaker, from: segment.start_time, until: segment.end_time, letters: text.length, runs };
    }
  }
  if (open) yield finish(open);
}

function continues(open: Open, { start_time: start }: Spoken, speaker: string | null): boolean {
  const isLong = open.letters > longParagraph && /[.!?…。！？]\W?$/u.test(open.runs.at(-1)?.text.slice(-3) ?? '');
  return open.speaker === speaker && start - open.until < pauseSeconds && !isLong && open.letters < 2 * longParagraph;
}

function createFinish({ names, times }: ExportOptions, speakers: readonly string[]): (open: Open) => Paragraph {
  const nameOf = namesBy(names, speakers);
  let lastSpeaker: string | null = null;
  let lastMinute = -1;
  return ({ speaker, from, until, runs }) => {
    const minute = Math.floor(from / 60);
    const showsStart = times === 'passage' || (times === 'minute' && minute !== lastMinute);
    const showsName = names === 'each' || speaker !== lastSpeaker;
    lastMinute = minute;
    lastSpeaker = speaker;
    return {
      kind: 'paragraph',
      speaker: showsName ? nameOf(speaker) : null,
      start: showsStart ? clock(from) : null,
      end: times === 'end' ? clock(until) : null,
      time: { from, until },
      runs,
    };
  };
}

/** The seconds at which passages begin that the summary refers to. */
function citedSeconds(summary: Transcript['summary']): ReadonlySet<number> {
  const sections = summary ? summarySections(summary) : [];
  return new Set(sections.flatMap(({ items }) => items.flatMap(({ seconds }) => seconds)));
}

/** The text with the words that the engine was not sure of. A passage that a person corrected has none. */
function runsOf(segment: Spoken, marksUncertain: boolean): Run[] {
  const text = collapseWhitespace(segment.text);
  if (!marksUncertain || segment.edited) return [{ text, uncertain: false }];
  const runs: Run[] = [];
  let from = 0;
  let at = 0;
  for (const { word, confidence } of segment.words) {
    const wanted = collapseWhitespace(word);
    // A word that is not next in the text is part of a masked one.
    const offset = wanted === '' ? -1 : text.slice(at, at + wanted.length + maxMaskedLength).indexOf(wanted);
    if (offset < 0) continue;
    const start = at + offset;
    at = start + wanted.length;
    if (confidence === null || confidence >= uncertainBelow) continue;
    if (start > from) runs.push({ text: text.slice(from, start), uncertain: false });
    runs.push({ text: wanted, uncertain: true });
    from = at;
  }
  return from < text.length || runs.length === 0 ? [...runs, { text: text.slice(from), uncertain: false }] : runs;
}

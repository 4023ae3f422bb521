import type { InsightSegment, SummaryContent } from '@overtone/contracts';
import { z } from 'zod';
import { cleanParagraph } from '../untrusted/untrusted.ts';

/** An answer with longer lists is refused: nothing is left out without a word. */
export const maxStatements = 100;
const limits = { numbers: 24, text: 600, name: 120 };

const numbers = z.array(z.number()).max(200);
const statementAnswer = z.object({ text: z.string().max(4_000), n: numbers });
/** The answer to every request of a summary: `n` are the numbers of the lines that a statement rests on. */
export const summaryAnswer = z.object({
  brief: z.array(statementAnswer).max(maxStatements),
  key_decisions: z.array(statementAnswer).max(maxStatements),
  action_items: z
    .array(statementAnswer.extend({ owner: z.string().max(400).nullable(), due_date: z.string().max(400).nullable() }))
    .max(maxStatements),
  topics: z.array(z.object({ title: z.string().max(1_000), n: numbers })).max(maxStatements),
  follow_ups: z.array(statementAnswer).max(maxStatements),
});
export type SummaryAnswer = z.infer<typeof summaryAnswer>;
type SourceOf = (number: number) => Source | undefined;

/** Passages that a line stands for: itself, or those of a statement of a section. Seconds. */
export type Source = { segments: { uuid: string; start: number }[]; start: number; end: number };

export function sourcesOfSegments(segments: readonly InsightSegment[]): SourceOf {
  return (number) => {
    const segment = segments[number];
    if (!segment) return undefined;
    const { uuid, start, end } = segment;
    return { segments: [{ uuid, start }], start, end };
  };
}

/** The content of an answer: text without control characters, only with passages that were sent. A statement without one is left out. */
export function toContent(answer: SummaryAnswer, sent: ReadonlySet<number>, sourceOf: SourceOf): SummaryContent {
  const sourcesOf = (list: readonly number[]): Source => merge(list, sent, sourceOf);
  const statements = (list: readonly z.infer<typeof statementAnswer>[]) =>
    list.flatMap(({ text, n }) => {
      const [plain, { segments }] = [cleanParagraph(text, limits.text), sourcesOf(n)];
      return plain === '' || segments.length === 0 ? [] : [{ text: plain, segments }];
    });
  return {
    brief: statements(answer.brief),
    key_decisions: statements(answer.key_decisions),
    action_items: answer.action_items.flatMap(({ text, n, owner, due_date: dueDate }) => {
      const plain = cleanParagraph(text, limits.text);
      const item = { text: plain, segments: sourcesOf(n).segments, owner: nameOf(owner), due_date: nameOf(dueDate) };
      return plain === '' || item.segments.length === 0 ? [] : [item];
    }),
    topics: answer.topics.flatMap(({ title, n }) => {
      const plain = cleanParagraph(title, limits.name);
      const { segments, start, end } = sourcesOf(n);
      // A topic without a passage has no time.
      return plain === '' || segments.length === 0 ? [] : [{ title: plain, start, end, segments }];
    }),
    follow_ups: statements(answer.follow_ups),
  };
}

function nameOf(text: string | null): string | null {
  const plain = cleanParagraph(text ?? '', limits.name);
  return plain === '' || plain.toLowerCase() === 'null' ? null : plain;
}

function merge(list: readonly number[], sent: ReadonlySet<number>, sourceOf: SourceOf): Source {
  const found = [...new Set(list)].flatMap((number) => (sent.has(number) ? (sourceOf(number) ?? []) : []));
  const segments = [...new Map(found.flatMap((source) => source.segments).map((one) => [one.uuid, one])).values()];
  return {
    segments: segments.toSorted((left, right) => left.start - right.start).slice(0, limits.numbers),
    start: found.reduce((least, { start }) => Math.min(least, start), found[0]?.start ?? 0),
    end: found.reduce((most, { end }) => Math.max(most, end), 0),
  };
}

/** A statement of a finished section as a line of the request that combines sections. */
export type Note = { label: string; text: string; source: Source };

function timesOf(segments: readonly { uuid: string; start: number }[]): Source {
  return { segments: [...segments], start: segments[0]?.start ?? 0, end: segments.at(-1)?.start ?? 0 };
}

export function notesOf({ brief, key_decisions, action_items, topics, follow_ups }: SummaryContent): Note[] {
  const statements = (label: string, list: SummaryContent['brief']): Note[] =>
    list.map(({ text, segments }) => ({ label, text, source: timesOf(segments) }));
  return [
    ...statements('brief', brief),
    ...statements('decision', key_decisions),
    ...action_items.map(({ text, segments, owner, due_date: dueDate }) => ({
      label: 'action',
      text: [text, owner && `(owner ${owner})`, dueDate && `(due ${dueDate})`].filter(Boolean).join(' '),
      source: timesOf(segments),
    })),
    ...topics.map(({ title, segments, start, end }) => ({
      label: 'topic',
      text: title,
      source: { segments, start, end },
    })),
    ...statements('follow-up', follow_ups),
  ];
}

/** The text of an answer that is still being written. */
export function draftOf(soFar: string): string {
  const [brief = ''] = soFar.split(/"(?:key_decisions|action_items|topics|follow_ups)"/);
  const texts = [...brief.matchAll(/"text"\s*:\s*"((?:[^"\\]|\\.)*)/g)].map(([, text = '']) => unescape(text));
  return cleanParagraph(texts.join(' '), 2_000);
}

function unescape(text: string): string {
  try {
    return JSON.parse(`"${text.replace(/\\u[\da-f]{0,3}$/i, '')}"`) as string;
  } catch {
    return '';
  }
}

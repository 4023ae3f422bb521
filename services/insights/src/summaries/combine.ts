import type { SummaryContent } from '@overtone/contracts';
import { passageLine } from '../untrusted/untrusted.ts';
import { maxStatements, notesOf, type Note, type Source } from './answers.ts';
import type { Line } from './sections.ts';

/** Notes of several sections as the lines of one request, and what the lines stand for. */
export type NoteLines = { lines: Line[]; sourceOf: (number: number) => Source | undefined };
type Measure = (text: string) => number;

export function toNoteLines(notes: readonly Note[]): NoteLines {
  return {
    lines: notes.map(({ label, text }, number) => ({ number, text: passageLine(number, label, text) })),
    sourceOf: (number) => notes[number]?.source,
  };
}

/**
 * Groups neighbouring sections whose notes fit into one request. Each group has at least two, so that repeated combining ends;
 * the notes of a section that would fill more than half a request are shortened at the end of each list.
 */
export function groupNotes(contents: readonly SummaryContent[], room: number, countTokens: Measure): Note[][][] {
  const groups: Note[][][] = [];
  let left = 0;
  for (const content of contents) {
    const notes = fitNotes(content, Math.floor(room / 2), countTokens);
    const tokens = measure(notes, countTokens);
    if (groups.length > 0 && tokens <= left) groups.at(-1)?.push(notes);
    else {
      groups.push([notes]);
      left = room;
    }
    left -= tokens;
  }
  return groups;
}

function fitNotes(content: SummaryContent, room: number, countTokens: Measure): Note[] {
  for (let most = maxStatements; most > 1; most = Math.min(most - 1, Math.floor(most * 0.8))) {
    const notes = notesOf(shorten(content, most));
    if (measure(notes, countTokens) <= room) return notes;
  }
  const notes: Note[] = [];
  for (const note of notesOf(shorten(content, 1))) if (measure([...notes, note], countTokens) <= room) notes.push(note);
  return notes;
}

/** Numbers grow with the position in the request: measured as if each were a large one. */
function measure(notes: readonly Note[], countTokens: Measure): number {
  return notes.reduce((sum, { label, text }) => sum + countTokens(passageLine(99_999, label, text)) + 1, 0);
}

function shorten(content: SummaryContent, most: number): SummaryContent {
  return {
    brief: content.brief.slice(0, most),
    key_decisions: content.key_decisions.slice(0, most),
    action_items: content.action_items.slice(0, most),
    topics: content.topics.slice(0, most),
    follow_ups: content.follow_ups.slice(0, most),
  };
}

/**
 * The combined content of sections with the decisions and action items that did not fit into its request.
 * @param notes of each section, as they were sent
 */
export function withUnsent(
  combined: SummaryContent,
  contents: readonly SummaryContent[],
  notes: readonly (readonly Note[])[],
): SummaryContent {
  const sent = (at: number, label: string): number => (notes[at] ?? []).filter((note) => note.label === label).length;
  return {
    ...combined,
    key_decisions: [
      ...combined.key_decisions,
      ...contents.flatMap(({ key_decisions }, at) => key_decisions.slice(sent(at, 'decision'))),
    ],
    action_items: [
      ...combined.action_items,
      ...contents.flatMap(({ action_items }, at) => action_items.slice(sent(at, 'action'))),
    ],
  };
}

/** The sections one after the other, for a model that cannot combine them. */
export function joinContents(contents: readonly SummaryContent[]): SummaryContent {
  const perSection = Math.max(1, Math.floor(24 / Math.max(1, contents.length)));
  return {
    brief: contents.flatMap(({ brief }) => brief.slice(0, perSection)),
    key_decisions: contents.flatMap((content) => content.key_decisions),
    action_items: contents.flatMap((content) => content.action_items),
    topics: contents.flatMap(({ topics }) => topics.slice(0, perSection)),
    follow_ups: contents.flatMap((content) => content.follow_ups),
  };
}

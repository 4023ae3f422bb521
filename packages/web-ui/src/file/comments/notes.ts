import type { CodingObject } from '@overtone/contracts';
import type { CommentThread, HighlightColor } from './comment-queries.ts';

/** A part of the recording, in seconds, with its text. `speakers`: their ids, in the order of the text. */
export type Place = {
  readonly start: number;
  readonly end: number;
  readonly quote: string;
  readonly speakers: readonly string[];
};

/** What is drawn on the words of a thread. */
export type Note = {
  readonly id: string;
  readonly start: number;
  readonly end: number;
  readonly look: HighlightColor | 'comment';
};

/** Threads that are resolved are not drawn, and those at a moment have no words. */
export function notesOf(threads: readonly CommentThread[]): Note[] {
  return threads
    .filter((thread) => thread.resolved === null && thread.end_time > thread.start_time)
    .map(({ uuid, start_time: start, end_time: end, color }) => ({ id: uuid, start, end, look: color ?? 'comment' }));
}

/** The note on a word; of several the one that begins last. */
export function noteAt(notes: readonly Note[], { start, end }: { start: number; end: number }): Note | undefined {
  const middle = (start + end) / 2;
  return notes.findLast((note) => note.start <= middle && middle <= note.end);
}

/** A code of a part of the recording. */
export type CodeMark = Pick<CodingObject, 'name' | 'color'> & { readonly start: number; readonly end: number };

/** The codes of a word, in order of their beginnings. */
export function codesAt(codes: readonly CodeMark[], { start, end }: { start: number; end: number }): CodeMark[] {
  const middle = (start + end) / 2;
  return codes.filter((code) => code.start <= middle && middle <= code.end);
}

/** The name that is being typed after an @ before the caret; null: none. */
export function mentionBefore(text: string, caret: number): { readonly from: number; readonly name: string } | null {
  const match = /(?:^|\s)@([^@\n]{0,60})$/u.exec(text.slice(0, caret));
  return match ? { from: caret - (match[1] ?? '').length - 1, name: match[1] ?? '' } : null;
}

type Person = { readonly uuid: string; readonly name: string };

/** The people whose names stand in the text after an @. The longer of two names counts: @Ann Lee is not @Ann. */
export function mentionsIn(text: string, people: readonly Person[]): string[] {
  return splitMentions(text, people).mentions;
}

/** What stands after an @ and is the name of none of these people; null: nothing does. */
export function unknownMentionIn(text: string, people: readonly Person[]): string | null {
  return /(?:^|\s)@([\p{L}\p{N}][^\s@,;:.!?]*)/u.exec(splitMentions(text, people).rest)?.[1] ?? null;
}

function splitMentions(text: string, people: readonly Person[]): { mentions: string[]; rest: string } {
  const byLength = people.toSorted((left, right) => right.name.length - left.name.length);
  let rest = text;
  const mentions = byLength.flatMap(({ uuid, name }) => {
    if (!rest.includes(`@${name}`)) return [];
    rest = rest.replaceAll(`@${name}`, ' ');
    return [uuid];
  });
  return { mentions, rest };
}

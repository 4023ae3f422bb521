import type { CommentObject, CommentThread } from '@overtone/contracts';
import { placeholders } from '@overtone/redaction/mask';
import { clock, collapseWhitespace, maskTexts } from './spoken.ts';
import type { SummarySection } from './summary.ts';
import type { Transcript } from './transcript.ts';

const placeholder = new RegExp(
  Object.values(placeholders)
    .map((text) => text.replaceAll(/[[\]]/g, String.raw`\$&`))
    .join('|'),
  'g',
);

/** The comments as a part of a document, in order of their times; none when there are none. */
export function commentSections({ comments, options }: Transcript): SummarySection[] {
  const items = (comments ?? []).flatMap((thread) => [
    `${clock(thread.start_time)} ${commentLines(thread, options).join(' ')}`,
    ...replyLines(thread, options).map((line) => `${clock(thread.start_time)} Reply. ${line}`),
  ]);
  return items.length === 0 ? [] : [{ heading: 'Comments', items: items.map((text) => ({ text, seconds: [] })) }];
}

/** The quote, and what was written about it. */
export function commentLines(thread: CommentThread, options: Transcript['options']): string[] {
  const { quote, color, resolved } = thread;
  const text = shownText(thread.text, options);
  return [
    ...(quote === null ? [] : [`“${shownText(quote, options)}”`]),
    text === ''
      ? `${nameOf(thread)}: highlighted${color === null ? '' : ` in ${color}`}.`
      : `${nameOf(thread)}: ${text}`,
    ...(resolved ? ['(resolved)'] : []),
  ];
}

export function replyLines({ replies }: CommentThread, options: Transcript['options']): string[] {
  return replies.map((reply) => `${nameOf(reply)}: ${shownText(reply.text, options)}`);
}

export function nameOf({ author }: Pick<CommentObject, 'author'>): string {
  return collapseWhitespace(author?.name ?? 'Unknown');
}

function shownText(text: string, { masked }: Transcript['options']): string {
  const shown = collapseWhitespace(text);
  return masked === 'kind' ? shown : shown.replaceAll(placeholder, maskTexts[masked]);
}

/** For other programs: without identifiers of this installation. */
export function exportedComments(comments: readonly CommentThread[]) {
  const written = (comment: CommentObject) => ({
    author: comment.author?.name ?? null,
    text: comment.text,
    created_at: comment.created_at,
  });
  return comments.map((thread) => ({
    start_time: thread.start_time,
    end_time: thread.end_time,
    quote: thread.quote,
    color: thread.color,
    ...written(thread),
    resolved: thread.resolved !== null,
    replies: thread.replies.map(written),
  }));
}

import type { CommentThread } from './comment-queries.ts';

/** Whether a thread, its quote, its replies or the names of their authors have all these words, or parts of words. */
export function saysAll(thread: CommentThread, wanted: string): boolean {
  const words = folded(wanted).split(/\s+/u);
  const said = folded(
    [thread, ...thread.replies]
      .flatMap(({ text, author }) => [text, author?.name ?? ''])
      .concat(thread.quote ?? '')
      .join('\n'),
  );
  return words.every((word) => said.includes(word));
}

/** Without case and accents. */
function folded(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().trim();
}

import type { Db } from '../database.ts';
import type { MediaFiles } from '../ports/media-files.adapter.ts';
import { selectCitations, storeCitations } from './answers.store.ts';
import { isQuoteOf } from './citations.ts';

/** After an edit: marks the citations whose quote is not in the transcript any more, and no longer when it is undone. */
export async function markEditedCitations(
  { db, media }: { db: Db; media: Pick<MediaFiles, 'transcript'> },
  fileId: string,
): Promise<void> {
  const messages = await selectCitations(db, fileId);
  if (messages.length === 0) return;
  const { segments } = await media.transcript(fileId);
  // Deleted, or not scanned yet: another event follows.
  if (segments.length === 0) return;
  const text = segments.map((segment) => segment.text.trim()).join(' ');
  for (const { id, citations } of messages) {
    const compared = citations.map((citation) =>
      citation.fileId === fileId ? { ...citation, isEdited: !isQuoteOf(citation.quote, text) } : citation,
    );
    if (compared.some(({ isEdited = false }, i) => isEdited !== (citations[i]?.isEdited ?? false)))
      await storeCitations(db, id, compared);
  }
}

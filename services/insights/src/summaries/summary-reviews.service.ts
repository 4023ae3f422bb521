import type { Outbox } from '@overtone/database';
import type { Db } from '../database.ts';
import type { Media } from '../ports/media.adapter.ts';
import { fingerprintOf } from './summaries.ts';
import { announce, endReview, takeReviews, type DueReview } from './summaries.store.ts';

/** Compares summaries with their transcripts after edits and changes of masks: out of date, withheld, or as before. */
export function createReviews({ db, outbox, media }: { db: Db; outbox: Outbox; media: Pick<Media, 'readTranscript'> }) {
  const review = async (fileId: string, reviews: readonly DueReview[], signal: AbortSignal): Promise<void> => {
    const transcript = await media.readTranscript(fileId, signal);
    // Without a file its own event removes the summaries; a transcript that is not scanned is compared a minute later.
    if (!transcript || transcript.withheld) return;
    const compared = { fingerprint: fingerprintOf(transcript.segments), masks: transcript.file.masks };
    await db.$transaction(async (tx) => {
      if (await endReview(tx, reviews, compared)) await announce(tx, outbox, transcript.file);
    });
  };
  return {
    run: async (signal: AbortSignal): Promise<void> => {
      const byFile = Map.groupBy(await takeReviews(db), ({ fileId }) => fileId);
      for (const [fileId, reviews] of byFile) if (!signal.aborted) await review(fileId, reviews, signal);
    },
  };
}

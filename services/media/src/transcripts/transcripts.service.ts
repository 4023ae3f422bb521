import type { BodyOf, QueryOf, SegmentObject, Word, mediaRoutes } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { conflict, invalid, notFound, type Caller } from '@overtone/service-kit';
import { lockedFile, may, usableFile } from '../access/access.ts';
import { txOptions, type Db, type Tx } from '../database.ts';
import type { Segment } from '../generated/client.ts';
import { realign } from './realign.ts';
import { readSegment, readSegments, tellEdited } from './transcripts.ts';

type Routes = typeof mediaRoutes;
type Change = BodyOf<Routes['editSegment']>;
export type TranscriptsDeps = { db: Db; outbox: Outbox };

const noSuchSegment = () => notFound('There is no such segment.');

/** What was said, as people read and correct it. Two people at once: the second is told, nothing is lost. */
export const createTranscripts = ({ db, outbox }: TranscriptsDeps) => {
  const edit = async (tx: Tx, caller: Caller, fileId: string, id: string, change: Change): Promise<SegmentObject> => {
    const file = await lockedFile(tx, caller, fileId, 'edit');
    const segment = await tx.segment.findUnique({ where: { id } });
    if (!segment || segment.fileId !== fileId) throw noSuchSegment();
    if (change.version !== undefined && change.version !== segment.version) throw stale(segment.version);
    await ofThisFile(tx, fileId, change.speaker_uuid);
    const data = { ...editedText(segment, change.text), ...editedSpeaker(segment, change.speaker_uuid) };
    if (Object.keys(data).length > 0) {
      const edited = { edited: true, editedAt: new Date(), version: { increment: 1 } };
      await tx.segment.update({ where: { id }, data: { ...data, ...edited } });
      await tellEdited(tx, outbox, file);
    }
    const row = await readSegment(tx, id);
    if (!row) throw noSuchSegment();
    return row;
  };

  return {
    page: async (caller: Caller, fileId: string, query: QueryOf<Routes['listSegments']>) => {
      const { transcriptVersion } = await usableFile(db, caller, fileId, 'read');
      const { segment_limit: limit, segment_offset: offset, words } = query;
      const { segments, total } = await readSegments(db, fileId, { limit, offset, words });
      return { transcript_segments: segments, total_segments: total, transcript_version: transcriptVersion };
    },

    edit: (caller: Caller, fileId: string, id: string, change: Change) =>
      db.$transaction((tx) => edit(tx, caller, fileId, id, change), txOptions),

    setSpeaker: (caller: Caller, id: string, speakerId: string | null) =>
      db.$transaction(async (tx) => {
        const segment = await tx.segment.findUnique({ where: { id }, include: { file: true } });
        if (!segment || !(await may(tx, caller, segment.file, 'read'))) throw noSuchSegment();
        return edit(tx, caller, segment.fileId, id, { speaker_uuid: speakerId });
      }, txOptions),
  };
};
export type Transcripts = ReturnType<typeof createTranscripts>;

const stale = (version: number) =>
  conflict('stale_version', 'Somebody else has changed this segment. Look at it again before you save.', {
    extra: { version },
  });

const ofThisFile = async (tx: Tx, fileId: string, speakerId: string | null | undefined): Promise<void> => {
  if (!speakerId) return;
  const speaker = await tx.speaker.findUnique({ where: { id: speakerId } });
  if (speaker?.fileId !== fileId) throw invalid('speaker_mismatch', 'This speaker does not speak in this file.');
};

const editedText = (segment: Segment, text: string | undefined) => {
  if (text === undefined || text === segment.text) return {};
  const span = { start: segment.startTime, end: segment.endTime };
  return { text, words: realign(segment.words as Word[], text, span) };
};

const editedSpeaker = (segment: Segment, speakerId: string | null | undefined) =>
  speakerId === undefined || speakerId === segment.speakerId ? {} : { speakerId };

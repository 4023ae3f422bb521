import { maskText, restoreMasked } from '@overtone/redaction';
import type { AnswerOf, BodyOf, Word, mediaRoutes } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { conflict, invalid, notFound, type Caller } from '@overtone/service-kit';
import { lockedFile, may } from '../access/access.store.ts';
import type { Db, Tx } from '../database.ts';
import type { Segment } from '../generated/client.ts';
import type { People } from '../ports/people.adapter.ts';
import { maskedSpans, type FoundSpan, type Mask } from '../redaction/redaction.ts';
import { keyOf, maskFor, readDetectorVersion, scanAround } from '../redaction/redaction.store.ts';
import { realign } from './realign.ts';
import { meanConfidence, segmentBefore } from './transcripts.ts';
import { readSegment, recordEdit, withEditorNames, type Undo } from './transcripts.store.ts';

type Routes = typeof mediaRoutes;
type Change = BodyOf<Routes['editSegment']>;
type EditedSegment = AnswerOf<Routes['editSegment']>;
type SegmentKey = { fileId: string; id: string; version: number | undefined };
export type SegmentsDeps = { db: Db; outbox: Outbox; people: Pick<People, 'names'> };

/** Edits transcripts. Of two edits of one version the second is rejected, so that no edit is lost. */
export function createSegments({ db, outbox, people }: SegmentsDeps) {
  const edit = async (tx: Tx, caller: Caller, fileId: string, id: string, change: Change): Promise<EditedSegment> => {
    const { file, segment } = await lockSegment(tx, caller, { fileId, id, version: change.version });
    await checkSpeaker(tx, fileId, change.speaker_uuid);
    const mask = await maskFor(tx, caller, file);
    const { kept, ...textData } = editedText(segment, change.text, { mask, version: await readDetectorVersion(tx) });
    const data = { ...textData, ...editedSpeaker(segment, change.speaker_uuid) };
    let undo: Undo | null = null;
    if (Object.keys(data).length > 0) {
      const edited = { edited: true, editedAt: new Date(), editedBy: caller.userId, version: { increment: 1 } };
      const { text, speakerId } = await tx.segment.update({ where: { id }, data: { ...data, ...edited } });
      const before = { kind: 'segment_edited', segment: segmentBefore(segment), after: { text, speakerId } } as const;
      if (kept) await scanAround(tx, file, { position: segment.position, kept: new Map([[id, kept]]) });
      undo = await recordEdit(tx, outbox, { file, userId: caller.userId, before });
    }
    const row = await readSegment(tx, id, mask);
    if (!row) throw noSuchSegment();
    return { ...row, undo };
  };

  /** The segment as the API shows it, with its editor's name. */
  const editInTransaction = async (work: (tx: Tx) => Promise<EditedSegment>): Promise<EditedSegment> => {
    const segment = await db.$transaction(work);
    return (await withEditorNames(people, [segment]))[0] ?? segment;
  };

  return {
    edit: (caller: Caller, fileId: string, id: string, change: Change) =>
      editInTransaction((tx) => edit(tx, caller, fileId, id, change)),

    remove: (caller: Caller, fileId: string, id: string, version: number | undefined): Promise<{ undo: Undo }> =>
      db.$transaction(async (tx) => {
        const { file, segment } = await lockSegment(tx, caller, { fileId, id, version });
        await tx.segment.delete({ where: { id } });
        const before = { kind: 'segment_deleted', segment: segmentBefore(segment) } as const;
        return { undo: await recordEdit(tx, outbox, { file, userId: caller.userId, before }) };
      }),

    setSpeaker: (caller: Caller, id: string, speakerId: string | null) =>
      editInTransaction(async (tx) => {
        const segment = await tx.segment.findUnique({ where: { id }, include: { file: true } });
        if (!segment || !(await may(tx, caller, segment.file, 'read'))) throw noSuchSegment();
        return edit(tx, caller, segment.fileId, id, { speaker_uuid: speakerId });
      }),
  };
}

async function lockSegment(tx: Tx, caller: Caller, { fileId, id, version }: SegmentKey) {
  const file = await lockedFile(tx, caller, fileId, 'edit');
  const segment = await tx.segment.findUnique({ where: { id } });
  if (!segment || segment.fileId !== fileId) throw noSuchSegment();
  if (version !== undefined && version !== segment.version) throw staleVersion(segment.version);
  return { file, segment };
}

function noSuchSegment() {
  return notFound('There is no such segment.');
}

function staleVersion(version: number) {
  return conflict('stale_version', 'This passage was changed in the meantime. Check it before you save.', {
    extra: { version },
  });
}

async function checkSpeaker(tx: Tx, fileId: string, speakerId: string | null | undefined): Promise<void> {
  if (!speakerId) return;
  const speaker = await tx.speaker.findUnique({ where: { id: speakerId } });
  if (speaker?.fileId !== fileId) throw invalid('speaker_mismatch', 'This speaker does not speak in this file.');
}

type EditedText = Partial<Pick<Segment, 'text' | 'confidence'>> & { words?: Word[]; kept?: FoundSpan[] };

/** The masked parts that the editor does not see stay in the text and stay masked. */
function editedText(
  segment: Segment,
  edited: string | undefined,
  { mask, version }: { mask: Mask; version: string },
): EditedText {
  if (edited === undefined) return {};
  const isScanned = segment.redactionKey === keyOf(segment.text, version);
  if (!isScanned && mask.withholdsUnscanned) throw maskedTextChanged();
  const hidden = isScanned ? maskedSpans(segment.redactions as FoundSpan[], mask) : [];
  if (edited === maskText(segment.text, hidden).text) return {};
  const restored = restoreMasked(segment.text, hidden, edited);
  if (!restored) throw maskedTextChanged();
  const { text, spans } = restored;
  if (text === segment.text) return {};
  const words = realign(segment.words as Word[], text, { start: segment.startTime, end: segment.endTime });
  const kept = spans.map((span) => ({ ...span, kept: true }));
  return { text, words, confidence: meanConfidence(words), kept };
}

function maskedTextChanged() {
  return invalid(
    'masked_text_changed',
    'Part of this passage is masked. Keep each placeholder, such as [phone], unchanged and in its place.',
  );
}

function editedSpeaker(segment: Segment, speakerId: string | null | undefined) {
  return speakerId === undefined || speakerId === segment.speakerId ? {} : { speakerId };
}

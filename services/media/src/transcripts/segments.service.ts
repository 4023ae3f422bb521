import { randomUUID } from 'node:crypto';
import type { AnswerOf, BodyOf, mediaRoutes } from '@overtone/contracts';
import { notFound, type Caller } from '@overtone/service-kit';
import { may } from '../access/access.store.ts';
import type { Db } from '../database.ts';
import type { Corrections } from './operations.service.ts';
import { undoMs } from './transcripts.ts';
import type { Undo } from './transcripts.store.ts';

type Routes = typeof mediaRoutes;
type Change = BodyOf<Routes['editSegment']>;
type EditedSegment = AnswerOf<Routes['editSegment']>;
type SegmentsDeps = { db: Db; corrections: Pick<Corrections, 'apply'> };

/** Corrections of one segment, for clients that send no operations. */
export function createSegments({ db, corrections }: SegmentsDeps) {
  /** How the correction can be undone; null: it changed nothing. */
  const undoOf = async (fileId: string, id: string): Promise<Undo | null> => {
    const row = await db.transcriptOperation.findUnique({ where: { fileId_id: { fileId, id } } });
    return row && { uuid: id, expires_at: new Date(row.createdAt.getTime() + undoMs).toISOString() };
  };
  const edit = async (
    caller: Caller,
    fileId: string,
    id: string,
    { version, ...change }: Change,
  ): Promise<EditedSegment> => {
    const uuid = randomUUID();
    const operation = { segments: [{ uuid: id, version }], after_uuid: null, replacement: [{ uuid: id, ...change }] };
    const { segments } = await corrections.apply(caller, fileId, { uuid, operations: [operation] });
    const segment = segments.find((one) => one.uuid === id);
    if (!segment) throw noSuchSegment();
    const { previous_uuid: _, ...edited } = segment;
    return { ...edited, undo: await undoOf(fileId, uuid) };
  };

  return {
    edit,

    remove: async (
      caller: Caller,
      fileId: string,
      id: string,
      version: number | undefined,
    ): Promise<{ undo: Undo }> => {
      const uuid = randomUUID();
      const operation = { segments: [{ uuid: id, version }], after_uuid: null, replacement: [] };
      await corrections.apply(caller, fileId, { uuid, operations: [operation] });
      const undo = await undoOf(fileId, uuid);
      if (!undo) throw noSuchSegment();
      return { undo };
    },

    setSpeaker: async (caller: Caller, id: string, speakerId: string | null) => {
      const segment = await db.segment.findUnique({ where: { id }, include: { file: true } });
      if (!segment || !(await may(db, caller, segment.file, 'read'))) throw noSuchSegment();
      return edit(caller, segment.fileId, id, { speaker_uuid: speakerId });
    },
  };
}

function noSuchSegment() {
  return notFound('There is no such segment.');
}

import type { Outbox } from '@overtone/database';
import { invalid, notFound, type Caller } from '@overtone/service-kit';
import { lockedFile, may, usableFile } from '../access/access.ts';
import { txOptions, type Db, type Tx } from '../database.ts';
import { markEdited } from '../transcripts/transcripts.ts';
import { recordChange, speakerBefore, type Undo } from '../undo/undo.ts';
import { listSpeakers, nextLabel, type SpeakerObject } from './speakers.ts';

export type SpeakersDeps = { db: Db; outbox: Outbox };

/** Creates, renames, merges and removes the speakers of a file. */
export function createSpeakers({ db, outbox }: SpeakersDeps) {
  /**
   * The speaker as it is once its file is locked: until then another request may merge or remove it.
   * @throws AppError not_found also when the caller may not read the file.
   */
  const lockSpeaker = async (tx: Tx, caller: Caller, id: string) => {
    const found = await tx.speaker.findUnique({ where: { id }, include: { file: true } });
    if (!found || !(await may(tx, caller, found.file, 'read'))) throw noSuchSpeaker();
    const file = await lockedFile(tx, caller, found.fileId, 'edit');
    const speaker = await tx.speaker.findUnique({ where: { id } });
    if (!speaker) throw noSuchSpeaker();
    return { speaker, file };
  };
  /** Removes a speaker and assigns its segments to `targetId` or to none. @returns the segments' ids. */
  const removeSpeaker = async (tx: Tx, id: string, targetId: string | null): Promise<string[]> => {
    const segments = await tx.segment.findMany({ where: { speakerId: id }, select: { id: true } });
    await tx.segment.updateMany({
      where: { speakerId: id },
      data: { speakerId: targetId, version: { increment: 1 } },
    });
    await tx.speaker.delete({ where: { id } });
    return segments.map((segment) => segment.id);
  };
  const readSpeaker = async (tx: Tx, fileId: string, id: string): Promise<SpeakerObject> => {
    const speaker = (await listSpeakers(tx, fileId)).find(({ uuid }) => uuid === id);
    if (!speaker) throw noSuchSpeaker();
    return speaker;
  };

  return {
    list: async (caller: Caller, fileId: string) => {
      await usableFile(db, caller, fileId, 'read');
      return listSpeakers(db, fileId);
    },

    create: (caller: Caller, fileId: string, displayName: string) =>
      db.$transaction(async (tx) => {
        const file = await lockedFile(tx, caller, fileId, 'edit');
        const labels = (await tx.speaker.findMany({ where: { fileId } })).map(({ name }) => name);
        const speaker = await tx.speaker.create({ data: { fileId, name: nextLabel(labels), displayName } });
        await markEdited(tx, outbox, file);
        return readSpeaker(tx, fileId, speaker.id);
      }, txOptions),

    /** An empty name removes the display name. */
    rename: (caller: Caller, id: string, displayName: string | null) =>
      db.$transaction(async (tx) => {
        const { speaker, file } = await lockSpeaker(tx, caller, id);
        await tx.speaker.update({ where: { id }, data: { displayName: displayName === '' ? null : displayName } });
        await markEdited(tx, outbox, file);
        return readSpeaker(tx, speaker.fileId, id);
      }, txOptions),

    merge: (caller: Caller, id: string, targetId: string) =>
      db.$transaction(async (tx) => {
        const { speaker, file } = await lockSpeaker(tx, caller, id);
        const target = await tx.speaker.findUnique({ where: { id: targetId }, include: { file: true } });
        if (!target || !(await may(tx, caller, target.file, 'read'))) throw noSuchSpeaker();
        if (target.fileId !== speaker.fileId || id === targetId) {
          throw invalid('speaker_mismatch', 'Only two different speakers of the same file can be merged.');
        }
        const segmentIds = await removeSpeaker(tx, id, targetId);
        const before = { kind: 'speaker_merged', speaker: speakerBefore(speaker), targetId, segmentIds } as const;
        const undo = await recordChange(tx, { fileId: file.id, userId: caller.userId, before });
        await markEdited(tx, outbox, file);
        return { ...(await readSpeaker(tx, speaker.fileId, targetId)), undo };
      }, txOptions),

    remove: (caller: Caller, id: string): Promise<{ undo: Undo }> =>
      db.$transaction(async (tx) => {
        const { speaker, file } = await lockSpeaker(tx, caller, id);
        const segmentIds = await removeSpeaker(tx, id, null);
        const before = { kind: 'speaker_deleted', speaker: speakerBefore(speaker), segmentIds } as const;
        const undo = await recordChange(tx, { fileId: file.id, userId: caller.userId, before });
        await markEdited(tx, outbox, file);
        return { undo };
      }, txOptions),
  };
}

function noSuchSpeaker() {
  return notFound('There is no such speaker.');
}

export type Speakers = ReturnType<typeof createSpeakers>;

import type { Outbox } from '@overtone/database';
import { invalid, notFound, type Caller } from '@overtone/service-kit';
import { lockedFile, may, usableFile, type UsableFile } from '../access/access.store.ts';
import type { Actor } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';
import { markNamesChanged, maskFor } from '../redaction/redaction.store.ts';
import { linkNamedSpeaker } from '../voices/voices.store.ts';
import { nextLabel, speakerBefore } from './transcripts.ts';
import { listSpeakers, markEdited, recordEdit, type SpeakerObject, type Undo } from './transcripts.store.ts';

/** Creates, renames, merges and removes the speakers of a file. */
export function createSpeakers({ db, outbox }: { db: Db; outbox: Outbox }) {
  return {
    list: async (caller: Caller, fileId: string) => {
      const file = await usableFile(db, caller, fileId, 'read');
      return listSpeakers(db, fileId, await maskFor(db, caller, file));
    },

    create: (caller: Caller, fileId: string, displayName: string) =>
      db.$transaction(async (tx) => {
        const file = await lockedFile(tx, caller, fileId, 'edit');
        const labels = (await tx.speaker.findMany({ where: { fileId } })).map(({ name }) => name);
        const speaker = await tx.speaker.create({ data: { fileId, name: nextLabel(labels), displayName } });
        await markNamesChanged(tx, fileId);
        await markEdited(tx, outbox, file, caller.userId);
        return readSpeaker(tx, caller, file, speaker.id);
      }),

    /** An empty name removes the display name. */
    rename: (actor: Actor, id: string, displayName: string | null) =>
      db.$transaction(async (tx) => {
        const { speaker, file } = await lockSpeaker(tx, actor, id);
        const name = displayName === '' ? null : displayName;
        await tx.speaker.update({ where: { id }, data: { displayName: name } });
        await linkNamedSpeaker(tx, outbox, { file, speakerId: id, name, actor });
        await markNamesChanged(tx, speaker.fileId);
        await markEdited(tx, outbox, file, actor.userId);
        return readSpeaker(tx, actor, file, id);
      }),

    merge: (caller: Caller, id: string, targetId: string) =>
      db.$transaction(async (tx) => {
        const { speaker, file } = await lockSpeaker(tx, caller, id);
        const target = await readableSpeaker(tx, caller, targetId);
        if (target.fileId !== speaker.fileId || id === targetId) {
          throw invalid('speaker_mismatch', 'Only two different speakers of the same file can be merged.');
        }
        const segmentIds = await removeSpeaker(tx, id, targetId);
        const before = { kind: 'speaker_merged', speaker: speakerBefore(speaker), targetId, segmentIds } as const;
        const undo = await recordEdit(tx, outbox, { file, userId: caller.userId, before });
        return { ...(await readSpeaker(tx, caller, file, targetId)), undo };
      }),

    remove: (caller: Caller, id: string): Promise<{ undo: Undo }> =>
      db.$transaction(async (tx) => {
        const { speaker, file } = await lockSpeaker(tx, caller, id);
        const segmentIds = await removeSpeaker(tx, id, null);
        const before = { kind: 'speaker_deleted', speaker: speakerBefore(speaker), segmentIds } as const;
        return { undo: await recordEdit(tx, outbox, { file, userId: caller.userId, before }) };
      }),
  };
}

/** The speaker, read after its file was locked: until then another request may merge or remove it. */
async function lockSpeaker(tx: Tx, caller: Caller, id: string) {
  const { fileId } = await readableSpeaker(tx, caller, id);
  const file = await lockedFile(tx, caller, fileId, 'edit');
  const speaker = await tx.speaker.findUnique({ where: { id } });
  if (!speaker) throw noSuchSpeaker();
  return { speaker, file };
}

/** @throws AppError not_found also when the caller may not read the file. */
async function readableSpeaker(tx: Tx, caller: Caller, id: string) {
  const speaker = await tx.speaker.findUnique({ where: { id }, include: { file: true } });
  if (!speaker || !(await may(tx, caller, speaker.file, 'read'))) throw noSuchSpeaker();
  return speaker;
}

/** Removes a speaker and assigns its segments to `targetId` or to none. @returns the segments' ids. */
async function removeSpeaker(tx: Tx, id: string, targetId: string | null): Promise<string[]> {
  const segments = await tx.segment.findMany({ where: { speakerId: id }, select: { id: true } });
  await tx.segment.updateMany({ where: { speakerId: id }, data: { speakerId: targetId, version: { increment: 1 } } });
  await tx.speaker.delete({ where: { id } });
  return segments.map((segment) => segment.id);
}

async function readSpeaker(tx: Tx, caller: Caller, file: UsableFile, id: string): Promise<SpeakerObject> {
  const mask = await maskFor(tx, caller, file);
  const speaker = (await listSpeakers(tx, file.id, mask)).find(({ uuid }) => uuid === id);
  if (!speaker) throw noSuchSpeaker();
  return speaker;
}

function noSuchSpeaker() {
  return notFound('There is no such speaker.');
}

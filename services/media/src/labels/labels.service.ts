import {
  mediaEvents,
  type FileObject,
  type Label,
  type LabelActor,
  type labelRpc,
  type LabelOutcome,
  type ReplyOf,
  type RequestOf,
} from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { notFound } from '@overtone/service-kit';
import { lockedFile, lockFileRow, permissionsOf } from '../access/access.store.ts';
import { auditAction } from '../audit/audit.ts';
import { txOptions, type Db, type Tx } from '../database.ts';
import { idsOf } from '../files/files.ts';
import type { MediaFile } from '../generated/client.ts';
import type { People } from '../ports/people.adapter.ts';
import { maskForIndex, markNamesChanged } from '../redaction/redaction.store.ts';
import { attachTag, detachTag, getOrCreateTag, wasRemoved } from '../tags/tags.store.ts';
import { markEdited } from '../transcripts/transcripts.store.ts';
import { groupMembers, ownedFiles, ownerTags, speakerNames } from './labels.store.ts';

export type LabelsDeps = { db: Db; outbox: Outbox; people: Pick<People, 'names'> };
type Context = ReplyOf<typeof labelRpc.labelContext>['context'];
type Change = (tx: Tx, file: MediaFile, label: Label) => Promise<LabelOutcome['outcome']>;

/** What insights needs to suggest labels, and the changes that it applies. */
export function createLabels({ db, outbox, people }: LabelsDeps) {
  const changeLabels = (
    { fileId, actor, labels }: RequestOf<typeof labelRpc.applyLabels>,
    { change, action }: { change: Change; action: 'labels_applied' | 'labels_removed' },
  ) =>
    db.$transaction(async (tx) => {
      const file = await lockForLabels(tx, actor, fileId);
      const outcomes: LabelOutcome[] = [];
      for (const label of labels) outcomes.push({ ...label, outcome: await change(tx, file, label) });
      const changed = outcomes.filter(({ outcome }) => outcome === 'changed').map(({ name }) => name);
      if (changed.length > 0) {
        // The transcript is the same one: its version stays, and search compares the tags.
        await tx.mediaFile.update({ where: { id: fileId }, data: { updatedAt: new Date() } });
        await outbox.add(tx, mediaEvents.updated, { ...idsOf(file), status: file.status as FileObject['status'] });
        await auditAction(tx, outbox, action, { file, actor, details: { labels: changed.join(', ').slice(0, 500) } });
      }
      return { outcomes };
    }, txOptions);

  return {
    access: async ({ fileIds, reader }: RequestOf<typeof labelRpc.labelAccess>) => {
      const files = await db.mediaFile.findMany({
        where: { id: { in: fileIds } },
        select: { id: true, userId: true, deletedAt: true, transcriptVersion: true },
      });
      const permissions = await permissionsOf(db, reader, files);
      return {
        files: files.flatMap(({ id, userId, transcriptVersion }) => {
          const permission = permissions.get(id);
          return permission ? [{ fileId: id, ownerId: userId, permission, transcriptVersion }] : [];
        }),
      };
    },

    context: async ({ fileId }: RequestOf<typeof labelRpc.labelContext>) => ({
      context: await readContext({ db, people }, fileId),
    }),

    apply: (request: RequestOf<typeof labelRpc.applyLabels>) => {
      const source = request.actor === null ? 'service' : 'person';
      const change: Change = (tx, file, label) => applyTag(tx, file, label.name, source);
      return changeLabels(request, { change, action: 'labels_applied' });
    },

    remove: (request: RequestOf<typeof labelRpc.removeLabels>) => {
      const change: Change = async (tx, file, { name }) =>
        (await detachTag(tx, file.id, name)) ? 'changed' : 'missing';
      return changeLabels(request, { change, action: 'labels_removed' });
    },

    nameSpeakers: ({ fileId, actor, changes }: RequestOf<typeof labelRpc.nameSpeakers>) =>
      db.$transaction(async (tx) => {
        const file = await lockedFile(tx, actor, fileId, 'edit');
        const changed: string[] = [];
        for (const { speakerUuid: id, from, to } of changes) {
          // A name that a person gave meanwhile stays.
          const current = from === null ? { OR: [{ displayName: null }, { displayName: '' }] } : { displayName: from };
          const { count } = await tx.speaker.updateMany({
            where: { id, fileId, ...current },
            data: { displayName: to },
          });
          if (count > 0) changed.push(id);
        }
        if (changed.length > 0) {
          await markNamesChanged(tx, fileId);
          await markEdited(tx, outbox, file);
          await auditAction(tx, outbox, 'speakers_named', { file, actor, details: { speakers: changed.length } });
        }
        return { changed };
      }, txOptions),

    owned: async (request: RequestOf<typeof labelRpc.listOwned>) => ({ fileIds: await ownedFiles(db, request) }),
  };
}

/** @throws AppError not_found also for the service itself, when the file is deleted. */
async function lockForLabels(tx: Tx, actor: LabelActor, fileId: string): Promise<MediaFile> {
  if (actor) return lockedFile(tx, actor, fileId, 'edit');
  await lockFileRow(tx, fileId);
  const file = await tx.mediaFile.findUnique({ where: { id: fileId } });
  if (!file || file.deletedAt) throw notFound('There is no such file.');
  return file;
}

/** The tag belongs to the file's owner, also when an administrator accepts it. */
async function applyTag(
  tx: Tx,
  { id, userId }: MediaFile,
  name: string,
  source: 'service' | 'person',
): Promise<LabelOutcome['outcome']> {
  if (source === 'service' && (await wasRemoved(tx, id, name))) return 'removed_before';
  const tag = await getOrCreateTag(tx, userId, name, 'auto_ai');
  return (await attachTag(tx, id, tag, 'auto_ai')) ? 'changed' : 'present';
}

async function readContext({ db, people }: Pick<LabelsDeps, 'db' | 'people'>, fileId: string): Promise<Context> {
  const file = await db.mediaFile.findUnique({
    where: { id: fileId },
    include: { tags: { include: { tag: true } }, speakers: { orderBy: { name: 'asc' } } },
  });
  if (!file || file.deletedAt) return null;
  const { userId } = file;
  const masksNames = (await maskForIndex(db, file)).kinds.has('name');
  const members = await people.names(masksNames ? [] : await groupMembers(db, userId));
  const knownNames = masksNames ? [] : [...new Set([...members.values(), ...(await speakerNames(db, userId))])];
  return {
    ownerId: userId,
    transcriptVersion: file.transcriptVersion,
    ownerTags: await ownerTags(db, userId),
    fileTags: file.tags.map(({ tag }) => tag.name),
    collections: [],
    speakers: file.speakers.map(({ id, name, displayName }) => ({
      uuid: id,
      label: name,
      name: masksNames && displayName ? '' : displayName,
    })),
    knownNames: knownNames.slice(0, 1_000),
    masksNames,
  };
}

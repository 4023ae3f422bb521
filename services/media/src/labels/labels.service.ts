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
import type { Permission } from '../access/access.ts';
import { auditAction } from '../audit/audit.ts';
import { addFiles, removeFiles } from '../collections/collections.store.ts';
import type { Db, Tx } from '../database.ts';
import { idsOf } from '../files/files.ts';
import type { MediaFile } from '../generated/client.ts';
import type { People } from '../ports/people.adapter.ts';
import { fileMasksOf, maskForIndex, markNamesChanged } from '../redaction/redaction.store.ts';
import { attachTag, detachTag, getOrCreateTag, wasRemoved } from '../tags/tags.store.ts';
import { markEdited } from '../transcripts/transcripts.store.ts';
import {
  groupMembers,
  lockCollections,
  ownCollection,
  ownedFiles,
  ownerCollections,
  ownerTags,
  speakerNames,
} from './labels.store.ts';

export type LabelsDeps = { db: Db; outbox: Outbox; people: Pick<People, 'names'> };
type Context = ReplyOf<typeof labelRpc.labelContext>['context'];
type Outcome = LabelOutcome['outcome'];
/** A file that the transaction has locked; null: the service itself changes it. */
type LockedFile = MediaFile & { permission: Permission | null };
type Change = (tx: Tx, file: LockedFile, label: Label) => Promise<Outcome>;

/** What insights needs to suggest labels, and the changes that it applies. */
export function createLabels({ db, outbox, people }: LabelsDeps) {
  const changeLabels = (
    { fileId, actor, labels }: RequestOf<typeof labelRpc.applyLabels>,
    { change, action }: { change: Change; action: 'labels_applied' | 'labels_removed' },
  ) =>
    db.$transaction(async (tx) => {
      await lockCollections(tx, fileId, namesOf(labels, 'collection'));
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
    });

  return {
    access: async ({ fileIds, reader }: RequestOf<typeof labelRpc.labelAccess>) => {
      const files = await db.mediaFile.findMany({
        where: { id: { in: fileIds } },
        select: {
          id: true,
          userId: true,
          status: true,
          deletedAt: true,
          transcriptVersion: true,
          redactionKinds: true,
          redactionError: true,
        },
      });
      const permissions = await permissionsOf(db, reader, files);
      const masksOf = await fileMasksOf(db, files);
      return {
        files: files.flatMap(({ id, userId, transcriptVersion }) => {
          const permission = permissions.get(id);
          return permission ? [{ fileId: id, ownerId: userId, permission, transcriptVersion, masks: masksOf(id) }] : [];
        }),
      };
    },

    context: async ({ fileId }: RequestOf<typeof labelRpc.labelContext>) => ({
      context: await readContext({ db, people }, fileId),
    }),

    apply: (request: RequestOf<typeof labelRpc.applyLabels>) => {
      const change: Change = (tx, file, { kind, name }) =>
        kind === 'tag'
          ? applyTag(tx, file, name)
          : addToCollection(tx, file, { name, addedBy: request.actor?.userId ?? null });
      return changeLabels(request, { change, action: 'labels_applied' });
    },

    remove: (request: RequestOf<typeof labelRpc.removeLabels>) => {
      const change: Change = async (tx, file, { kind, name }) => {
        const remove = kind === 'tag' ? detachTag(tx, file.id, name, 'auto_ai') : removeFromCollection(tx, file, name);
        return (await remove) ? 'changed' : 'missing';
      };
      return changeLabels(request, { change, action: 'labels_removed' });
    },

    nameSpeakers: ({ fileId, actor, changes }: RequestOf<typeof labelRpc.nameSpeakers>) =>
      db.$transaction(async (tx) => {
        const file = await lockedFile(tx, actor, fileId, 'edit');
        const changed: string[] = [];
        for (const { speakerUuid: id, from, to } of changes) {
          // A name that a person has given since stays.
          const current = from === null ? { OR: [{ displayName: null }, { displayName: '' }] } : { displayName: from };
          const { count } = await tx.speaker.updateMany({
            where: { id, fileId, ...current },
            data: { displayName: to },
          });
          if (count > 0) changed.push(id);
        }
        if (changed.length > 0) {
          await markNamesChanged(tx, fileId);
          await markEdited(tx, outbox, file, actor.userId);
          await auditAction(tx, outbox, 'speakers_named', { file, actor, details: { speakers: changed.length } });
        }
        return { changed };
      }),

    owned: async (request: RequestOf<typeof labelRpc.listOwned>) => ({ fileIds: await ownedFiles(db, request) }),
  };
}

/** @throws AppError not_found also for the service itself, when the file is deleted. */
async function lockForLabels(tx: Tx, actor: LabelActor, fileId: string): Promise<LockedFile> {
  if (actor) return lockedFile(tx, actor, fileId, 'edit');
  await lockFileRow(tx, fileId);
  const file = await tx.mediaFile.findUnique({ where: { id: fileId } });
  if (!file || file.deletedAt) throw notFound('There is no such file.');
  return { ...file, permission: null };
}

function namesOf(labels: readonly Label[], kind: Label['kind']): string[] {
  return labels.filter((label) => label.kind === kind).map(({ name }) => name);
}

/** The tag belongs to the file's owner, also when an administrator accepts it. */
async function applyTag(tx: Tx, { id, userId, permission }: LockedFile, name: string): Promise<Outcome> {
  if (permission === null && (await wasRemoved(tx, id, name))) return 'removed_before';
  const tag = await getOrCreateTag(tx, userId, name, 'auto_ai');
  return (await attachTag(tx, id, tag, 'auto_ai')) ? 'changed' : 'present';
}

/** A collection of the file's owner; only the owner decides what is in it. */
async function addToCollection(
  tx: Tx,
  { id, userId, permission }: LockedFile,
  { name, addedBy }: { name: string; addedBy: string | null },
): Promise<Outcome> {
  const collection = permission === null || permission === 'owner' ? await ownCollection(tx, userId, name) : null;
  if (!collection) return 'missing';
  if (permission === null && collection.shareCount > 0) return 'not_private';
  const key = { collectionId: collection.id, fileId: id };
  if ((await tx.collectionMember.count({ where: key })) > 0) return 'present';
  await addFiles(tx, collection, { fileIds: [id], addedBy, source: 'auto_ai' });
  return 'changed';
}

async function removeFromCollection(tx: Tx, { id, userId, permission }: LockedFile, name: string): Promise<boolean> {
  const collection = permission === 'owner' ? await ownCollection(tx, userId, name) : null;
  return collection !== null && (await removeFiles(tx, collection.id, [id])).length > 0;
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
    collections: await ownerCollections(db, userId, fileId),
    speakers: file.speakers.map(({ id, name, displayName }) => ({
      uuid: id,
      label: name,
      name: masksNames && displayName ? '' : displayName,
    })),
    knownNames: knownNames.slice(0, 1_000),
    masksNames,
  };
}

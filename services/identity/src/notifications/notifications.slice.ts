import {
  directorySyncEvents,
  mediaEvents,
  notificationRoutes,
  operationsRunEvents,
  type NotificationKind,
} from '@overtone/contracts';
import { consumer, handle, periodic, type Consumer, type Route, type Slice } from '@overtone/service-kit';
import { Prisma } from '../generated/client.ts';
import { createNotifications, type Notifications, type NotificationsDeps } from './notifications.service.ts';

const superAdmins = Prisma.sql`u.role = 'super_admin' and u.is_active`;
const runKinds = { backup: 'backup_failed', mirror: 'mirror_failed' } as const;

/** Notifications: what was shared with a person, edited, transcribed or has failed, for 30 days. */
export function createNotificationsSlice(deps: NotificationsDeps): Slice {
  const notifications = createNotifications(deps);
  return {
    routes: notificationsRoutes(notifications),
    consumers: [...fileConsumers(notifications), ...runConsumers(notifications)],
    periodics: [periodic('delete old notifications', 3_600_000, notifications.deleteOld)],
  };
}

function notificationsRoutes(notifications: Notifications): Route[] {
  return [
    handle(notificationRoutes.notifications, ({ caller, query: { page, page_size: size } }) =>
      notifications.page(caller, page, size),
    ),
    handle(notificationRoutes.unreadNotifications, async ({ caller }) => ({
      unread: await notifications.unread(caller.userId),
    })),
    handle(notificationRoutes.readNotifications, async ({ caller, body }) => ({
      unread: await notifications.read(caller.userId, body?.uuids),
    })),
  ];
}

/** A durable each, so that each kind of notification has retries of its own. */
function fileConsumers(notifications: Notifications): Consumer[] {
  return [
    consumer(mediaEvents.shared, 'notify-shared', ({ fileId, sharedBy, ...share }, { time }) =>
      notifications.add({ kind: 'file_shared', subjectId: fileId, actorId: sharedBy, time }, recipientsOf(share)),
    ),
    consumer(
      mediaEvents.collectionShared,
      'notify-collection-shared',
      ({ collectionId, sharedBy, ...share }, { time }) =>
        notifications.add(
          { kind: 'collection_shared', subjectId: collectionId, actorId: sharedBy, time },
          recipientsOf(share),
        ),
    ),
    // A change by the service itself is no edit of a person.
    consumer(mediaEvents.transcriptEdited, 'notify-edited', async ({ fileId, ownerId, editedBy }, { time }) => {
      if (editedBy && editedBy !== ownerId)
        await notifications.add({ kind: 'file_edited', subjectId: fileId, actorId: editedBy, time }, account(ownerId));
    }),
    consumer(mediaEvents.commented, 'notify-mentioned', ({ fileId, authorId, mentioned }, { time }) =>
      notifications.add({ kind: 'mentioned', subjectId: fileId, actorId: authorId, time }, accounts(mentioned)),
    ),
    consumer(mediaEvents.commented, 'notify-commented', ({ fileId, authorId, followers }, { time }) =>
      notifications.add({ kind: 'commented', subjectId: fileId, actorId: authorId, time }, accounts(followers)),
    ),
    // A transcription that was stopped ended at the request of the owner.
    consumer(mediaEvents.transcriptionEnded, 'notify-transcribed', async ({ fileId, ownerId, ...end }, { time }) => {
      const kind = kindOfEnd(end);
      if (kind) await notifications.add({ kind, subjectId: fileId, actorId: null, time }, account(ownerId));
    }),
    consumer(mediaEvents.deleted, 'forget-file', ({ fileId }) => notifications.forget(fileId)),
  ];
}

/** Only super administrators may open the pages of backups and of the directory sync. */
function runConsumers(notifications: Notifications): Consumer[] {
  return [
    consumer(operationsRunEvents.failed, 'notify-run-failed', ({ runId, kind }, { time }) =>
      notifications.add({ kind: runKinds[kind], subjectId: runId, actorId: null, time }, superAdmins),
    ),
    consumer(directorySyncEvents.runHeld, 'notify-run-held', ({ runId }, { time }) =>
      notifications.add({ kind: 'sync_run_held', subjectId: runId, actorId: null, time }, superAdmins),
    ),
  ];
}

function kindOfEnd({ outcome, noSpeech }: { outcome: string; noSpeech: boolean }): NotificationKind | null {
  if (outcome === 'cancelled') return null;
  if (outcome === 'failed') return 'transcription_failed';
  return noSpeech ? 'transcription_without_speech' : 'transcription_completed';
}

function account(userId: string): Prisma.Sql {
  return Prisma.sql`u.uuid = ${userId}::uuid`;
}

function accounts(userIds: readonly string[]): Prisma.Sql {
  return Prisma.sql`u.uuid = any(${userIds}::uuid[])`;
}

/** The person, or the members of the group, but not the owner. */
function recipientsOf({
  ownerId,
  userId,
  groupId,
}: {
  ownerId: string;
  userId: string | null;
  groupId: string | null;
}) {
  const target = userId
    ? account(userId)
    : Prisma.sql`u.uuid in (select m.user_id from user_group_member m where m.group_id = ${groupId}::uuid)`;
  return Prisma.sql`${target} and u.uuid <> ${ownerId}::uuid`;
}

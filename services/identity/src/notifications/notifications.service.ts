import {
  collectionNamesRpc,
  mediaRpc,
  notificationEvents,
  type NotificationKind,
  type NotificationObject,
} from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { Bus, Caller } from '@overtone/service-kit';
import type { Db, Tx } from '../database.ts';
import type { Prisma } from '../generated/client.ts';
import {
  deleteEarlierOfKind,
  insertNotifications,
  notificationsStore as store,
  type NotificationRow,
  type Occurrence,
} from './notifications.store.ts';

export type NotificationsDeps = { db: Db; outbox: Outbox; bus: Pick<Bus, 'request'> };
const accountsPerEvent = 500;
const aboutRuns: ReadonlySet<NotificationKind> = new Set(['sync_run_held', 'backup_failed', 'mirror_failed']);

/** What a person is notified of. Names are requested when they are read, with the reader's rights. */
export function createNotifications({ db, outbox, bus }: NotificationsDeps) {
  const publish = async (tx: Tx, userIds: string[]): Promise<void> => {
    for (let start = 0; start < userIds.length; start += accountsPerEvent)
      await outbox.add(tx, notificationEvents.changed, { userIds: userIds.slice(start, start + accountsPerEvent) });
  };

  return {
    /** Idempotent: an event that is delivered again neither adds a notification nor marks one as unread. */
    add: (occurrence: Occurrence, among: Prisma.Sql): Promise<void> =>
      db.$transaction(async (tx) => {
        if (aboutRuns.has(occurrence.kind)) await deleteEarlierOfKind(tx, occurrence);
        await publish(tx, await insertNotifications(tx, occurrence, among));
      }),

    page: async (caller: Caller, page: number, size: number) => {
      const { rows, total } = await store.page(db, caller.userId, { page, size });
      const names = await namesFor(bus, caller, rows);
      return { items: rows.map((row) => toNotification(row, names)), total, page, page_size: size };
    },

    unread: (userId: string): Promise<number> => store.unread(db, userId),

    read: (userId: string, ids: string[] | undefined): Promise<number> =>
      db.$transaction(async (tx) => {
        if ((await store.read(tx, userId, ids)) > 0) await publish(tx, [userId]);
        return store.unread(tx, userId);
      }),

    forget: (subjectId: string): Promise<void> => store.forget(db, subjectId),
    deleteOld: async (): Promise<void> => void (await store.deleteOld(db)),
  };
}

export type Notifications = ReturnType<typeof createNotifications>;

/** Titles and names of what the reader may open. */
async function namesFor(
  bus: NotificationsDeps['bus'],
  { userId, role }: Caller,
  rows: readonly NotificationRow[],
): Promise<Map<string, string>> {
  const reader = { userId, role };
  const idsOf = (isWanted: (kind: NotificationKind) => boolean) => [
    ...new Set(rows.filter(({ kind }) => isWanted(kind)).map(({ subjectId }) => subjectId)),
  ];
  const collectionIds = idsOf((kind) => kind === 'collection_shared');
  const fileIds = idsOf((kind) => kind !== 'collection_shared' && !aboutRuns.has(kind));
  const [{ files }, { collections }] = await Promise.all([
    fileIds.length > 0 ? bus.request(mediaRpc.describeFiles, { fileIds, reader }) : { files: [] },
    collectionIds.length > 0 ? bus.request(collectionNamesRpc.names, { collectionIds, reader }) : { collections: [] },
  ]);
  return new Map([
    ...files.filter(({ readable }) => readable).map(({ fileId, title }) => [fileId, title] as const),
    ...collections.map(({ collectionId, name }) => [collectionId, name] as const),
  ]);
}

function toNotification(row: NotificationRow, names: ReadonlyMap<string, string>): NotificationObject {
  const { id, kind, subjectId, time, readAt, actorId, actorName } = row;
  return {
    uuid: id,
    kind,
    created_at: time.toISOString(),
    read: readAt !== null,
    actor: actorId === null ? null : { uuid: actorId, name: actorName ?? '' },
    subject_uuid: subjectId,
    subject_name: names.get(subjectId) ?? null,
  };
}

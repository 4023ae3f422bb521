import { z } from 'zod';
import { defineEvent } from './define.ts';
import { pageOf, pageQuery, routesOf, time } from './http.ts';

const route = routesOf('identity');

/** The last three concern the installation and go to super administrators. */
export const notificationKinds = [
  'file_shared',
  'collection_shared',
  'file_edited',
  'mentioned',
  'commented',
  'transcription_completed',
  'transcription_without_speech',
  'transcription_failed',
  'sync_run_held',
  'backup_failed',
  'mirror_failed',
] as const;
export type NotificationKind = (typeof notificationKinds)[number];

const notification = z.object({
  uuid: z.uuid(),
  kind: z.enum(notificationKinds),
  created_at: time,
  read: z.boolean(),
  /** Who shared or edited; null: the platform itself. */
  actor: z.object({ uuid: z.uuid(), name: z.string() }).nullable(),
  /** The recording, collection or run. */
  subject_uuid: z.uuid(),
  /** Title of the recording or name of the collection; null: the reader may not open it now. */
  subject_name: z.string().nullable(),
});
export type NotificationObject = z.infer<typeof notification>;

const unread = z.object({ unread: z.int() });
export const notificationRoutes = {
  notifications: route('GET', '/api/notifications', 'user', {
    summary: "The caller's notifications of the last 30 days, newest first",
    query: z.object(pageQuery),
    answer: pageOf(notification),
  }),
  unreadNotifications: route('GET', '/api/notifications/unread', 'user', {
    summary: "How many of the caller's notifications are unread",
    answer: unread,
  }),
  readNotifications: route('POST', '/api/notifications/read', 'user', {
    summary: "Mark some or all of the caller's notifications as read",
    body: z.object({ uuids: z.array(z.uuid()).min(1).max(100).optional() }).optional(),
    answer: unread,
  }),
};

export const notificationEvents = {
  /** Notifications of these accounts were added or read. */
  changed: defineEvent(
    'evt.identity.notification.changed.v1',
    z.object({ userIds: z.array(z.uuid()).min(1).max(500) }),
  ),
};

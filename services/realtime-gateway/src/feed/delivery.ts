import type { PushMessage } from '@overtone/contracts';
import type { Audience, AudienceChange } from '../audience/audience.ts';
import type { StreamEvent } from './events.adapter.ts';
import { translateEvent, type FeedEvent, type Live, type Replay } from './feed.ts';
import type { Progress } from './progress.ts';

/** The sockets of the users. */
export type Receivers = {
  notify: (userIds: Iterable<string>, message: PushMessage) => void;
  progress: (userIds: Iterable<string>, live: Live) => void;
  revoke: (userId: string, sessionId: string | null, at: number) => void;
  resync: (userId: string) => void;
  resyncAll: () => void;
};
type Deps = { audience: Audience; replay: Replay; progress: Progress; summaries: Progress; receivers: Receivers };
type Position = { seq: number; time: Date };
type Handlers = { [K in FeedEvent['kind']]: (event: Extract<FeedEvent, { kind: K }>, position: Position) => void };

const final: ReadonlySet<string> = new Set(['completed', 'error', 'cancelled', 'quarantined', 'orphaned']);
const waiting: ReadonlySet<string> = new Set(['queued', 'uploaded']);

/** Delivers stream events to the users that may see them. */
export function createDelivery({ audience, replay, progress, summaries, receivers }: Deps) {
  const notify = (userIds: string[], seq: number, message: PushMessage): void => {
    for (const userId of userIds) replay.add(userId, { seq, message, at: Date.now() });
    receivers.notify(userIds, message);
  };
  /** Users who gain or lose access to a file are notified as if it were created or deleted. */
  const notifyChange = ({ gained, lost }: AudienceChange, fileId: string, seq: number): void => {
    notify(gained, seq, { type: 'file_created', seq, data: { file_id: fileId } });
    notify(lost, seq, { type: 'file_deleted', seq, data: { file_id: fileId } });
  };
  const handlers: Handlers = {
    fact: ({ fileId, ownerId, message, ownerOnly, isLast }, { seq }) => {
      notify(ownerOnly ? [ownerId] : [ownerId, ...audience.of(fileId)], seq, message);
      if (isLast) audience.forget(fileId);
      updateProgress(progress, message);
      updateSummary(summaries, message);
    },
    shared: ({ shared: { userId, groupId, ownerId, sharedBy }, message }, { seq }) => {
      const userIds = userId ? [userId] : audience.membersOf(groupId ?? '');
      notify(
        userIds.filter((id) => id !== ownerId && id !== sharedBy),
        seq,
        message,
      );
    },
    personal: ({ userIds, groupIds = [], message }, { seq }) =>
      notify([...new Set([...userIds, ...groupIds.flatMap(audience.membersOf)])], seq, message),
    access: ({ access }, { seq }) => notifyChange(audience.setAccess(access), access.fileId, seq),
    membership: ({ membership }) => void (audience.setMembership(membership) && receivers.resync(membership.userId)),
    revocation: ({ userId, sessionId }, { time }) => receivers.revoke(userId, sessionId, time.getTime()),
    ignored: () => {},
  };
  return ({ subject, body, seq, time }: StreamEvent): void => {
    const event = translateEvent(subject, body, seq);
    replay.advanceTo(seq);
    (handlers[event.kind] as (event: FeedEvent, position: Position) => void)(event, { seq, time });
  };
}

/** The draft of a summary that has ended, was withheld or deleted is not sent to clients that connect now. */
function updateSummary(summaries: Progress, message: PushMessage): void {
  if (message.type === 'summary_changed') summaries.pause(message.data.file_id);
  if (message.type === 'file_deleted') summaries.settle(message.data.file_id);
}

/** A file that is finished or deleted has no more progress; one that waits has none at the moment. */
function updateProgress(progress: Progress, message: PushMessage): void {
  if (message.type === 'file_deleted') progress.settle(message.data.file_id);
  if (message.type !== 'file_updated') return;
  const { file_id: fileId, status } = message.data;
  if (final.has(status)) progress.settle(fileId);
  else if (waiting.has(status)) progress.pause(fileId);
}

import {
  identityEvents,
  mediaEvents,
  notificationEvents,
  searchEvents,
  suggestionEvents,
  summaryEvents,
  type DataOf,
  type EventDef,
  type FileAccess,
  type PushMessage,
} from '@overtone/contracts';
import type { Membership } from '../audience/audience.ts';

export type { Live } from './progress.ts';
export type { Replay } from './replay.ts';

/** A message about a file to its owner, and unless `ownerOnly` to the users it is shared with. */
type Fact = { fileId: string; ownerId: string; message: PushMessage; ownerOnly?: boolean; isLast?: boolean };
export type FeedEvent =
  | ({ kind: 'fact' } & Fact)
  | { kind: 'shared'; shared: DataOf<typeof mediaEvents.shared>; message: PushMessage }
  | { kind: 'personal'; userIds: string[]; groupIds?: string[]; message: PushMessage }
  | { kind: 'access'; access: FileAccess }
  | { kind: 'membership'; membership: Membership }
  | { kind: 'revocation'; userId: string; sessionId: string | null }
  | { kind: 'ignored' };

type FileRef = { fileId: string; ownerId: string };
type Translation = { def: EventDef; translate: (data: never, seq: number) => FeedEvent };
/** The types of messages that carry nothing but the file. */
type FileMessage =
  | 'file_created'
  | 'file_deleted'
  | 'search_indexing_complete'
  | 'suggestions_changed'
  | 'summary_changed'
  | 'comments_changed'
  | 'codings_changed';

/** What each event becomes. Messages carry ids only; clients fetch the content with their own rights. */
const translations: ReadonlyMap<string, Translation> = new Map(
  [
    on(mediaEvents.uploaded, about('file_created')),
    on(mediaEvents.updated, (file, seq) =>
      fact(file, { type: 'file_updated', seq, data: { file_id: file.fileId, status: file.status } }),
    ),
    // A file in the bin keeps its audience, which is notified when the file is restored.
    on(mediaEvents.binned, about('file_deleted')),
    on(mediaEvents.restored, about('file_created')),
    on(mediaEvents.deleted, (file, seq) => ({ ...about('file_deleted')(file, seq), isLast: true })),
    on(mediaEvents.transcriptionEnded, (file, seq) => {
      const data = { file_id: file.fileId, outcome: file.outcome, no_speech: file.noSpeech };
      return { ...fact(file, { type: 'transcription_ended', seq, data }), ownerOnly: true };
    }),
    on(mediaEvents.transcriptStored, transcript),
    on(mediaEvents.transcriptEdited, transcript),
    on(mediaEvents.commentsChanged, about('comments_changed')),
    on(mediaEvents.codingsChanged, about('codings_changed')),
    on(searchEvents.fileIndexed, about('search_indexing_complete')),
    on(suggestionEvents.changed, about('suggestions_changed')),
    on(summaryEvents.changed, about('summary_changed')),
    on(mediaEvents.shared, (shared, seq) => ({
      kind: 'shared',
      shared,
      message: { type: 'file_shared', seq, data: { file_id: shared.fileId, shared_by: shared.sharedBy } },
    })),
    on(mediaEvents.collectionChanged, ({ collectionId, userIds, groupIds }, seq) => ({
      kind: 'personal',
      userIds,
      groupIds,
      message: { type: 'collection_changed', seq, data: { collection_id: collectionId } },
    })),
    on(mediaEvents.codeListChanged, ({ listId, userIds, groupIds }, seq) => ({
      kind: 'personal',
      userIds,
      groupIds,
      message: { type: 'code_list_changed', seq, data: { list_id: listId } },
    })),
    on(notificationEvents.changed, ({ userIds }, seq) => ({
      kind: 'personal',
      userIds,
      message: { type: 'notifications_changed', seq, data: {} },
    })),
    on(mediaEvents.accessChanged, (access) => ({ kind: 'access', access })),
    on(identityEvents.membershipChanged, (membership) => ({ kind: 'membership', membership })),
    on(identityEvents.sessionRevoked, ({ userId, sessionId }) => ({ kind: 'revocation', userId, sessionId })),
  ].map((translation) => [translation.def.subject, translation]),
);

/** Translates a stream event; events that are not for browsers or not valid are ignored. */
export function translateEvent(subject: string, body: unknown, seq: number): FeedEvent {
  const translation = translations.get(subject);
  const data = translation?.def.data.safeParse(body);
  return translation && data?.success ? translation.translate(data.data as never, seq) : { kind: 'ignored' };
}

function on<E extends EventDef>(def: E, translate: (data: DataOf<E>, seq: number) => FeedEvent): Translation {
  return { def, translate };
}

function fact({ fileId, ownerId }: FileRef, message: PushMessage): { kind: 'fact' } & Fact {
  return { kind: 'fact', fileId, ownerId, message };
}

function about(type: FileMessage) {
  return (file: FileRef, seq: number) => fact(file, { type, seq, data: { file_id: file.fileId } });
}

function transcript(file: FileRef & { transcriptVersion: number }, seq: number): FeedEvent {
  const data = { file_id: file.fileId, transcript_version: file.transcriptVersion };
  return fact(file, { type: 'transcript_updated', seq, data });
}

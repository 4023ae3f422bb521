import {
  identityEvents,
  mediaEvents,
  searchEvents,
  type DataOf,
  type EventDef,
  type FileAccess,
  type PushMessage,
} from '@overtone/contracts';
import type { Membership } from '../audience/audience.ts';

/** A message to the browsers of a file's owner and of the users it is shared with. */
type Fact = { fileId: string; ownerId: string; message: PushMessage };
type Revocation = { userId: string; sessionId: string | null };
export type FeedEvent =
  | { kind: 'fact'; fact: Fact }
  | { kind: 'revocation'; revocation: Revocation }
  | { kind: 'transcription-ended'; fact: Fact }
  | { kind: 'shared'; shared: DataOf<typeof mediaEvents.shared>; message: PushMessage }
  | { kind: 'access'; access: FileAccess }
  | { kind: 'membership'; membership: Membership }
  | { kind: 'ignored' };

type FileRef = { fileId: string; ownerId: string };

type Translation = { def: EventDef; translate: (data: never, seq: number) => FeedEvent };

/** The push message for each event. Messages carry ids only; clients fetch the content with their own rights. */
const translations: ReadonlyMap<string, Translation> = new Map(
  [
    on(mediaEvents.uploaded, (d, seq) => fact(d, { type: 'file_created', seq, data: { file_id: d.fileId } })),
    on(mediaEvents.updated, (d, seq) =>
      fact(d, { type: 'file_updated', seq, data: { file_id: d.fileId, status: d.status } }),
    ),
    on(mediaEvents.binned, (d, seq) => fact(d, { type: 'file_deleted', seq, data: { file_id: d.fileId } })),
    on(mediaEvents.restored, (d, seq) => fact(d, { type: 'file_created', seq, data: { file_id: d.fileId } })),
    on(mediaEvents.transcriptionEnded, ({ fileId, ownerId, outcome, noSpeech }, seq) => ({
      kind: 'transcription-ended',
      fact: {
        fileId,
        ownerId,
        message: { type: 'transcription_ended', seq, data: { file_id: fileId, outcome, no_speech: noSpeech } },
      },
    })),
    on(mediaEvents.shared, (shared, seq) => ({
      kind: 'shared',
      shared,
      message: { type: 'file_shared', seq, data: { file_id: shared.fileId, shared_by: shared.sharedBy } },
    })),
    on(mediaEvents.deleted, (d, seq) => fact(d, { type: 'file_deleted', seq, data: { file_id: d.fileId } })),
    on(mediaEvents.transcriptStored, transcript),
    on(mediaEvents.transcriptEdited, transcript),
    on(searchEvents.fileIndexed, (d, seq) =>
      fact(d, { type: 'search_indexing_complete', seq, data: { file_id: d.fileId } }),
    ),
    on(mediaEvents.accessChanged, (access) => ({ kind: 'access', access })),
    on(identityEvents.membershipChanged, (membership) => ({ kind: 'membership', membership })),
    on(identityEvents.sessionRevoked, ({ userId, sessionId }) => ({
      kind: 'revocation',
      revocation: { userId, sessionId },
    })),
  ].map((t) => [t.def.subject, t]),
);

/** Translates a stream event; events that are not for browsers or not valid are ignored. */
export function translateEvent(subject: string, body: unknown, seq: number): FeedEvent {
  const translation = translations.get(subject);
  const data = translation?.def.data.safeParse(body);
  return translation && data?.success ? translation.translate(data.data as never, seq) : { kind: 'ignored' };
}

function fact({ fileId, ownerId }: FileRef, message: PushMessage): FeedEvent {
  return {
    kind: 'fact',
    fact: { fileId, ownerId, message },
  };
}

function on<E extends EventDef>(def: E, translate: (data: DataOf<E>, seq: number) => FeedEvent): Translation {
  return {
    def,
    translate,
  };
}

function transcript(d: { fileId: string; ownerId: string; transcriptVersion: number }, seq: number): FeedEvent {
  return fact(d, {
    type: 'transcript_updated',
    seq,
    data: { file_id: d.fileId, transcript_version: d.transcriptVersion },
  });
}

export type { Live } from './progress.ts';
export type { Replay } from './replay.ts';

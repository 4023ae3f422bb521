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

/** A fact for the browsers of a file's owner, and of those it is shared with. */
type Fact = { fileId: string; ownerId: string; message: PushMessage };
type Revocation = { userId: string; sessionId: string | null };
export type Heard =
  | { kind: 'fact'; fact: Fact }
  | { kind: 'revocation'; revocation: Revocation }
  | { kind: 'access'; access: FileAccess }
  | { kind: 'membership'; membership: Membership }
  | { kind: 'nothing' };

type OfFile = { fileId: string; ownerId: string };
const fact = ({ fileId, ownerId }: OfFile, message: PushMessage): Heard => ({
  kind: 'fact',
  fact: { fileId, ownerId, message },
});
type Translation = { def: EventDef; heard: (data: never, seq: number) => Heard };
const on = <E extends EventDef>(def: E, heard: (data: DataOf<E>, seq: number) => Heard): Translation => ({
  def,
  heard,
});
const transcript = (d: { fileId: string; ownerId: string; transcriptVersion: number }, seq: number): Heard =>
  fact(d, {
    type: 'transcript_updated',
    seq,
    data: { file_id: d.fileId, transcript_version: d.transcriptVersion },
  });

/** What each event means to browsers. They are told names; what they may see of them they fetch. */
const translations: ReadonlyMap<string, Translation> = new Map(
  [
    on(mediaEvents.uploaded, (d, seq) => fact(d, { type: 'file_created', seq, data: { file_id: d.fileId } })),
    on(mediaEvents.updated, (d, seq) =>
      fact(d, { type: 'file_updated', seq, data: { file_id: d.fileId, status: d.status } }),
    ),
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

/** An event of the stream as the gateway hears it; what is not for browsers, or not well formed, is nothing. */
export const hear = (subject: string, body: unknown, seq: number): Heard => {
  const translation = translations.get(subject);
  const data = translation?.def.data.safeParse(body);
  return translation && data?.success ? translation.heard(data.data as never, seq) : { kind: 'nothing' };
};

export type { Live } from './progress.ts';
export type { Replay } from './replay.ts';

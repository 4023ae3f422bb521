import type { Word } from '@overtone/contracts';
import type { Tx } from '../database.ts';
import type { Segment, Speaker } from '../generated/client.ts';

/** A change can be undone for this long. */
export const undoMs = 24 * 3_600_000;

type SpeakerBefore = { id: string; name: string; displayName: string | null };
/** The state before a change. `after` is its result: if that differs now, an undo would lose a later edit. */
export type Before =
  | { kind: 'segment_edited'; segment: SegmentBefore; after: { text: string; speakerId: string | null } }
  | { kind: 'segment_deleted'; segment: SegmentBefore }
  | { kind: 'speaker_merged'; speaker: SpeakerBefore; targetId: string; segmentIds: string[] }
  | { kind: 'speaker_deleted'; speaker: SpeakerBefore; segmentIds: string[] };

export type SegmentBefore = {
  id: string;
  speakerId: string | null;
  position: number;
  startTime: number;
  endTime: number;
  text: string;
  confidence: number | null;
  words: Word[];
  edited: boolean;
  editedAt: string | null;
  editedBy: string | null;
  version: number;
};

export function segmentBefore({ fileId: _, words, editedAt, ...segment }: Segment): SegmentBefore {
  return {
    ...segment,
    words: words as Word[],
    editedAt: editedAt?.toISOString() ?? null,
  };
}

export function speakerBefore({ id, name, displayName }: Speaker): SpeakerBefore {
  return { id, name, displayName };
}

export type Undo = { uuid: string; expires_at: string };

/** Records the state before a change, in the transaction of the change. */
export async function recordChange(
  tx: Tx,
  { fileId, userId, before }: { fileId: string; userId: string; before: Before },
): Promise<Undo> {
  const { id, createdAt } = await tx.change.create({ data: { fileId, userId, kind: before.kind, before } });
  return { uuid: id, expires_at: new Date(createdAt.getTime() + undoMs).toISOString() };
}

import type { Word } from '@overtone/contracts';
import { speakerLabel, speakerNumber } from '@overtone/contracts/speakers';
import type { MediaFile, Segment, Speaker } from '../generated/client.ts';
import type { FoundSpan } from '../redaction/redaction.ts';

/** A new text of a passage. `shown`: what the editor saw when it was made of it. */
export type TextChange = { uuid: string; version: number; shown: string; text: string };

/** The mean confidence of the words that have one; null when none has. */
export function meanConfidence(words: readonly Word[]): number | null {
  const known = words.flatMap(({ confidence }) => confidence ?? []);
  return known.length === 0 ? null : known.reduce((sum, confidence) => sum + confidence, 0) / known.length;
}

/** The label of one more speaker: SPEAKER_03 after SPEAKER_01 and SPEAKER_02. */
export function nextLabel(labels: string[]): string {
  const numbers = labels.map((label) => speakerNumber(label) ?? 0);
  return speakerLabel(Math.max(0, ...numbers) + 1);
}

/** A correction of thousands of passages scans them again before it is stored. */
export const longTransaction = { timeout: 120_000 };

/** A change can be undone for this long. */
export const undoMs = 24 * 3_600_000;

type SpeakerBefore = Pick<Speaker, 'id' | 'name' | 'displayName'>;
/** The state before a change. `after` is its result: if that differs now, an undo would lose a later edit. */
export type Before =
  | { kind: 'speaker_merged'; speaker: SpeakerBefore; targetId: string; segmentIds: string[] }
  | { kind: 'speaker_deleted'; speaker: SpeakerBefore; segmentIds: string[] }
  | {
      kind: 'transcript_imported';
      file: FileBefore;
      speakers: SpeakerBefore[];
      segments: SegmentBefore[];
      after: { transcriptVersion: number };
    };

/** The columns of a file that an import changes. */
export type FileBefore = Pick<
  MediaFile,
  'status' | 'engine' | 'diarizationProvider' | 'language' | 'duration' | 'noSpeech' | 'warnings' | 'error'
> & { completedAt: string | null };

export type SegmentBefore = Omit<Segment, 'fileId' | 'words' | 'editedAt' | 'redactions' | 'redactionKey'> & {
  words: Word[];
  /** Missing in changes that were stored by an older version. */
  redactions?: FoundSpan[];
  redactionKey?: string | null;
  editedAt: string | null;
};

export function segmentBefore({ fileId: _, words, editedAt, redactions, ...segment }: Segment): SegmentBefore {
  return {
    ...segment,
    words: words as Word[],
    redactions: redactions as FoundSpan[],
    editedAt: editedAt?.toISOString() ?? null,
  };
}

export function fileBefore(file: MediaFile): FileBefore {
  const { status, engine, diarizationProvider, language, duration, noSpeech, warnings, error, completedAt } = file;
  const columns = { status, engine, diarizationProvider, language, duration, noSpeech, warnings, error };
  return { ...columns, completedAt: completedAt?.toISOString() ?? null };
}

export function speakerBefore({ id, name, displayName }: Speaker): SpeakerBefore {
  return { id, name, displayName };
}

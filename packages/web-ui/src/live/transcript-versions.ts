/**
 * Versions of transcripts that this page made by its own edits. The answer of an edit is on screen already; the push
 * message about it must not fetch ten hours of transcript again.
 */
export type TranscriptVersions = {
  /** A page of the transcript told its version. */
  readonly seen: (fileId: string, version: number) => void;
  /** An own edit was accepted. */
  readonly edited: (fileId: string) => void;
  /** True when the message tells of something this page does not show yet. */
  readonly isNews: (fileId: string, version: number) => boolean;
  readonly clear: () => void;
};

export const createTranscriptVersions = (): TranscriptVersions => {
  const known = new Map<string, number>();
  return {
    seen: (fileId, version) => void known.set(fileId, Math.max(version, known.get(fileId) ?? 0)),
    edited: (fileId) => {
      const version = known.get(fileId);
      if (version !== undefined) known.set(fileId, version + 1);
    },
    isNews: (fileId, version) => version > (known.get(fileId) ?? -1),
    clear: () => known.clear(),
  };
};

export const transcriptVersions = createTranscriptVersions();

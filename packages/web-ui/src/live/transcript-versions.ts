/** An edit of this page that is on its way, and the version of the transcript it is expected to make. */
export type OwnEdit = { readonly version: number | null };

/**
 * Versions of transcripts that this page makes by its own edits. The answer of an edit is on screen already; the push
 * message about it, which may come before the answer, must not fetch ten hours of transcript again.
 */
export type TranscriptVersions = {
  /** A page of the transcript told its version. */
  readonly seen: (fileId: string, version: number) => void;
  /** An edit is being sent. */
  readonly begin: (fileId: string) => OwnEdit;
  /** It was answered; true when a message was taken for its echo that was not. */
  readonly end: (fileId: string, edit: OwnEdit, changed: boolean) => boolean;
  /** True when the message tells of something this page does not show yet. */
  readonly isNews: (fileId: string, version: number) => boolean;
  readonly clear: () => void;
};

type Known = { shown: number; readonly expected: Map<number, { heard: boolean }> };

export const createTranscriptVersions = (): TranscriptVersions => {
  const files = new Map<string, Known>();
  return {
    seen: (fileId, version) => {
      const known = files.get(fileId);
      if (known) known.shown = Math.max(known.shown, version);
      else files.set(fileId, { shown: version, expected: new Map() });
    },
    begin: (fileId) => {
      const known = files.get(fileId);
      if (!known) return { version: null };
      const version = Math.max(known.shown, ...known.expected.keys()) + 1;
      known.expected.set(version, { heard: false });
      return { version };
    },
    end: (fileId, { version }, changed) => {
      const known = files.get(fileId);
      const expectation = version === null ? undefined : known?.expected.get(version);
      if (!known || !expectation || version === null) return false;
      known.expected.delete(version);
      if (changed) known.shown = Math.max(known.shown, version);
      return !changed && expectation.heard;
    },
    isNews: (fileId, version) => {
      const known = files.get(fileId);
      if (!known) return true;
      const expectation = known.expected.get(version);
      if (expectation) expectation.heard = true;
      return expectation === undefined && version > known.shown;
    },
    clear: () => files.clear(),
  };
};

export const transcriptVersions = createTranscriptVersions();

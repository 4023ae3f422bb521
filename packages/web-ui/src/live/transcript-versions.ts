/** An edit of this page without a response yet, and the version of the transcript that it is expected to create. */
export type PendingEdit = { readonly version: number | null };

/**
 * The versions of transcripts that this page creates by its own edits. The response of an edit already updates the page.
 * The push message about the same edit may arrive first, and must not load ten hours of transcript again.
 */
export type TranscriptVersions = {
  /** Records the version of a loaded page of the transcript. */
  readonly recordShown: (fileId: string, version: number) => void;
  /** Records that an edit is being sent. */
  readonly beginEdit: (fileId: string) => PendingEdit;
  /** Records the response of an edit. @returns true when a push message was ignored although the edit changed nothing. */
  readonly endEdit: (fileId: string, edit: PendingEdit, changed: boolean) => boolean;
  /** True when a push message announces a version that this page does not show and did not create. */
  readonly isUnknown: (fileId: string, version: number) => boolean;
  readonly clear: () => void;
};

type FileVersions = { shown: number; readonly expected: Map<number, { isAnnounced: boolean }> };

export function createTranscriptVersions(): TranscriptVersions {
  const files = new Map<string, FileVersions>();
  return {
    recordShown: (fileId, version) => {
      const file = files.get(fileId);
      if (file) file.shown = Math.max(file.shown, version);
      else files.set(fileId, { shown: version, expected: new Map() });
    },
    beginEdit: (fileId) => {
      const file = files.get(fileId);
      if (!file) return { version: null };
      const version = Math.max(file.shown, ...file.expected.keys()) + 1;
      file.expected.set(version, { isAnnounced: false });
      return { version };
    },
    endEdit: (fileId, { version }, changed) => {
      const file = files.get(fileId);
      const expectation = version === null ? undefined : file?.expected.get(version);
      if (!file || !expectation || version === null) return false;
      file.expected.delete(version);
      if (changed) file.shown = Math.max(file.shown, version);
      return !changed && expectation.isAnnounced;
    },
    isUnknown: (fileId, version) => {
      const file = files.get(fileId);
      if (!file) return true;
      const expectation = file.expected.get(version);
      if (expectation) expectation.isAnnounced = true;
      return expectation === undefined && version > file.shown;
    },
    clear: () => files.clear(),
  };
}

export const transcriptVersions = createTranscriptVersions();

import type { IndexState } from '../generated/client.ts';
import type { FileRef } from '../ports/transcripts.ts';

/** What the database knows about a file in the index. */
export type IndexedFile = Pick<
  IndexState,
  'fileId' | 'ownerId' | 'title' | 'transcriptVersion' | 'passages' | 'build' | 'withheld' | 'indexedAt' | 'dueAt'
>;
/** Ids of files by what is wrong with them. */
export type Comparison = {
  missing: string[];
  stale: string[];
  extra: string[];
  waiting: string[];
  unchanged: string[];
};

type Sources = {
  /** Files with a transcript. */
  transcribed: readonly FileRef[];
  states: readonly IndexedFile[];
  /** The number of passages by file in the current build. */
  indexed: ReadonlyMap<string, number>;
  /** The builds that count as up to date. */
  builds: readonly string[];
};

/** Compares the files that should be in the index with those that are. Files that are due anyway only wait. */
export function compareFiles({ transcribed, states, indexed, builds }: Sources): Comparison {
  const files = new Map(transcribed.map((file) => [file.fileId, file]));
  const known = new Map(states.map((state) => [state.fileId, state]));
  const result: Comparison = { missing: [], stale: [], extra: [], waiting: [], unchanged: [] };
  const kindOf = (fileId: string): keyof Comparison => {
    const [file, state, count] = [files.get(fileId), known.get(fileId), indexed.get(fileId)];
    if (state?.dueAt) return 'waiting';
    if (!file) return 'extra';
    if (!state?.indexedAt || count === undefined) return 'missing';
    const isCurrent =
      state.transcriptVersion === file.transcriptVersion &&
      state.passages === count &&
      builds.includes(state.build ?? '') &&
      !state.withheld;
    return isCurrent ? 'unchanged' : 'stale';
  };
  for (const fileId of new Set([...files.keys(), ...known.keys(), ...indexed.keys()]))
    result[kindOf(fileId)].push(fileId);
  return result;
}

import { useSyncExternalStore } from 'react';
import type { Segment } from '../api/queries.ts';
import { drafts } from '../app/services.ts';

/** A correction that is typed and not saved, with the passage as it was when the typing began. */
export type PassageDraft = {
  readonly text: string;
  readonly version: number;
  readonly was: string;
  readonly start: number;
};

export const passagePlace = (fileId: string, segmentId: string): string => `passage:${fileId}:${segmentId}`;

/** The draft of one passage, also while its row is not rendered. */
export function usePassageDraft(fileId: string, segment: Segment) {
  const place = passagePlace(fileId, segment.uuid);
  const draft = useSyncExternalStore(drafts.all.subscribe, () => drafts.read(place)) as PassageDraft | undefined;
  function type(text: string): void {
    const { was, version } = draft ?? { was: segment.text, version: segment.version };
    if (text === was) drafts.drop(place);
    else drafts.write(place, { text, version, was, start: segment.start_time } satisfies PassageDraft);
  }
  return { draft, type, drop: () => drafts.drop(place) };
}

/** All drafts of a file, by the passage's id, in order of time. */
export function usePassageDrafts(fileId: string): ReadonlyMap<string, PassageDraft> {
  const all = useSyncExternalStore(drafts.all.subscribe, drafts.all.get);
  return passageDraftsOf(all, fileId);
}

const known = new WeakMap<ReadonlyMap<string, unknown>, Map<string, ReadonlyMap<string, PassageDraft>>>();
function passageDraftsOf(all: ReadonlyMap<string, unknown>, fileId: string): ReadonlyMap<string, PassageDraft> {
  const byFile = known.get(all) ?? new Map<string, ReadonlyMap<string, PassageDraft>>();
  known.set(all, byFile);
  const found = byFile.get(fileId);
  if (found) return found;
  const prefix = passagePlace(fileId, '');
  const made = new Map(
    [...all]
      .filter(([place]) => place.startsWith(prefix))
      .map(([place, draft]) => [place.slice(prefix.length), draft as PassageDraft] as const)
      .sort(([, a], [, b]) => a.start - b.start),
  );
  byFile.set(fileId, made);
  return made;
}

/** True when the text was changed on the server after the typing began. */
export const isOutdated = (draft: PassageDraft, segment: Segment): boolean =>
  segment.version !== draft.version && segment.text !== draft.was && segment.text !== draft.text.trim();

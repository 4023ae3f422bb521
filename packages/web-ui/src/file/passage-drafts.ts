import { useSyncExternalStore } from 'react';
import type { Segment } from '../api/queries.ts';
import { drafts } from '../state/services.ts';

/** An unsaved correction, with the text and version of the passage when the typing began. */
export type PassageDraft = {
  readonly text: string;
  readonly version: number;
  readonly originalText: string;
  readonly start: number;
};

export function passageDraftKey(fileId: string, segmentId: string): string {
  return `passage:${fileId}:${segmentId}`;
}

/** The draft of one passage, also while its row is not rendered. */
export function usePassageDraft(fileId: string, segment: Segment) {
  const key = passageDraftKey(fileId, segment.uuid);
  const draft = useSyncExternalStore(drafts.all.subscribe, () => drafts.read(key)) as PassageDraft | undefined;
  function setText(text: string): void {
    const { originalText, version } = draft ?? { originalText: segment.text, version: segment.version };
    if (text === originalText) drafts.drop(key);
    else drafts.write(key, { text, version, originalText, start: segment.start_time } satisfies PassageDraft);
  }
  return { draft, setText, drop: () => drafts.drop(key) };
}

/** All drafts of a file, by the passage's id, in order of time. */
export function usePassageDrafts(fileId: string): ReadonlyMap<string, PassageDraft> {
  const all = useSyncExternalStore(drafts.all.subscribe, drafts.all.get);
  return passageDraftsOf(all, fileId);
}

const cache = new WeakMap<ReadonlyMap<string, unknown>, Map<string, ReadonlyMap<string, PassageDraft>>>();

function passageDraftsOf(all: ReadonlyMap<string, unknown>, fileId: string): ReadonlyMap<string, PassageDraft> {
  const byFile = cache.get(all) ?? new Map<string, ReadonlyMap<string, PassageDraft>>();
  cache.set(all, byFile);
  const cached = byFile.get(fileId);
  if (cached) return cached;
  const prefix = passageDraftKey(fileId, '');
  const ofFile = new Map(
    [...all]
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, draft]) => [key.slice(prefix.length), draft as PassageDraft] as const)
      .sort(([, x], [, y]) => x.start - y.start),
  );
  byFile.set(fileId, ofFile);
  return ofFile;
}

/** True when the text was changed on the server after the typing began. */
export function isOutdated(draft: PassageDraft, segment: Segment): boolean {
  return segment.version !== draft.version && segment.text !== draft.originalText && segment.text !== draft.text.trim();
}

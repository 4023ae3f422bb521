import { useSyncExternalStore } from 'react';
import type { PresenceReport } from './push.ts';

/** Another person who has the page of a file open. */
export type Visitor = Omit<PresenceReport, 'left'>;
/** A page reports at least this often while a person uses it; one that is silent for longer than two reports has left. */
export const reportEveryMs = 20_000;
const expiresAfterMs = 50_000;
type Visits = Map<string, { visitor: Visitor; timer: ReturnType<typeof setTimeout> }>;
const empty: readonly Visitor[] = [];

/** Who else has the page of a file open, by what their pages report; a page that is silent for too long has left. */
export function createPresenceStore() {
  const files = new Map<string, Visits>();
  /** Renewed with each change, so that an unchanged list is the same object. */
  const lists = new Map<string, readonly Visitor[]>();
  const listeners = new Set<() => void>();
  const changed = (fileId: string, visits: Visits): void => {
    lists.set(
      fileId,
      [...visits.values()].map(({ visitor }) => visitor),
    );
    for (const listener of listeners) listener();
  };
  const remove = (fileId: string, visits: Visits, visitId: string): void => {
    clearTimeout(visits.get(visitId)?.timer);
    if (visits.delete(visitId)) changed(fileId, visits);
  };
  return {
    of: (fileId: string): readonly Visitor[] => lists.get(fileId) ?? empty,
    /** The id of a visit is chosen by its page: with the id of the person, no page can report for another person. */
    receive: (fileId: string, { left, ...visitor }: PresenceReport): void => {
      const visits: Visits = files.get(fileId) ?? new Map();
      files.set(fileId, visits);
      const visitId = `${visitor.person.uuid}/${visitor.visitId}`;
      if (left) return remove(fileId, visits, visitId);
      const before = visits.get(visitId);
      clearTimeout(before?.timer);
      const timer = setTimeout(() => remove(fileId, visits, visitId), expiresAfterMs);
      visits.set(visitId, { visitor, timer });
      if (before?.visitor.segmentId !== visitor.segmentId || before.visitor.person.name !== visitor.person.name)
        changed(fileId, visits);
    },
    clear: (): void => {
      for (const visits of files.values()) for (const { timer } of visits.values()) clearTimeout(timer);
      files.clear();
      lists.clear();
      for (const listener of listeners) listener();
    },
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export type PresenceStore = ReturnType<typeof createPresenceStore>;
export const presenceStore = createPresenceStore();

export function useVisitors(fileId: string): readonly Visitor[] {
  return useSyncExternalStore(presenceStore.subscribe, () => presenceStore.of(fileId));
}

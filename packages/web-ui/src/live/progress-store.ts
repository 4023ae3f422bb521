import { useSyncExternalStore } from 'react';
import type { Progress, SummaryDraft } from './push.ts';

/** Live values by file. Outside the query cache: four updates per second must not re-render unchanged data. */
type LiveStore<T> = {
  readonly get: (fileId: string) => T | null;
  readonly set: (fileId: string, value: T) => void;
  readonly drop: (fileId: string) => void;
  readonly clear: () => void;
  readonly subscribe: (listener: () => void) => () => void;
};
export type ProgressStore = LiveStore<Progress>;
export type DraftStore = LiveStore<SummaryDraft>;

export function createProgressStore<T = Progress>(): LiveStore<T> {
  const values = new Map<string, T>();
  const listeners = new Set<() => void>();
  const notifyListeners = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    get: (fileId) => values.get(fileId) ?? null,
    set: (fileId, value) => {
      values.set(fileId, value);
      notifyListeners();
    },
    drop: (fileId) => {
      if (values.delete(fileId)) notifyListeners();
    },
    clear: () => {
      values.clear();
      notifyListeners();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export const progressStore = createProgressStore();
/** The texts of summaries that are being written. */
export const summaryDrafts = createProgressStore<SummaryDraft>();

export function useProgress(fileId: string): Progress | null {
  return useSyncExternalStore(progressStore.subscribe, () => progressStore.get(fileId));
}

export function useSummaryDraft(fileId: string): SummaryDraft | null {
  return useSyncExternalStore(summaryDrafts.subscribe, () => summaryDrafts.get(fileId));
}

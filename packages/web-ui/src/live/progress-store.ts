import { useSyncExternalStore } from 'react';
import type { Progress } from './push.ts';

/** Live progress by file, outside the query cache: four values a second must not touch what did not change. */
export type ProgressStore = {
  readonly get: (fileId: string) => Progress | null;
  readonly set: (fileId: string, progress: Progress) => void;
  readonly drop: (fileId: string) => void;
  readonly clear: () => void;
  readonly subscribe: (listener: () => void) => () => void;
};

export const createProgressStore = (): ProgressStore => {
  const values = new Map<string, Progress>();
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    get: (fileId) => values.get(fileId) ?? null,
    set: (fileId, progress) => {
      values.set(fileId, progress);
      tell();
    },
    drop: (fileId) => {
      if (values.delete(fileId)) tell();
    },
    clear: () => {
      values.clear();
      tell();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};

export const progressStore = createProgressStore();
export const useProgress = (fileId: string): Progress | null =>
  useSyncExternalStore(progressStore.subscribe, () => progressStore.get(fileId));

import { watch, type FSWatcher } from 'node:fs';

/** Each watched folder needs one of the system's watches, which are limited. */
const maxFolders = 2_000;

/** Notifies of changes in folders. Where the system sends no events, or has no watches left, polling finds the changes. */
export function createFolderEvents(onChange: () => void) {
  const watchers = new Map<string, FSWatcher>();
  let isComplete = true;
  const stopWatching = (folder: string): void => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  const follow = (folder: string): void => {
    try {
      const watcher = watch(folder, { persistent: false }, onChange);
      watcher.on('error', () => {
        stopWatching(folder);
        onChange();
      });
      watchers.set(folder, watcher);
    } catch {
      isComplete = false;
    }
  };
  return {
    /** Watches exactly these folders. */
    follow: (folders: readonly string[]): void => {
      const wanted = new Set(folders.slice(0, maxFolders));
      isComplete = wanted.size === folders.length;
      for (const folder of watchers.keys()) if (!wanted.has(folder)) stopWatching(folder);
      for (const folder of wanted) if (!watchers.has(folder)) follow(folder);
    },
    areComplete: (): boolean => isComplete && watchers.size > 0,
    close: (): void => {
      for (const folder of watchers.keys()) stopWatching(folder);
    },
  };
}

import type { PushMessage } from '@overtone/contracts';
import { coalesce } from '@overtone/service-kit';

export type Live = { fileId: string; ownerId: string; message: PushMessage };
type FileProgress = { ownerId: string; last: Live; at: number; push: (live: Live) => void };

/** Minimum interval between two values of one file. */
export const intervalMs = 250;
/** The dispatcher repeats current progress every ten seconds; older values may belong to a finished run. */
const expiryMs = 35_000;
/** A worker's last progress may arrive after the file is settled: events and progress use different subjects. */
const lateProgressMs = 3_000;

/** Progress by file: emitted at most every 250 ms, always including the last value; the latest is kept for new connections. */
export function createProgress({ emit, now = Date.now }: { emit: (live: Live) => void; now?: () => number }) {
  const files = new Map<string, FileProgress>();
  const settled = new Map<string, number>();
  return {
    push: (live: Live): void => {
      if (now() - (settled.get(live.fileId) ?? -lateProgressMs) < lateProgressMs) return;
      let file = files.get(live.fileId);
      if (!file) {
        // A delayed value must not be emitted after its file is settled.
        const gate = coalesce<[Live]>(intervalMs, (value) => files.get(live.fileId) === file && emit(value));
        file = { ownerId: live.ownerId, last: live, at: now(), push: gate.push };
        files.set(live.fileId, file);
      }
      file.last = live;
      file.at = now();
      file.push(live);
    },
    /** The file waits for a worker: clients that connect now do not receive earlier progress. */
    pause: (fileId: string): void => void files.delete(fileId),
    /** The file is finished or deleted: no more progress is emitted. */
    settle: (fileId: string): void => {
      files.delete(fileId);
      settled.set(fileId, now());
    },
    /** @param isShared whether another user's file is shared with this user. */
    latestOf: (userId: string, isShared: (fileId: string) => boolean = () => false): Live[] =>
      [...files.values()]
        .filter(({ at, ownerId, last }) => now() - at < expiryMs && (ownerId === userId || isShared(last.fileId)))
        .map(({ last }) => last),
    prune: (): void => {
      for (const [fileId, at] of settled) if (now() - at >= lateProgressMs) settled.delete(fileId);
      for (const [fileId, { at }] of files) if (now() - at >= expiryMs) files.delete(fileId);
    },
  };
}

export type Progress = ReturnType<typeof createProgress>;

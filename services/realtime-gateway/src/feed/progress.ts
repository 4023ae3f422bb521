import type { PushMessage } from '@overtone/contracts';
import { coalesce } from '@overtone/service-kit';

export type Live = { fileId: string; ownerId: string; message: PushMessage };
type OfFile = { ownerId: string; last: Live; at: number; push: (live: Live) => void };

/** Four values a second and file are enough for any eye. */
export const everyMs = 250;
/** The dispatcher repeats what still holds every ten seconds; older values may be of a run that is over. */
const holdsMs = 35_000;
/** The last word of a worker may come after the file is settled; facts and progress travel on different roads. */
const lateMs = 3_000;

/** Progress by file: let through at most every 250 ms, the last value always; the latest is kept for newcomers. */
export const createProgress = ({ emit, now = Date.now }: { emit: (live: Live) => void; now?: () => number }) => {
  const files = new Map<string, OfFile>();
  const settled = new Map<string, number>();
  return {
    push: (live: Live): void => {
      if (now() - (settled.get(live.fileId) ?? -lateMs) < lateMs) return;
      let file = files.get(live.fileId);
      if (!file) {
        // A value that waits when its file is settled must not be told after the settling.
        const gate = coalesce<[Live]>(everyMs, (value) => files.get(live.fileId) === file && emit(value));
        file = { ownerId: live.ownerId, last: live, at: now(), push: gate.push };
        files.set(live.fileId, file);
      }
      file.last = live;
      file.at = now();
      file.push(live);
    },
    /** The file is finished or gone: nothing of its progress is told any more. */
    settle: (fileId: string): void => {
      files.delete(fileId);
      settled.set(fileId, now());
    },
    /** @param isShared whether a file of somebody else is shared with them. */
    latestOf: (userId: string, isShared: (fileId: string) => boolean = () => false): Live[] =>
      [...files.values()]
        .filter((f) => now() - f.at < holdsMs && (f.ownerId === userId || isShared(f.last.fileId)))
        .map((f) => f.last),
    prune: (): void => {
      for (const [fileId, at] of settled) if (now() - at >= lateMs) settled.delete(fileId);
      for (const [fileId, f] of files) if (now() - f.at >= holdsMs) files.delete(fileId);
    },
  };
};

import { writeSync } from 'node:fs';

/** Where whole lines go. Writing never throws: a log that cannot be written must not end the process. */
export type LineSink = {
  /** Writes a line that ends in a line feed; drops and counts it when the descriptor refuses it. */
  write: (line: string) => void;
  /** Lines dropped since the process started. */
  dropped: () => number;
};
export type LineSinkOptions = {
  fd: number;
  /** Called after the first line that was written after a failure. */
  onRecovery?: (dropped: number) => void;
  writeBytes?: (fd: number, bytes: Buffer) => number;
};

// A pipe whose reader is slow refuses bytes for a moment; a reader that stands still must not stop the writer.
const busyAttempts = 50;
const busyPauseMs = 2;

/** A sink for a file or pipe: synchronous, so that the last line before an end is there. */
export function createLineSink({ fd, onRecovery, writeBytes = writeSync }: LineSinkOptions): LineSink {
  let dropped = 0;
  let droppedSinceSuccess = 0;
  let unfinished = false;

  const writeAll = (bytes: Buffer): void => {
    let busy = 0;
    for (let at = 0; at < bytes.length;) {
      try {
        at += writeBytes(fd, bytes.subarray(at));
        unfinished = at < bytes.length;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || (busy += 1) > busyAttempts) throw error;
        pause(busyPauseMs);
      }
    }
  };

  return {
    write: (line) => {
      try {
        // A full disk may have taken the beginning of the last line only: this one starts on a new line.
        if (unfinished) writeAll(Buffer.from('\n'));
        writeAll(Buffer.from(line));
      } catch {
        dropped += 1;
        droppedSinceSuccess += 1;
        return;
      }
      if (droppedSinceSuccess === 0) return;
      const lost = droppedSinceSuccess;
      droppedSinceSuccess = 0;
      onRecovery?.(lost);
    },
    dropped: () => dropped,
  };
}

function pause(ms: number): void {
  return void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

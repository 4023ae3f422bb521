import type { FileHandle } from 'node:fs/promises';
import { Writable } from 'node:stream';

/** Writes large blocks from two reused buffers: a new buffer per write would load the garbage collector. */
const blockBytes = 512 * 1024;
/** Syncs received bytes while more arrive, so that the final sync is short. */
const syncEveryBytes = 32 * 1024 * 1024;

export type FileSink = {
  stream: Writable;
  /** Whether the disk (and not the sender) failed. */
  failure: () => { error: unknown } | undefined;
};

/** Writes a stream to a file and ends after the last sync. `see` is called with every chunk before it is written. */
export function createFileSink(file: FileHandle, see?: (chunk: Buffer) => void): FileSink {
  const blocks = createBlocks(file);
  let failure: { error: unknown } | undefined;
  const report = (work: Promise<void>, done: (error?: Error) => void): void => {
    work.then(
      () => done(),
      (error: unknown) => {
        failure = { error };
        done(error as Error);
      },
    );
  };
  const stream = new Writable({
    highWaterMark: 128 * 1024,
    write(chunk: Buffer, _encoding, done) {
      try {
        see?.(chunk);
      } catch (error) {
        return done(error as Error);
      }
      if (blocks.keep(chunk)) done();
      else report(blocks.write(chunk), done);
    },
    final(done) {
      report(blocks.finish(), done);
    },
  });
  // pipeline() reports the failure; the stream may fail before it is part of a pipeline.
  stream.on('error', () => undefined);
  return { stream, failure: () => failure };
}

/** Collects chunks into blocks of the file. */
function createBlocks(file: FileHandle) {
  let block: Buffer = Buffer.allocUnsafeSlow(blockBytes);
  let spare: Buffer | undefined;
  let used = 0;
  let unsynced = 0;
  let writing: Promise<void> = Promise.resolve();
  let syncing: Promise<void> = Promise.resolve();

  /** Runs one write and one sync at a time; the next call reports the failure of either. */
  const flush = async (): Promise<void> => {
    await writing;
    const full = block.subarray(0, used);
    writing = writeWhole(file, full);
    writing.catch(() => undefined);
    [block, spare] = [spare ?? Buffer.allocUnsafeSlow(blockBytes), block];
    unsynced += used;
    used = 0;
    if (unsynced < syncEveryBytes) return;
    unsynced = 0;
    await syncing;
    syncing = file.datasync();
    syncing.catch(() => undefined);
  };

  return {
    /** Copies a chunk into the block. @returns false when it would fill the block. */
    keep: (chunk: Buffer): boolean => {
      if (used + chunk.length >= blockBytes) return false;
      used += chunk.copy(block, used);
      return true;
    },
    write: async (chunk: Buffer): Promise<void> => {
      for (let at = 0; at < chunk.length;) {
        const copied = chunk.copy(block, used, at);
        at += copied;
        used += copied;
        if (used === blockBytes) await flush();
      }
    },
    finish: async (): Promise<void> => {
      await flush();
      await Promise.all([writing, syncing]);
      await file.datasync();
    },
  };
}

async function writeWhole(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at)).bytesWritten;
}

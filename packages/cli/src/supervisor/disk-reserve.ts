import { execFile } from 'node:child_process';
import { existsSync, rmSync, statfsSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);
const mib = 1024 * 1024;

/** Sizes in bytes. */
export type ReserveSizes = {
  readonly reserve: number;
  /** Below this number of free bytes the disk counts as full and the reserve is released. */
  readonly released: number;
  /** Above this number of free bytes the reserve is created again. */
  readonly made: number;
};

const defaultSizes: ReserveSizes = { reserve: 64 * mib, released: 16 * mib, made: 384 * mib };
const lookEveryMs = 500;

/** Disk space of an instance that is reserved for PostgreSQL and NATS when the disk is full. */
export type DiskReserve = {
  readonly isFull: () => boolean;
  readonly stop: () => void;
};

/** Options of a reserve. */
export type DiskReserveOptions = {
  readonly folder: string;
  readonly file: string;
  readonly log: (line: string) => void;
  /** Called when space is available again, after the reserve was released or space was freed. */
  readonly onSpace: () => void;
  readonly sizes?: ReserveSizes;
  readonly freeBytes?: (folder: string) => number;
};

/** Maintains the reserve file, releases it on a full disk and reports when space is available again. */
export function keepDiskReserve(options: DiskReserveOptions): DiskReserve {
  const { folder, file, log, onSpace, sizes = defaultSizes, freeBytes = freeOn } = options;
  let full = false;
  let making: Promise<void> | undefined;

  function look(): void {
    const free = freeBytes(folder);
    if (free < sizes.released) {
      if (!full) log(`disk full: ${Math.floor(free / mib)} MiB free`);
      full = true;
      release();
      return;
    }
    if (full) {
      full = false;
      log(`disk has space again: ${Math.floor(free / mib)} MiB free`);
      onSpace();
    }
    if (free > sizes.made && !existsSync(file)) making ??= make().finally(() => (making = undefined));
  }

  function release(): void {
    if (!existsSync(file)) return;
    rmSync(file, { force: true });
    log('disk reserve released');
  }

  // Allocated blocks, not a sparse file; the blocks are written if the file system does not support allocation.
  async function make(): Promise<void> {
    try {
      await run('fallocate', ['--posix', '--length', String(sizes.reserve), file]);
    } catch (error) {
      log(`disk reserve not made: ${(error as Error).message.split('\n')[0]}`);
      rmSync(file, { force: true });
    }
  }

  const guarded = () => {
    try {
      look();
    } catch (error) {
      log(`disk not checked: ${String(error)}`);
    }
  };
  guarded();
  const timer = setInterval(guarded, lookEveryMs);
  return { isFull: () => full, stop: () => clearInterval(timer) };
}

function freeOn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

import { execFile } from 'node:child_process';
import { mkdtemp, rmdir, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const megabyte = 1024 * 1024;

/**
 * The reason why no small disk can be mounted. In CI, root can always mount one: there the suite is never skipped and
 * fails with the error of `mount`.
 */
export async function whyNoSmallDisk(): Promise<string | undefined> {
  if (process.env['CI'] && process.getuid?.() === 0) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'overtone-e2e-mount-'));
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'overtone-e2e', folder]);
    await run('umount', ['--lazy', folder]);
    return undefined;
  } catch (error) {
    return `a tmpfs cannot be mounted: ${error instanceof Error ? error.message.trim() : String(error)}`;
  } finally {
    await rmdir(folder);
  }
}

/** A tmpfs that is filled without much data: its size is set to the used space. */
export type SmallDisk = Awaited<ReturnType<typeof createSmallDisk>>;

export async function createSmallDisk(bytes = 900 * megabyte) {
  const folder = await mkdtemp(join(tmpdir(), 'overtone-e2e-disk-'));
  const resize = (size: number) => run('mount', ['-o', `remount,size=${size}`, folder]);
  const free = async (): Promise<number> => {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  };
  /** Removes all free space. The kernel rejects the new size after a concurrent write; then it is retried. */
  const fill = async (): Promise<void> => {
    for (let attempt = 0; attempt < 50 && (await free()) > 0; attempt++) {
      const { blocks, bfree, bsize } = await statfs(folder);
      await resize((blocks - bfree) * bsize).catch(() => undefined);
    }
  };
  await run('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=0755`, 'overtone-e2e', folder]);
  return {
    folder,
    free,
    fill,
    /** Restores the free space. */
    empty: () => resize(bytes),
    remove: async (): Promise<void> => {
      await run('umount', ['--lazy', folder]);
      await rmdir(folder);
    },
  };
}

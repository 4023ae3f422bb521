import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';

const renewMs = 2_000;
const staleMs = 10_000;

export type FolderLock = {
  /** Aborted when another process took the lock, because this one did not renew it in time. */
  readonly signal: AbortSignal;
  readonly release: () => Promise<void>;
};

/**
 * A lock that also holds between containers that share a volume: a file that its holder renews. The lock of a process
 * that ended on this host is taken over at once, any other after ten seconds without a renewal.
 * @returns undefined while another process holds it.
 */
export async function tryFolderLock(path: string): Promise<FolderLock | undefined> {
  await mkdir(dirname(path), { recursive: true });
  const content = JSON.stringify({ host: hostname(), pid: process.pid, id: randomUUID() });
  if (!(await create(path, content)) && !((await removeStale(path)) && (await create(path, content)))) return undefined;
  const lost = new AbortController();
  const timer = setInterval(() => {
    void renew(path, content).then((held) => {
      if (!held) lost.abort(new Error('another process took over the model folder'));
    });
  }, renewMs).unref();
  return {
    signal: lost.signal,
    release: async () => {
      clearInterval(timer);
      if ((await contentOf(path)) === content) await rm(path, { force: true });
    },
  };
}

async function create(path: string, content: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx');
    try {
      await file.writeFile(content);
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function renew(path: string, content: string): Promise<boolean> {
  if ((await contentOf(path)) !== content) return false;
  const now = new Date();
  await utimes(path, now, now).catch(() => undefined);
  return true;
}

/** Removes the lock of a holder that ended. Two processes may try: the rename admits one. */
async function removeStale(path: string): Promise<boolean> {
  const [before, info] = await Promise.all([contentOf(path), stat(path).catch(() => undefined)]);
  if (before === undefined || !info) return true;
  if (!hasEnded(before) && Date.now() - info.mtimeMs < staleMs) return false;
  const aside = `${path}.${randomUUID()}`;
  const renamed = await rename(path, aside).then(
    () => true,
    () => false,
  );
  if (!renamed) return false;
  const removed = await contentOf(aside);
  await rm(aside, { force: true });
  return removed === before;
}

/** Whether the holder was a process of this host that no longer runs. */
function hasEnded(content: string): boolean {
  try {
    const { host, pid } = JSON.parse(content) as { host: string; pid: number };
    if (host !== hostname() || pid === process.pid) return false;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function contentOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}

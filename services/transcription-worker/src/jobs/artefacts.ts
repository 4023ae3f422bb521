import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { workerJobs } from '@overtone/contracts';
import type { ObjectStore } from '@overtone/object-store';
import type { JobHandlers } from '@overtone/jobs';
import { AppError, isAppError, type Part } from '@overtone/service-kit';
import { storageFull } from '../failures.ts';

/** The handler of one stage. */
export type StageJob<S extends keyof typeof workerJobs> = JobHandlers<typeof workerJobs>[S];
export type Place = { fileId: string; runId: string };

/** Name of a stage's artefact; the token prevents a superseded worker from overwriting its successor's. */
export function artefactKey({ fileId, runId }: Place, name: string, token: number, extension = 'json'): string {
  return `derived/${fileId}/${runId}/${name}-${token}.${extension}`;
}

/** Artefacts of the stages in the object store; every reader validates them. */
export function createArtefacts(store: ObjectStore, workDir: string) {
  return {
    part: {
      name: 'work folder',
      start: () => removeLeftovers(workDir),
      stop: async () => {},
    } satisfies Part,
    writeJson: async (key: string, value: unknown): Promise<string> => {
      await store.put(key, JSON.stringify(value), { contentType: 'application/json' });
      return key;
    },
    download: async (key: string, target: string, signal: AbortSignal): Promise<void> => {
      const { stream, bytes } = await store.get(key, { signal }).catch(missing);
      await assertRoom(workDir, bytes).catch((err: unknown) => {
        stream.destroy();
        throw err;
      });
      await pipeline(stream, createWriteStream(target), { signal }).catch(fullDisk);
    },
    upload: async (source: string, key: string, contentType: string, signal: AbortSignal): Promise<string> => {
      const stream = (await open(source, 'r')).createReadStream();
      try {
        await store.put(key, stream, { contentType, signal });
      } finally {
        // A rejected upload leaves the stream unread and its file open.
        stream.destroy();
      }
      return key;
    },
    /** A temporary folder for one job, always removed afterwards. */
    inFolder: async <T>(work: (folder: string) => Promise<T>): Promise<T> => {
      const folder = await mkdtemp(join(workDir, `${prefix}${process.pid}-`));
      try {
        return await work(folder);
      } finally {
        await rm(folder, { recursive: true, force: true, maxRetries: 3 });
      }
    },
  };
}

export type Artefacts = ReturnType<typeof createArtefacts>;

const prefix = 'overtone-job-';

/** Required space: 1.5 times the input, plus a reserve for other users of the disk. */
async function assertRoom(workDir: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(workDir);
  if (bavail * bsize < bytes * 1.5 + 64 * 1024 * 1024)
    throw storageFull('There is not enough room to work on this recording');
}

function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (err) {
    return (err as { code?: string }).code === 'EPERM';
  }
}

/** Removes leftovers of killed workers; the name contains the owner's process id. */
async function removeLeftovers(workDir: string): Promise<void> {
  await mkdir(workDir, { recursive: true });
  for (const name of await readdir(workDir)) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN;
    const abandoned = pid === process.pid || (Number.isInteger(pid) && !alive(pid));
    if (abandoned) await rm(join(workDir, name), { recursive: true, force: true });
  }
}

/** The recording or an earlier artefact is missing: a retry cannot succeed, the run has to start from the beginning. */
function missing(err: unknown): never {
  if (isAppError(err) && err.kind === 'not_found')
    throw new AppError('unavailable', 'artefact_missing', 'What an earlier stage left is no longer there', {
      cause: err,
      permanent: true,
    });
  throw err;
}

function fullDisk(err: unknown): never {
  if ((err as { code?: string }).code === 'ENOSPC') throw storageFull('The disk is full');
  throw err;
}

import { access, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ModelError, reasonOf } from './errors.ts';
import { readJson, writeJson } from './files.ts';
import { pullsFolder } from './model-folder.ts';

const taskStatus = z.object({
  name: z.string(),
  state: z.enum(['running', 'done', 'failed']),
  received_bytes: z.int(),
  total_bytes: z.int(),
  error_code: z.string().nullable(),
  error: z.string().nullable(),
  at: z.iso.datetime(),
});
/** Progress or result of the last pull or verification of a model. A running one is written every second. */
export type TaskStatus = z.infer<typeof taskStatus>;

const statusEveryMs = 1_000;
/** A running task that was not written for this long belongs to a process that ended. */
const statusStaleMs = 15_000;

/** The folder of a model's downloads and of the status of its last task. */
export function taskFolder(cacheDir: string, name: string): string {
  return join(pullsFolder(cacheDir), name);
}

/** The last task of every model that had one. */
export async function readTasks(cacheDir: string): Promise<TaskStatus[]> {
  const names = await readdir(pullsFolder(cacheDir)).catch((): string[] => []);
  const read = names.map((name) => readJson(join(taskFolder(cacheDir, name), 'status.json')));
  const found = (await Promise.all(read)).map((value) => taskStatus.safeParse(value).data);
  return found.filter((status) => status !== undefined).map(endIfStale);
}

function endIfStale(status: TaskStatus): TaskStatus {
  if (status.state !== 'running' || Date.now() - Date.parse(status.at) < statusStaleMs) return status;
  return {
    ...status,
    state: 'failed',
    error_code: 'interrupted',
    error: 'It was interrupted. Pull again to continue.',
  };
}

type Task = { readonly cacheDir: string; readonly name: string; readonly totalBytes: number };

/** Writes the status of a task, also while nothing is received. */
export function trackTask({ cacheDir, name, totalBytes }: Task) {
  const folder = taskFolder(cacheDir, name);
  let received = 0;
  let last: Promise<void> = Promise.resolve();
  const write = async (state: TaskStatus['state'], error?: unknown): Promise<void> => {
    await mkdir(folder, { recursive: true });
    const status: TaskStatus = {
      name,
      state,
      received_bytes: received,
      total_bytes: totalBytes,
      error_code: error === undefined ? null : error instanceof ModelError ? error.code : 'internal_error',
      error: error === undefined ? null : reasonOf(error),
      at: new Date().toISOString(),
    };
    await writeJson(join(folder, 'status.json'), status);
  };
  const timer = setInterval(() => {
    last = write('running').catch(() => undefined);
  }, statusEveryMs).unref();
  return {
    begin: () => write('running'),
    receive: (bytes: number): void => {
      received = bytes;
    },
    /** A status that cannot be written, on a full disk, does not hide the result. */
    end: async (error?: unknown): Promise<void> => {
      clearInterval(timer);
      await last;
      await write(error === undefined ? 'done' : 'failed', error).catch(() => undefined);
    },
  };
}

/** Asks the process that pulls a model to stop. It may run on another host that shares the folder. */
export async function requestCancel(cacheDir: string, name: string): Promise<void> {
  await writeFile(join(taskFolder(cacheDir, name), 'cancel'), '').catch(() => undefined);
}

/** Aborts when `requestCancel` is called for the model. */
export function watchCancel(cacheDir: string, name: string): { signal: AbortSignal; stop: () => Promise<void> } {
  const path = join(taskFolder(cacheDir, name), 'cancel');
  const cancelled = new AbortController();
  // Left by a process that ended before it saw it.
  const cleared = rm(path, { force: true }).catch(() => undefined);
  const timer = setInterval(() => {
    void cleared
      .then(() => access(path))
      .then(
        () => cancelled.abort(new Error('an administrator stopped it')),
        () => undefined,
      );
  }, statusEveryMs).unref();
  return {
    signal: cancelled.signal,
    stop: async () => {
      clearInterval(timer);
      await rm(path, { force: true });
    },
  };
}

import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from './client.ts';
import { createInstance, type Instance } from './instance.ts';
import { until } from './until.ts';

/** An instance with a scripted transcription engine that only waits for a configured time. */
type Scripted = {
  instance: Instance;
  /** Folders below it may be watched. */
  watchRoot: string;
  /** Sets the processing time of the engine; with `failure` every job fails with this message. */
  setEngine: (secondsPerHour: number, failure?: string) => Promise<void>;
};

/**
 * Starts an instance at first use, with the settings of `environment`, of the product whose launcher is `script`.
 * `remove` stops it if it was started.
 */
export function scriptedInstance(
  environment: () => Promise<Record<string, string>> = async () => ({}),
  script: () => Promise<string | undefined> = async () => undefined,
) {
  let started: Promise<Scripted & { remove: () => Promise<void> }> | undefined;
  const start = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'overtone-e2e-script-'));
    const engine = join(folder, 'engine.json');
    const setEngine = (secondsPerHour: number, failure?: string) =>
      writeFile(engine, JSON.stringify({ secondsPerHour, failure }));
    await setEngine(0);
    const watchRoot = join(folder, 'watched');
    await mkdir(watchRoot);
    const settings = {
      OT_SCRIPTED_ENGINE: engine,
      GPU_CONCURRENT_REQUESTS: '4',
      GPU_EXPRESS_SLOTS: '1',
      // Long time limits: a slow machine needs longer to stop and start a service.
      UPSTREAM_WAIT_MS: '300000',
      SHUTDOWN_GRACE_MS: '60000',
      // Longer than a suite, whose clients do not refresh their tokens.
      JWT_ACCESS_TOKEN_EXPIRE_MINUTES: '240',
      // The suites import recordings from servers of their own.
      OT_OUTBOUND_ALLOWED_RANGES: '127.0.0.1',
      WATCH_ROOTS: watchRoot,
      ...(await environment()),
    };
    const instance = await createInstance(settings, undefined, await script());
    const ran = await instance.up();
    if (ran.code !== 0) throw new Error(`./overtone up ended with ${ran.code}:\n${ran.output}`);
    const remove = async () => {
      await instance.remove();
      await rm(folder, { recursive: true, force: true });
    };
    return { instance, watchRoot, setEngine, remove };
  };
  return {
    get: (): Promise<Scripted> => (started ??= start()),
    /** Sets the processing time to zero, if the instance was started. */
    resetEngine: async (): Promise<void> => (await started?.catch(() => undefined))?.setEngine(0),
    logsTail: async (): Promise<string> => (await started?.catch(() => undefined))?.instance.logsTail() ?? '',
    faults: async (): Promise<string[]> => (await (await started?.catch(() => undefined))?.instance.faults()) ?? [],
    remove: async (): Promise<void> => {
      const running = started;
      started = undefined;
      await (await running?.catch(() => undefined))?.remove();
    },
  };
}

/** Copies a recording with one different sample, so that it is not a duplicate. */
export async function createCopy(path: string, folder: string, number: number): Promise<string> {
  const bytes = await readFile(path);
  bytes.writeInt16LE(number % 30_000, bytes.length - 2);
  const copy = join(folder, `copy-${number}.wav`);
  await writeFile(copy, bytes);
  return copy;
}

/** Uploads a recording and retries until it is acknowledged. A duplicate response counts as acknowledged. */
export function uploadWithRetry(api: Client, path: string, limitMs = 120_000): Promise<string> {
  return until(
    `${path} is uploaded`,
    async () => {
      const response = await api.upload(path);
      if (response.status === 201) return response.body.uuid;
      const duplicate = (response.body as { duplicate_file_uuid?: string } | undefined)?.duplicate_file_uuid;
      if (response.status === 409 && duplicate) return duplicate;
      throw new Error(`upload: ${response.status} ${response.text}`);
    },
    limitMs,
    250,
  );
}

/** Waits until every service reports ready. */
export async function waitUntilReady(instance: Instance): Promise<void> {
  const areReady = async () => (await instance.status()).services.every(({ ready }) => ready);
  await until('every service is ready', areReady, 240_000, 250);
}

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from './client.ts';
import { createInstance, type Instance } from './instance.ts';
import { until } from './runner.ts';

/** An instance whose engine costs nothing but the time that it is told to take. */
type Scripted = {
  instance: Instance;
  /** How long the engine takes; with `failure` it refuses everything in these words. */
  pretend: (secondsPerHour: number, failure?: string) => Promise<void>;
};

/** Starts one, of its own, at first use, told of its surroundings; `remove` ends it if it was ever started. */
export const scriptedInstance = (surroundings: () => Promise<Record<string, string>> = async () => ({})) => {
  let started: Promise<Scripted & { remove: () => Promise<void> }> | undefined;
  const start = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'overtone-e2e-script-'));
    const script = join(folder, 'engine.json');
    const pretend = (secondsPerHour: number, failure?: string) =>
      writeFile(script, JSON.stringify({ secondsPerHour, failure }));
    await pretend(0);
    const instance = await createInstance({
      OT_SCRIPTED_ENGINE: script,
      GPU_CONCURRENT_REQUESTS: '4',
      GPU_EXPRESS_SLOTS: '1',
      // Only the ends of patience: a slow machine takes longer to stop a service and to start it again.
      UPSTREAM_WAIT_MS: '300000',
      SHUTDOWN_GRACE_MS: '60000',
      ...(await surroundings()),
    });
    const ran = await instance.up();
    if (ran.code !== 0) throw new Error(`./overtone up ended with ${ran.code}:\n${ran.output}`);
    const remove = async () => {
      await instance.remove();
      await rm(folder, { recursive: true, force: true });
    };
    return { instance, pretend, remove };
  };
  return {
    get: (): Promise<Scripted> => (started ??= start()),
    /** Costs nothing again; whether it ever started or not. */
    calm: async (): Promise<void> => (await started?.catch(() => undefined))?.pretend(0),
    logsTail: async (): Promise<string> => (await started?.catch(() => undefined))?.instance.logsTail() ?? '',
    faults: async (): Promise<string[]> => (await (await started?.catch(() => undefined))?.instance.faults()) ?? [],
    remove: async (): Promise<void> => {
      const was = started;
      started = undefined;
      await (await was?.catch(() => undefined))?.remove();
    },
  };
};

/** Copies of a recording that sound alike and are not the same bytes. */
export const copyOf = async (path: string, folder: string, number: number): Promise<string> => {
  const bytes = await readFile(path);
  bytes.writeInt16LE(number % 30_000, bytes.length - 2);
  const copy = join(folder, `copy-${number}.wav`);
  await writeFile(copy, bytes);
  return copy;
};

/** Sends a recording until it is acknowledged, as a patient person would; one that arrived after all is not sent twice. */
export const insist = (api: Client, path: string, limitMs = 120_000): Promise<string> =>
  until(
    `${path} is taken`,
    async () => {
      const sent = await api.upload(path);
      if (sent.status === 201) return sent.body.uuid;
      const twin = (sent.body as { duplicate_file_uuid?: string } | undefined)?.duplicate_file_uuid;
      if (sent.status === 409 && twin) return twin;
      throw new Error(`upload: ${sent.status} ${sent.text}`);
    },
    limitMs,
    250,
  );

/** Waits until every service says that it is ready. */
export const allReady = async (instance: Instance): Promise<void> => {
  const ready = async () => (await instance.status()).services.every((s) => s.ready);
  await until('every service is ready', ready, 240_000, 250);
};

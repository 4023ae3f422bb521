import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { reasonOf } from './errors.ts';
import { readJson, writeJson } from './files.ts';

/** In the model folder: what the launcher fetches, so that the worker and `status` can report it. */
const stateFile = '.speech-setup.json';
const writeEveryMs = 1_000;
/** A running setup that was not written for this long belongs to a process that ended, or did not begin after a start. */
const staleMs = 60_000;
/** Recordings wait for the speech model for at most this long, then the next engine transcribes them. */
const waitMs = 15 * 60_000;

const speechSetup = z.object({
  state: z.enum(['running', 'done', 'failed']),
  /** What is being fetched: the Python environment, the speech model, those for speakers and search. */
  step: z.enum(['environment', 'model', 'further']),
  model: z.string(),
  received_bytes: z.int(),
  total_bytes: z.int(),
  error: z.string().nullable(),
  began_at: z.iso.datetime(),
  at: z.iso.datetime(),
});
/** Progress or result of the fetch of the speech model at the start of an instance. */
export type SpeechSetup = z.infer<typeof speechSetup>;

/** @returns null where nothing was fetched yet. */
export async function readSpeechSetup(cacheDir: string): Promise<SpeechSetup | null> {
  const setup = speechSetup.safeParse(await readJson(join(cacheDir, stateFile))).data;
  if (setup?.state !== 'running' || Date.now() - Date.parse(setup.at) < staleMs) return setup ?? null;
  return { ...setup, state: 'failed', error: 'It was interrupted. The next start continues it.' };
}

/** Whether recordings wait for the speech model. */
export function isSpeechModelAwaited(setup: SpeechSetup | null, now = Date.now()): setup is SpeechSetup {
  return setup?.state === 'running' && setup.step !== 'further' && now - Date.parse(setup.began_at) < waitMs;
}

/** The fetched share of the speech model in whole percent. */
export function fetchedPercent({ step, received_bytes: received, total_bytes: total }: SpeechSetup): number {
  if (step === 'further') return 100;
  return total === 0 ? 0 : Math.floor((received / total) * 100);
}

/** Before the services start, so that a recording of the first seconds waits for the speech model, too. */
export async function markSpeechModelAwaited(cacheDir: string, model: string): Promise<void> {
  await write(cacheDir, newSetup(model));
}

function newSetup(model: string): SpeechSetup {
  const now = new Date().toISOString();
  const nothing = { received_bytes: 0, total_bytes: 0, error: null };
  return { state: 'running', step: 'environment', model, ...nothing, began_at: now, at: now };
}

/** A full disk does not end the setup: its pulls report it. */
async function write(cacheDir: string, state: SpeechSetup): Promise<void> {
  try {
    await mkdir(cacheDir, { recursive: true });
    await writeJson(join(cacheDir, stateFile), { ...state, at: new Date().toISOString() });
  } catch {
    // reported by the pulls
  }
}

/** Writes the state of a setup, also while nothing is received. */
export function trackSpeechSetup(cacheDir: string, model: string) {
  let state = newSetup(model);
  let last: Promise<void> = Promise.resolve();
  const writeNext = (): Promise<void> => (last = last.then(() => write(cacheDir, state)));
  const timer = setInterval(() => void writeNext(), writeEveryMs).unref();
  void writeNext();
  return {
    enter: (step: SpeechSetup['step'], name = model): Promise<void> => {
      state = { ...state, step, model: step === 'further' ? model : name, received_bytes: 0, total_bytes: 0 };
      return writeNext();
    },
    receive: (received: number, total: number): void => {
      state = { ...state, received_bytes: received, total_bytes: total };
    },
    end: (error?: unknown): Promise<void> => {
      clearInterval(timer);
      const failed = error !== undefined;
      state = { ...state, state: failed ? 'failed' : 'done', error: failed ? reasonOf(error) : null };
      return writeNext();
    },
  };
}

